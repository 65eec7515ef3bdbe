package job_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

func TestTheErrorOfWorkSideBySideIsThatOfTheLeastNumber(t *testing.T) {
	for range 2000 {
		err := job.SideBySide(8, 8, func(i int) error { return fmt.Errorf("number %d", i) })
		if err == nil || err.Error() != "number 0" {
			t.Fatal(err)
		}
	}
	must.Do(t, job.SideBySide(8, 0, func(int) error { return nil }))
}
