package skfr_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// design is a mixture of k normal clusters whose centers are drawn with the
// given spread in the first informative columns; the others are noise.
type design struct {
	name                    string
	n, p, k, informative, s int
	spread                  float64
}

// The sizes are those of docs/performance.md.
var designs = []design{
	{"A", 200_000, 50, 20, 50, 0, 0.8},
	{"B", 1_000_000, 20, 10, 20, 0, 0.8},
	{"C", 20_000, 1000, 10, 20, 0, 1},
	{"C/s=20", 20_000, 1000, 10, 20, 20, 1},
	{"k=100", 100_000, 128, 100, 128, 0, 0.3},
	{"k=1000", 50_000, 256, 1000, 256, 0, 0.3},
	{"E/p=20", 400, 20, 10, 20, 10, 1},
	{"E/p=100", 400, 100, 10, 20, 10, 1},
	{"E/p=1000", 400, 1000, 10, 20, 10, 1},
}

func (d design) problem(b testing.TB) (framework.Clusterer, framework.Problem, *matrix.Data) {
	r := rand.New(rand.NewPCG(1, uint64(d.n*d.p)))
	builder := must.Get(matrix.NewBuilder(d.p, matrix.Options{RowsHint: d.n}))(b)
	x := must.Get(builder.Extend(d.n))(b)
	centers := make([]float64, d.k*d.informative)
	for i := range centers {
		centers[i] = d.spread * r.NormFloat64()
	}
	for i := range d.n {
		j := r.IntN(d.k)
		for l := range d.p {
			x[i*d.p+l] = r.NormFloat64()
			if l < d.informative {
				x[i*d.p+l] += centers[j*d.informative+l]
			}
		}
	}
	names := make([]string, d.p)
	recipe := must.Get(matrix.Learn(builder, names, matrix.Scaling{Center: "mean", Scale: "sd"}))(b)
	p := framework.Problem{N: d.n, P: d.p, K: d.k, Mass: float64(d.n), Seed: 1}
	p.Columns = must.Get(recipe.Apply(builder))(b)
	data := must.Get(builder.Seal())(b)
	var a framework.Algorithm = skfr.KMeans{}
	params := map[string]string{}
	if d.s > 0 {
		a, params = skfr.SKFR{}, map[string]string{"sparsity": fmt.Sprint(d.s)}
	}
	p.Params = must.Get(a.Describe().Resolve(params))(b)
	c := must.Get(a.New(p))(b)
	return c, p, data
}

// BenchmarkFit is one run from random rows as centers to convergence.
func BenchmarkFit(b *testing.B) {
	for _, d := range designs {
		b.Run(d.name, func(b *testing.B) {
			c, p, data := d.problem(b)
			defer func() { _ = data.Close() }()
			r := rand.New(rand.NewPCG(2, 2))
			centers := framework.NewMatrix(d.k, d.p)
			for j, i := range r.Perm(d.n)[:d.k] {
				for n := range data.Blocks() {
					if b := data.Block(n); i >= b.Row0 && i < b.Row0+b.X.Rows {
						copy(centers.Row(j), b.X.Row(i-b.Row0))
					}
				}
			}
			start := fit.Start{Centers: &centers}
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
					settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Reseed, Threads: threads}
					b.ReportAllocs()
					for b.Loop() {
						res := must.Get(fit.Run(b.Context(), c, p, data, start, settings, nil))(b)
						b.ReportMetric(float64(res.Iterations), "iterations")
						b.ReportMetric(res.Seconds.Iterations*1e6, "µs/run")
					}
				})
			}
		})
	}
}

// BenchmarkIteration times single iterations of a run, between its reports. An
// iteration that collects all sums anew and those before the 10th are left out of
// the median. "full" is a pass that measures every row and
// collects every sum, which each iteration would be without bounds and moved
// sums; "passes/run" is a whole run in such passes.
func BenchmarkIteration(b *testing.B) {
	for _, d := range designs {
		if d.n < 1000 {
			continue
		}
		b.Run(d.name, func(b *testing.B) {
			c, p, data := d.problem(b)
			defer func() { _ = data.Close() }()
			start := fit.Start{Rows: rand.New(rand.NewPCG(2, 2)).Perm(d.n)[:d.k]}
			settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Reseed, Threads: 1}
			var each []float64
			var res *fit.Result
			for b.Loop() {
				last := time.Now()
				res = must.Get(fit.Run(b.Context(), c, p, data, start, settings, func(it fit.Iteration) {
					now := time.Now()
					if it.Iteration > 10 && it.Iteration%16 != 0 {
						each = append(each, now.Sub(last).Seconds())
					}
					last = now
				}))(b)
			}
			if len(each) == 0 {
				b.Fatalf("the run has only %d iterations", res.Iterations)
			}
			slices.Sort(each)
			full := fullPass(b, c, data, res)
			b.ReportMetric(1e3*each[len(each)/2], "ms/median")
			b.ReportMetric(1e3*full, "ms/full")
			b.ReportMetric(full/each[len(each)/2], "full/median")
			b.ReportMetric(res.Seconds.Iterations/full, "passes/run")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fullPass returns the median seconds of assigning all rows without a bound and
// collecting all sums.
func fullPass(b *testing.B, c framework.Clusterer, data *matrix.Data, res *fit.Result) float64 {
	b.Helper()
	panels := make([]framework.Scratch, data.Blocks())
	for i := range panels {
		panels[i] = c.Scratch(data.Block(i).X.Rows)
	}
	labels := slices.Clone(res.Labels)
	stats := framework.NewStats(c.Plan().Stats) // as in a fit, its pages are there already
	var all []float64
	for range 8 {
		for _, v := range stats {
			clear(v)
		}
		m := res.Model.Clone() // a new cache: no bound holds
		m.Cache = nil
		c.(framework.Preparer).Prepare(m)
		began := time.Now()
		for i := range data.Blocks() {
			block := data.Block(i)
			to := labels[block.Row0 : block.Row0+block.X.Rows]
			must.Do(b, c.Assign(m, block, to, panels[i]))
			must.Do(b, c.Collect(block, nil, to, stats))
		}
		all = append(all, time.Since(began).Seconds())
	}
	slices.Sort(all[1:]) // the first packs the panels
	return all[len(all)/2]
}
