//go:build engines

package clickhouse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestATableIsReplacedOnlyIfThatIsWanted(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		for i, replace := range []bool{false, true} {
			if err := e.Replace(t.Context(), "labels", []string{"SELECT 1 AS id", "SELECT 2 AS id"}[i], replace); err != nil {
				t.Fatal(err)
			}
			rows, err := e.Query(t.Context(), "SELECT toInt64(id) FROM labels")
			if diff := cmp.Diff([][]any{{int64(i + 1)}}, rows); diff != "" || err != nil {
				t.Error(diff, err)
			}
		}
		f := framework.AsFault(e.Replace(t.Context(), "labels", "SELECT 3 AS id", false))
		if f == nil || f.Code != "table-exists" {
			t.Error(f)
		}
		if left, err := e.Query(t.Context(), "SELECT name FROM system.tables WHERE database = currentDatabase()"); len(left) != 1 || err != nil {
			t.Error(left, err)
		}
	})
}
