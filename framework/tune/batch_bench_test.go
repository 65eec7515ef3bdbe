package tune_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// overlapping has rows of normal clusters of unequal sizes.
func overlapping(n, p, clusters int) framework.Matrix {
	x, centers, random := framework.NewMatrix(n, p), framework.NewMatrix(clusters, p), framework.Rand(1, "overlapping")
	for i := range centers.Data {
		centers.Data[i] = 2 * random.NormFloat64()
	}
	for i := range n {
		center := centers.Row(min(random.IntN(clusters), random.IntN(clusters)))
		for l := range p {
			x.Row(i)[l] = center[l] + random.NormFloat64()
		}
	}
	return x
}

// BenchmarkBatch is a fit of a million rows on one thread, from starts of all rows and
// from batches. The objective is a row's.
func BenchmarkBatch(b *testing.B) {
	for _, shape := range []struct{ p, k, clusters int }{{10, 50, 60}, {20, 200, 250}} {
		all := batched{Rows: clustertest.Rows{X: overlapping(1_000_000, shape.p, shape.clusters), Size: 4096}}
		all.problem = all.Rows.Problem(shape.k)
		data := matrix.FromMatrix(all.X, nil, 0)
		for _, c := range []struct {
			batch, restarts int
			tol             float64
		}{{0, 10, 0}, {0, 10, tune.BatchTol}, {0, 1, tune.BatchTol}, {10_000, 1, tune.BatchTol}, {10_000, 10, tune.BatchTol},
			{10_000, 50, tune.BatchTol}} {
			b.Run(fmt.Sprintf("features=%d/k=%d/starts=%d/tol=%g/batch=%d", shape.p, shape.k, c.restarts, c.tol, c.batch), func(b *testing.B) {
				s := fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: c.restarts, MaxIter: 300, Tol: c.tol, Empty: framework.Reseed,
					Threads: 1}
				for b.Loop() {
					start := fit.Start{}
					if c.batch > 0 {
						start = must.Get(tune.Begin(b.Context(), all.engine, all.problem, data, s, c.batch))(b)
					}
					f := must.Get(all.engine(b.Context(), all.problem, data, start, s))(b)
					b.ReportMetric(f.Objective/float64(data.Len()), "objective")
				}
			})
		}
	}
}
