package skfr_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// documents draws n rows of p counts, so many of which are not 0 in each row on average: of k
// topics, each of which has a part of the terms.
func documents(b *testing.B, n, p, perRow, k int) *matrix.Builder {
	b.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	rows := matrix.NewSparseBuilder(p, matrix.Options{RowsHint: n})
	var columns []int32
	var values []float64
	for range n {
		topic := r.IntN(k)
		columns = columns[:0]
		for range perRow {
			l := int(float64(p) * r.Float64() * r.Float64())
			if r.IntN(2) == 0 {
				l = l/k*k + topic
			}
			columns = append(columns, int32(min(l, p-1)))
		}
		slices.Sort(columns)
		columns = slices.Compact(columns)
		values = values[:0]
		for range columns {
			values = append(values, 1+r.ExpFloat64())
		}
		must.Do(b, rows.AppendRow(columns, values))
	}
	return rows
}

// BenchmarkSparse is a full pass over 20 000 documents of 10 000 terms, of which about 50
// are in each: all rows are assigned, and all sums collected. ns/op is a pass; "dense/sparse" is the time of the
// same with all cells, divided by it.
func BenchmarkSparse(b *testing.B) {
	const n, p, k = 20_000, 10_000, 20
	sources := make([]matrix.Source, p)
	for l := range sources {
		sources[l].Name = strconv.Itoa(l)
	}
	pass := func(b *testing.B, builder *matrix.Builder) float64 {
		data, _, problem, err := matrix.Prepare(builder, sources, matrix.Scaling{Center: "mean", Scale: "none"}, nil)
		must.Do(b, err)
		defer func() { _ = data.Close() }()
		problem.K, problem.Seed, problem.Params = k, 1, must.Get(skfr.KMeans{}.Describe().Resolve(nil))(b)
		c := must.Get(skfr.KMeans{}.New(problem))(b)
		centers := framework.NewMatrix(k, p)
		for j := range k {
			copy(centers.Row(j), framework.Cells(data, j*n/k))
		}
		res := must.Get(fit.Run(b.Context(), c, problem, data, fit.Start{Centers: &centers},
			fit.Settings{Init: "random", InitSpace: fit.Fitted, Restarts: 1, MaxIter: 3, Empty: framework.Origin, Threads: 1}, nil))(b)
		return fullPass(b, c, data, res)
	}
	dense := pass(b, must.Get(documents(b, n, p, 50, k).Dense())(b))
	sparse := documents(b, n, p, 50, k)
	b.ReportMetric(float64(sparse.Entries())/n, "entries/row")
	one := pass(b, sparse)
	for b.Loop() {
	}
	b.ReportMetric(1e3*one, "ms/pass")
	b.ReportMetric(1e3*dense, "ms/dense")
	b.ReportMetric(dense/one, "dense/sparse")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSparseFit is fits of 20 iterations of 100 000 documents of 100 000 terms.
func BenchmarkSparseFit(b *testing.B) {
	const n, p, k = 100_000, 100_000, 50
	sources := make([]matrix.Source, p)
	for l := range sources {
		sources[l].Name = strconv.Itoa(l)
	}
	data, _, problem, err := matrix.Prepare(documents(b, n, p, 50, k), sources, matrix.Scaling{Center: "mean", Scale: "none"}, nil)
	must.Do(b, err)
	defer func() { _ = data.Close() }()
	problem.K, problem.Seed, problem.Params = k, 1, must.Get(skfr.KMeans{}.Describe().Resolve(nil))(b)
	c := must.Get(skfr.KMeans{}.New(problem))(b)
	centers := framework.NewMatrix(k, p)
	for j := range k {
		copy(centers.Row(j), framework.Cells(data, j*n/k))
	}
	for _, threads := range []int{1, 2} {
		b.Run("threads="+strconv.Itoa(threads), func(b *testing.B) {
			for b.Loop() {
				res := must.Get(fit.Run(b.Context(), c, problem, data, fit.Start{Centers: &centers},
					fit.Settings{Init: "random", InitSpace: fit.Fitted, Restarts: 1, MaxIter: 20, Empty: framework.Origin, Threads: threads}, nil))(b)
				b.ReportMetric(res.Seconds.Iterations, "s/iterations")
			}
		})
	}
}
