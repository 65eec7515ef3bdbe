package skfr_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestThreadsChangeNothing(t *testing.T) {
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			b := noisyBlocks(v)
			const iterations = 18
			one := b.run(t, v.algorithm, 7, v.params, fit.Start{}, func(s *fit.Settings) { s.Empty, s.MaxIter = v.empty, iterations })
			counts := []int{3}
			if clustertest.Campaign {
				counts = []int{2, 3}
			}
			for _, threads := range counts {
				more := b.run(t, v.algorithm, 7, v.params, fit.Start{}, func(s *fit.Settings) {
					s.Empty, s.MaxIter, s.Threads = v.empty, iterations, threads
				})
				if len(more.BlocksByWorker) != threads {
					t.Fatalf("only %d workers", len(more.BlocksByWorker))
				}
				if diff := cmp.Diff(one.Result, more.Result, same); diff != "" {
					t.Fatalf("%d threads: %s", threads, diff)
				}
			}
		})
	}
}

// noisyBlocks is rows for three workers, of which every sum is rounded:
// fractional numbers far from the origin, and fractional weights.
func noisyBlocks(v variant) blocks {
	const n, p = 3*1024 + 300, 6
	random := rand.New(rand.NewPCG(7, 7))
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: 250, Weights: make([]float64, n)}}
	for i := range n {
		b.Weights[i] = random.Float64() + 0.1
		for l := range p {
			b.X.Row(i)[l] = random.NormFloat64() + 1e3*float64(l) + float64(i%5*l)
			if v.missing && random.IntN(20) == 0 {
				b.X.Row(i)[l] = math.NaN()
			}
		}
	}
	return b
}

func TestRunsEqualThoseOfThePlainDriver(t *testing.T) {
	variants := variants()
	random := rand.New(rand.NewPCG(3, 3))
	for problem := range 200 {
		v := variants[[]string{"kmeans", "skfr/global"}[problem%2]]
		n, k := 5+random.IntN(60), 1+random.IntN(5)
		b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 2+random.IntN(6)), Size: 1 + random.IntN(n)}}
		values := 2 + random.IntN(6) // few: ties and equal rows are frequent
		for i := range b.X.Data {
			b.X.Data[i] = float64(random.IntN(values) - values/2)
		}
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(random.IntN(k))
		}
		res := b.run(t, v.algorithm, k, v.params, fit.Start{Labels: labels}, func(s *fit.Settings) { s.Threads = 2 })
		want := b.plain(t, res.Clusterer, labels)
		if diff := cmp.Diff(want, res.Labels); diff != "" {
			t.Errorf("problem %d, %d × %d, k = %d: %s", problem, n, b.X.Cols, k, diff)
		}
	}
}

// plain runs without bounds, moved sums, workers and kernels: each pass collects
// all statistics, and measures every row from every center.
func (b blocks) plain(t *testing.T, c framework.Clusterer, start []int32) []int32 {
	t.Helper()
	labels := append([]int32(nil), start...)
	m := c.Begin()
	for range 100 {
		stats := framework.NewStats(c.Plan().Stats)
		for i := range b.Blocks() {
			block := b.Block(i)
			must.Do(t, c.Collect(block, nil, labels[block.Row0:][:block.X.Rows], stats))
		}
		step := must.Get(c.Update(t.Context(), m, stats, nil, nil))(t)
		must.Get(c.Project(m, framework.Centers, *step.At[framework.Centers]))(t)
		moved := 0
		for i := range labels {
			best, label := math.Inf(1), int32(0)
			for j := range m.Centers.Rows {
				d := 0.0
				for l, x := range b.X.Row(i) {
					if m.Selected == nil || m.Selected[l] {
						d = math.FMA(x-m.Centers.Row(j)[l], x-m.Centers.Row(j)[l], d)
					}
				}
				if d < best {
					best, label = d, int32(j)
				}
			}
			if labels[i] != label {
				labels[i] = label
				moved++
			}
		}
		if moved == 0 {
			return labels
		}
	}
	t.Fatal("the plain driver does not settle")
	return nil
}

func TestIterationsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"kmeans", "kmeans/observed", "kmeans/kpod", "skfr/global", "skfr/observed", "skfr/local",
		"groups", "groups/local"} {
		t.Run(name, func(t *testing.T) {
			v := variants()[name]
			b := noisyBlocks(v)
			start := fit.Start{Labels: make([]int32, b.X.Rows)}
			for i := range start.Labels {
				start.Labels[i] = int32(i % 40)
			}
			allocations := func(iterations int) float64 {
				return clustertest.FewestAllocations(func() {
					res := b.run(t, v.algorithm, 40, v.params, start, func(s *fit.Settings) { s.MaxIter, s.Empty = iterations, framework.Origin })
					if res.Iterations != iterations {
						t.Fatalf("%d iterations", res.Iterations)
					}
				})
			}
			// The trace grows now and then, and the rooms of a worker on the first
			// large shard that it meets: less than once an iteration.
			if few, many := allocations(4), allocations(12); many >= few+8 {
				t.Errorf("%v allocations in 4 iterations, %v in 12", few, many)
			}
		})
	}
}

func TestARestartForgetsTheOnesBefore(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		b := drawBlocks(t, 12, 3, v.missing)
		all := b.run(t, v.algorithm, 3, v.params, fit.Start{}, func(s *fit.Settings) { s.Restarts = 3; s.Init = "random" })
		seeder := must.Get(seeding.New("random", b, seeding.Options{K: 3, Seed: 1}))(t)
		for r := range 3 {
			labels := must.Get(seeder.Labels(context.Background(), r, 1))(t)
			alone := b.run(t, v.algorithm, 3, v.params, fit.Start{Labels: labels}, nil)
			var part []fit.Iteration
			for _, it := range all.Trace {
				if it.Restart == r {
					it.Restart = 0
					part = append(part, it)
				}
			}
			if diff := cmp.Diff(alone.Trace, part); diff != "" {
				t.Fatalf("restart %d: %s", r, diff)
			}
		}
	}, "skfr/kpod", "skfr/local/kpod", "kmeans/reseed")
}

func TestNoRowOfASettledRunIsNearerToAnotherCenter(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 40).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = v.empty })
		if res.Stop != fit.Settled {
			t.Fatalf("stop %q", res.Stop)
		}
		for i, margin := range res.Margin {
			if margin < -1e-12 {
				t.Fatalf("row %d is nearer to cluster %d than to its own, %d, by %g", i, res.Second[i], res.Labels[i], -margin)
			}
		}
	}, "kmeans", "kmeans/reseed", "kmeans/observed", "kmeans/l1", "skfr/global", "skfr/local")
}

// The scratch of a fit may have been that of one before, with other labels, other columns and another model.
func TestAFitAfterOthersHasTheBitsOfTheFirst(t *testing.T) {
	for _, d := range []design{{"", 400, 20, 10, 20, 10, 1}, {"", 3000, 60, 6, 20, 9, 1}, {"", 1500, 40, 140, 40, 0, 1}} {
		c, p, data := d.problem(t)
		run := func(c framework.Clusterer, rows, threads int) *fit.Result {
			start := fit.Start{Rows: rand.New(rand.NewPCG(2, uint64(rows))).Perm(d.n)[:d.k]}
			settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 30, Empty: framework.Reseed, Threads: threads}
			return must.Get(fit.Run(t.Context(), c, p, data, start, settings, nil))(t)
		}
		for i := range 6 {
			fresh, _, rows := d.problem(t)
			want := run(fresh, i/2, 1)
			if diff := cmp.Diff(want, run(c, i/2, 1+i%2), same); diff != "" {
				t.Errorf("%d×%d, fit %d: %s", d.n, d.p, i, diff)
			}
			must.Do(t, rows.Close())
		}
		must.Do(t, data.Close())
	}
}
