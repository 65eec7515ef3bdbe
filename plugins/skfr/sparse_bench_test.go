package skfr_test

import (
	"fmt"
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

// A documentsFit is k-means of documents from k rows that are far from each other.
type documentsFit struct {
	data    *matrix.Data
	problem framework.Problem
	c       framework.Clusterer
	start   fit.Start
}

func newDocumentsFit(b *testing.B, rows *matrix.Builder, k int) documentsFit {
	b.Helper()
	sources := make([]matrix.Source, rows.Cols())
	for l := range sources {
		sources[l].Name = strconv.Itoa(l)
	}
	var f documentsFit
	var err error
	f.data, _, f.problem, err = matrix.Prepare(rows, sources, matrix.Scaling{Center: "none", Scale: "none"}, nil)
	must.Do(b, err)
	f.problem.K, f.problem.Seed, f.problem.Params = k, 1, must.Get(skfr.KMeans{}.Describe().Resolve(nil))(b)
	f.c = must.Get(skfr.KMeans{}.New(f.problem))(b)
	centers := framework.NewMatrix(k, f.problem.P)
	for j := range k {
		copy(centers.Row(j), framework.Cells(f.data, j*f.problem.N/k))
	}
	f.start.Centers = &centers
	return f
}

func (f documentsFit) run(b *testing.B, iterations, threads int) *fit.Result {
	b.Helper()
	return must.Get(fit.Run(b.Context(), f.c, f.problem, f.data, f.start, fit.Settings{Init: "random", InitSpace: fit.Fitted,
		Restarts: 1, MaxIter: iterations, Empty: framework.Origin, Threads: threads}, nil))(b)
}

// BenchmarkSparse is a full pass over 20 000 documents of 10 000 terms, of which about 50
// are in each: all rows are assigned, and all sums collected. "ms/pass" is its time, and
// "dense/sparse" that of the same with all cells, divided by it.
func BenchmarkSparse(b *testing.B) {
	const n, p, k = 20_000, 10_000, 20
	pass := func(rows *matrix.Builder) float64 {
		f := newDocumentsFit(b, rows, k)
		defer func() { _ = f.data.Close() }()
		return fullPass(b, f.c, f.data, f.run(b, 3, 1))
	}
	dense := pass(must.Get(documents(b, n, p, 50, k).Dense())(b))
	sparse := documents(b, n, p, 50, k)
	b.ReportMetric(float64(sparse.Entries())/n, "entries/row")
	one := pass(sparse)
	for b.Loop() {
	}
	b.ReportMetric(1e3*one, "ms/pass")
	b.ReportMetric(1e3*dense, "ms/dense")
	b.ReportMetric(dense/one, "dense/sparse")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSparseFit is fits of documents from rows of theirs, in a process that has fitted before: as large as
// those of bench/sparse.py, and larger. "ms/iterations" is the median of their seeding and iterations.
func BenchmarkSparseFit(b *testing.B) {
	for _, t := range []struct{ n, p, perRow, k int }{{20_000, 10_000, 50, 20}, {20_000, 1000, 30, 20}, {50_000, 20_000, 20, 5}, {100_000, 100_000, 50, 50}} {
		var f documentsFit
		for _, run := range []struct{ iterations, threads int }{{1, 1}, {10, 1}, {10, 2}} {
			b.Run(fmt.Sprintf("%dx%d,k=%d/iterations=%d/threads=%d", t.n, t.p, t.k, run.iterations, run.threads), func(b *testing.B) {
				if f.data == nil {
					f = newDocumentsFit(b, documents(b, t.n, t.p, t.perRow, t.k), t.k)
				}
				var ms []float64
				for b.Loop() {
					took := f.run(b, run.iterations, run.threads).Seconds
					ms = append(ms, 1e3*(took.Seeding+took.Iterations))
				}
				slices.Sort(ms)
				b.ReportMetric(ms[len(ms)/2], "ms/iterations")
			})
		}
		if f.data != nil {
			must.Do(b, f.data.Close())
		}
	}
}
