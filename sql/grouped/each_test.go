package grouped_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/grouped"
)

func TestTheErrorOfWorkSideBySideIsThatOfTheLeastNumber(t *testing.T) {
	for range 2000 {
		err := grouped.SideBySide(8, 8, func(i int) error { return fmt.Errorf("number %d", i) })
		if err == nil || err.Error() != "number 0" {
			t.Fatal(err)
		}
	}
	must.Do(t, grouped.SideBySide(8, 0, func(int) error { return nil }))
}
