package summary

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestABarIsAsLongAsItsShareOfTheLargestToAnEighth(t *testing.T) {
	for _, c := range []struct {
		v, largest float64
		want       string
	}{{8, 8, "████"}, {4, 8, "██"}, {1, 8, "▌"}, {0.25, 8, "▏"}, {1e-9, 8, "▏"}, {5, 8, "██▌"}, {0, 8, ""}, {-1, 8, ""}, {0, 0, ""}} {
		must.Equal(t, c.want, bar(c.v, c.largest, 4))
	}
}
