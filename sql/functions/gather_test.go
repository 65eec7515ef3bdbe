package functions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

func TestNoRowsAreKeptWhenAStatementHasEnded(t *testing.T) {
	db, err := duck.Open(t.Context(), sqltest.Temp(t, "x.duckdb"), duck.ReadWrite, duck.Options{InPlace: true})
	sqltest.Ready(t, db, err, "CREATE TABLE t AS SELECT i AS id, i % 5 AS x FROM range(100) r(i)")
	f := must.Get(Add(t.Context(), db, library.Here(skfr.Algorithms()...)))(t)
	t.Cleanup(func() { sqltest.Close(t, f) })
	for _, text := range []string{"SELECT k FROM cluster_fit(t, 'id', k := 2, start := t)", "FROM cluster_fit(t, 'id', k := 1000)",
		"FROM cluster_fit(t, 'id', k := 'x')", "SELECT cluster_fit(id, t, {k: 2}).k, cluster_fit(-id, t, {k: 2}).k FROM t GROUP BY x"} {
		f.Begin(t.Context(), text, Progress{})
		_, err := db.Run(t.Context(), text, func(r duck.Result) error { return r.Each(func([]any) error { return nil }) })
		_ = f.End(err)
	}
	var last int
	h := duck.NewHeap(nil)
	defer h.Drop()
	must.Get(fmt.Sscanf(h.Relation(), "heap(%d", &last))(t)
	for id := 1; id < last; id++ {
		_, err := f.reading.Rows(t.Context(), fmt.Sprintf("FROM heap(%d, 1)", id))
		if err == nil || !strings.Contains(err.Error(), "these rows are gone") {
			t.Errorf("heap %d of %d: %v", id, last, err)
		}
	}
}
