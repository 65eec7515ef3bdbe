package store

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// BenchmarkWrite_1000000 writes the tables of a run of a million rows.
func BenchmarkWrite_1000000(b *testing.B) {
	const rows = 1_000_000
	db := opened(b, filepath.Join(b.TempDir(), "out.duckdb"), ReadWrite)
	r := sample()
	r.Assignments = result.Assignments{KeyName: "id", Keys: input.Numbered(rows), Labels: make([]int32, rows), Distance: make([]float64, rows),
		Second: make([]int32, rows), Margin: make([]float64, rows)}
	for i := range rows {
		r.Assignments.Labels[i], r.Assignments.Distance[i] = int32(i%7), float64(i)
	}
	for b.Loop() {
		must.Do(b, db.Write(context.Background(), "run", true, r))
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
