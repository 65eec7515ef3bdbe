package skfr_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// same compares results bit for bit, but for which worker did what.
var same = cmp.Options{cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"), cmpopts.EquateNaNs()}

// total returns the sum of the losses of the observed cells from the origin:
// the scale of rounding errors.
func (b blocks) total() (sum float64) {
	for _, v := range b.X.Data {
		if v == v {
			sum += v*v + math.Abs(v)
		}
	}
	return sum
}

func TestObjectiveNeverRises(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = v.empty })
		for i := 1; i < len(res.Trace); i++ {
			if rise := res.Trace[i].Objective - res.Trace[i-1].Objective; rise > 1e-9*b.total() {
				t.Fatalf("iteration %d: the objective rises by %g from %g", i+1, rise, res.Trace[i-1].Objective)
			}
		}
	})
}

func TestObjectiveEqualsTheInertiaMeasuredFromRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = v.empty })
		if math.Abs(res.Objective-res.Inertia) > 1e-12*b.total() {
			t.Fatalf("objective %v, but the distances of the rows add up to %v", res.Objective, res.Inertia)
		}
	})
}

func TestThreadsChangeNothing(t *testing.T) {
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			b := noisyBlocks(v)
			one := b.run(t, v.algorithm, 7, v.params, fit.Start{}, func(s *fit.Settings) { s.Empty, s.MaxIter = v.empty, 20 })
			for _, threads := range []int{2, 3} {
				more := b.run(t, v.algorithm, 7, v.params, fit.Start{}, func(s *fit.Settings) { s.Empty, s.MaxIter, s.Threads = v.empty, 20, threads })
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

// noisyBlocks is rows for several workers, of which every sum is rounded:
// fractional numbers far from the origin, and fractional weights.
func noisyBlocks(v variant) blocks {
	const n, p = 5*1024 + 300, 6
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
		want := b.plain(t, res.clusterer, labels)
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
			if err := c.Collect(block, nil, labels[block.Row0:][:block.X.Rows], stats); err != nil {
				t.Fatal(err)
			}
		}
		step, err := c.Update(t.Context(), m, stats, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Project(m, framework.Centers, *step.At[framework.Centers]); err != nil {
			t.Fatal(err)
		}
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
	for _, name := range []string{"kmeans", "kmeans/observed", "kmeans/kpod", "skfr/global", "skfr/observed", "skfr/local"} {
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

func TestCentersHaveAtMostSparsityFeatures(t *testing.T) {
	for _, scope := range []string{"global", "local"} {
		t.Run(scope, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := drawBlocks(t, 12, 4, true)
				res := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2", "scope": scope}, drawLabels(t, 12, 3), nil)
				seen := make([]bool, 4)
				for j := range 3 {
					own := 0
					for l, v := range res.Model.Centers.Row(j) {
						if v != 0 {
							own, seen[l] = own+1, true
						}
					}
					if own > 2 {
						t.Fatalf("center %d has %d features", j, own)
					}
				}
				columns := 0
				for _, s := range seen {
					if s {
						columns++
					}
				}
				if scope == "global" && columns > 2 {
					t.Fatalf("the centers have %d features together", columns)
				}
			})
		})
	}
}

func TestAllFeaturesOnCompleteDataIsKMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, false)
		start := drawLabels(t, n, k)
		plain := b.run(t, skfr.KMeans{}, k, nil, start, nil)
		for _, scope := range []string{"global", "local"} {
			all := b.run(t, skfr.SKFR{}, k, map[string]string{"sparsity": "3", "scope": scope}, start, nil)
			if diff := cmp.Diff(plain.Labels, all.Labels); diff != "" {
				t.Fatalf("scope=%s: %s", scope, diff)
			}
			if diff := cmp.Diff(plain.Model.Centers, all.Model.Centers); diff != "" {
				t.Fatalf("scope=%s: %s", scope, diff)
			}
		}
	})
}

func TestMissingIsIgnoredOnCompleteData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t, 15, 3, false)
		start := drawLabels(t, 15, 3)
		observed := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2"}, start, nil)
		for _, missing := range []string{"kpod", "error"} {
			other := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2", "missing": missing}, start, nil)
			if diff := cmp.Diff(observed.Result, other.Result, same); diff != "" {
				t.Fatalf("missing=%s: %s", missing, diff)
			}
		}
	})
}

func TestAWeightIsThatManyEqualRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 10).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		start := drawLabels(t, n, k)
		b.Weights = make([]float64, n)
		repeated := blocks{clustertest.Rows{Size: b.Size, X: framework.Matrix{Cols: 3}}}
		var labels []int32
		for i := range n {
			least := 0
			if i < k { // no more clusters than repeated rows
				least = 1
			}
			b.Weights[i] = float64(rapid.IntRange(least, 3).Draw(t, "weight"))
			for range int(b.Weights[i]) {
				repeated.X.Data = append(repeated.X.Data, b.X.Row(i)...)
				labels = append(labels, start.Labels[i])
			}
		}
		repeated.X.Rows = len(labels)
		weighted := b.run(t, v.algorithm, k, v.params, start, nil)
		rows := repeated.run(t, v.algorithm, k, v.params, fit.Start{Labels: labels}, nil)
		at := 0
		for i, w := range b.Weights {
			for range int(w) {
				if rows.Labels[at] != weighted.Labels[i] {
					t.Fatalf("row %d has label %d, and %d when it is repeated", i, weighted.Labels[i], rows.Labels[at])
				}
				at++
			}
		}
		if math.Abs(weighted.Objective-rows.Objective) > 1e-12*repeated.total() {
			t.Fatalf("objective %v, and %v with repeated rows", weighted.Objective, rows.Objective)
		}
	})
}

func TestGainIsTheRiseOfTheObjectiveWhenAFeatureIsDropped(t *testing.T) {
	for _, missing := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			b := drawBlocks(t, 12, 3, missing)
			res := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "3"}, drawLabels(t, 12, 3), nil)
			for _, f := range res.clusterer.(framework.Selector).Features(res.Model) {
				var with, without float64
				for i, j := range res.Labels {
					if v := b.X.Row(i)[f.Column]; v == v {
						d := v - res.Model.Centers.Row(int(j))[f.Column]
						with, without = with+d*d, without+v*v
					}
				}
				if math.Abs(f.Gain-(without-with)) > 1e-12*b.total() {
					t.Fatalf("feature %d: gain %v, but dropping it raises the objective by %v", f.Column, f.Gain, without-with)
				}
			}
		})
	}
}

func TestRanksCountDownTheGains(t *testing.T) {
	b := blocks{clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{
		1, 3, 0,
		1, 3, 0,
		-1, -3, 0,
		-1, -3, 0,
	}}}}
	res := b.run(t, skfr.SKFR{}, 2, map[string]string{"sparsity": "1"}, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	want := []framework.Feature{ // gains by hand: 2·1² + 2·1², 2·3² + 2·3², 0
		{Column: 0, Cluster: -1, Gain: 4, Rank: 2, Weight: math.NaN()},
		{Column: 1, Cluster: -1, Gain: 36, Rank: 1, Weight: math.NaN(), Selected: true},
		{Column: 2, Cluster: -1, Gain: 0, Rank: 3, Weight: math.NaN()},
	}
	if diff := cmp.Diff(want, res.clusterer.(framework.Selector).Features(res.Model), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestNoDriftOfMovedSumsIsLeftInTheResult(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		if v.params["missing"] == "kpod" {
			return // its means depend on the centers before, and so on the path
		}
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		noise := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range b.X.Data {
			b.X.Data[i] += noise.Float64() - 0.5 // sums are rounded, and there are no ties
		}
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), nil)
		anew := b.run(t, v.algorithm, k, v.params, fit.Start{Labels: res.Labels}, func(s *fit.Settings) { s.MaxIter = 0 })
		if diff := cmp.Diff(anew.Model.Centers, res.Model.Centers); diff != "" {
			t.Fatalf("centers computed from the final labels differ: %s", diff)
		}
	})
}

func TestARestartForgetsTheOnesBefore(t *testing.T) {
	for _, name := range []string{"skfr/kpod", "skfr/local/kpod", "kmeans/reseed"} {
		t.Run(name, func(t *testing.T) {
			v := variants()[name]
			rapid.Check(t, func(t *rapid.T) {
				b := drawBlocks(t, 12, 3, v.missing)
				all := b.run(t, v.algorithm, 3, v.params, fit.Start{}, func(s *fit.Settings) { s.Restarts = 3; s.Init = "random" })
				seeder, err := seeding.New("random", b, seeding.Options{K: 3, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				for r := range 3 {
					labels, err := seeder.Labels(context.Background(), r, 1)
					if err != nil {
						t.Fatal(err)
					}
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
			})
		})
	}
}

func TestObjectiveFarFromTheOriginKeepsItsDigits(t *testing.T) {
	near := noisyBlocks(variant{})
	far := near
	far.X = near.X.Clone()
	for i := range far.X.Data {
		// Multiples of 2⁻¹⁰ below 2³⁰ are exact, near and far.
		near.X.Data[i] = math.Round(near.X.Data[i]*1024) / 1024
		far.X.Data[i] = near.X.Data[i] + 1e9
	}
	start := fit.Start{Labels: make([]int32, near.X.Rows)}
	for i := range start.Labels {
		start.Labels[i] = int32(i % 5)
	}
	want := near.run(t, skfr.KMeans{}, 5, nil, start, nil)
	got := far.run(t, skfr.KMeans{}, 5, nil, start, nil)
	if diff := cmp.Diff(want.Labels, got.Labels); diff != "" {
		t.Error(diff)
	}
	// The mean of a column near 1e9 is rounded by up to 6e-8, and of an origin as
	// far as its sd from it, the sum of squares by twice that in proportion.
	if math.Abs(want.Objective-got.Objective) > 2e-7*want.Objective || math.Abs(got.Inertia-got.Objective) > 2e-7*got.Objective {
		t.Errorf("objective %v and inertia %v; without the offset %v", got.Objective, got.Inertia, want.Objective)
	}
}

func TestNoRowOfASettledRunIsNearerToAnotherCenter(t *testing.T) {
	for _, name := range []string{"kmeans", "kmeans/reseed", "kmeans/observed", "kmeans/l1", "skfr/global", "skfr/local"} {
		t.Run(name, func(t *testing.T) {
			v := variants()[name]
			rapid.Check(t, func(t *rapid.T) {
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
			})
		})
	}
}

func TestRoundingAtTiesDoesNotKeepARunGoing(t *testing.T) {
	for _, name := range []string{"kmeans", "skfr/global", "skfr/observed", "skfr/local"} {
		t.Run(name, func(t *testing.T) {
			v := variants()[name]
			rapid.Check(t, func(t *rapid.T) {
				n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
				b := drawBlocks(t, n, 3, v.missing)
				for i := range b.X.Data {
					b.X.Data[i] *= 0.1 // sums are rounded, and ties are frequent
				}
				// A grid of 20 rows settles within 30 iterations (seen in 100 000 draws).
				res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), nil)
				if !res.Converged || res.Iterations > 40 {
					t.Fatalf("%d iterations, stop %q: %v", res.Iterations, res.Stop, res.Trace)
				}
			})
		})
	}
}
