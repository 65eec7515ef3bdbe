package means_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// weightings are ways to choose the weights of p features: most of them keep
// some features and drop others of the rows below.
func weightings(p int) map[string]means.Weighting {
	pairs, factors := make([][]int, (p+1)/2), make([]float64, (p+1)/2)
	for l := range p {
		pairs[l/2] = append(pairs[l/2], l)
		factors[l/2] = math.Sqrt(2)
	}
	with := func(set framework.Set, perRow bool) means.Weighting {
		return means.Weighting{Set: set, PerRow: perRow, Tol: 1e-4, Updates: 50}
	}
	return map[string]means.Weighting{
		"l1 = 1":   with(weightset.Bounded{L1: 1}, false),
		"l1 = 1.3": with(weightset.Bounded{L1: 1.3}, false),
		"l1 = √p":  with(weightset.Bounded{L1: math.Sqrt(float64(p))}, false),
		"λ = 0":    with(weightset.Grouped{Groups: pairs, Factors: factors}, true),
		"λ = 0.3":  with(weightset.Grouped{Lambda: 0.3, Groups: pairs, Factors: factors}, true),
		"λ = 3":    with(weightset.Grouped{Lambda: 3, Groups: pairs, Factors: factors}, true),
	}
}

func init() { clustertest.FewDraws() }

func eachWeighting(t *testing.T, p int, law func(t *rapid.T, w means.Weighting)) {
	for name, w := range weightings(p) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, w) })
		})
	}
}

// drawRows draws n rows of which one feature in two tells four groups apart. On a
// grid, ties and equal rows are frequent.
func drawRows(t *rapid.T, n, p int, grid, missing bool) clustertest.Rows {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	r := clustertest.Rows{X: framework.NewMatrix(n, p), Size: rapid.IntRange(1, n).Draw(t, "block rows")}
	for i := range n {
		for l := range p {
			v := random.NormFloat64() + float64(l%2*(i%4-2))
			if grid {
				v = math.Round(v)
			}
			if missing && random.IntN(6) == 0 {
				v = math.NaN()
			}
			r.X.Row(i)[l] = v
		}
	}
	return r
}

func drawStart(t *rapid.T, n, k int) fit.Start {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(rapid.IntRange(0, k-1).Draw(t, "label"))
	}
	return fit.Start{Labels: labels}
}

// weigh fits with the weighting.
func weigh(t clustertest.T, r clustertest.Rows, k int, w means.Weighting, start fit.Start, change func(*fit.Settings)) clustertest.Fitted {
	t.Helper()
	p := r.Problem(k)
	return r.Run(t, means.NewWeighted(p, w), p, start, change)
}

func row(w []float64) framework.Matrix { return framework.Matrix{Rows: 1, Cols: len(w), Data: w} }

// between computes the gains from the rows.
func between(r clustertest.Rows, labels []int32, k int) []float64 {
	b := make([]float64, r.X.Cols)
	for l := range b {
		mass, sum := make([]float64, k), make([]float64, k)
		var all, total float64
		for i, j := range labels {
			v, w := r.X.Row(i)[l], 1.0
			if r.Weights != nil {
				w = r.Weights[i]
			}
			if v != v || j < 0 {
				continue
			}
			mass[j], sum[j], all, total = mass[j]+w, sum[j]+w*v, all+w, total+w*v
		}
		for j, m := range mass {
			if m > 0 {
				d := sum[j]/m - total/all
				b[l] += m * d * d
			}
		}
	}
	return b
}

func TestTheCriterionNeverFallsFromTheFirstFeasibleWeightsOn(t *testing.T) {
	eachWeighting(t, 5, func(t *rapid.T, w means.Weighting) {
		n, k := rapid.IntRange(6, 40).Draw(t, "n"), rapid.IntRange(2, 5).Draw(t, "k")
		r := drawRows(t, n, 5, rapid.Bool().Draw(t, "grid"), rapid.Bool().Draw(t, "missing"))
		w.Tol = rapid.SampledFrom([]float64{0, 1e-4, 0.1}).Draw(t, "tol")
		settings := fit.Settings{Restarts: 1, MaxIter: 1000, Threads: 1, InitSpace: "fitted",
			Empty: rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin}).Draw(t, "empty")}
		// 1/√p is feasible without a bound of ‖w‖₁, else the first weights from the set are.
		_, feasible := w.Set.(weightset.Grouped)
		w.Set = noted{w.Set, &feasible}
		last := math.Inf(-1)
		p := r.Problem(k)
		res := must.Get(fit.Run(t.Context(), means.NewWeighted(p, w), p, r, drawStart(t, n, k), settings, func(it fit.Iteration) {
			if it.Objective < last-1e-9*(1+math.Abs(last)) {
				t.Fatalf("iteration %d: the criterion falls from %v to %v", it.Iteration, last, it.Objective)
			}
			if feasible {
				last = it.Objective
			}
		}))(t)
		if !res.Converged {
			t.Fatalf("stop %q after %d iterations", res.Stop, res.Iterations)
		}
	})
}

// noted is a set that notes when weights were taken from it.
type noted struct {
	framework.Set
	taken *bool
}

func (s noted) Project(dst framework.Matrix, at framework.Point) error {
	*s.taken = true
	return s.Set.Project(dst, at)
}

func TestTheResultHasTheBestWeightsForItsLabels(t *testing.T) {
	eachWeighting(t, 4, func(t *rapid.T, w means.Weighting) {
		n, k := rapid.IntRange(6, 30).Draw(t, "n"), rapid.IntRange(2, 4).Draw(t, "k")
		r := drawRows(t, n, 4, rapid.Bool().Draw(t, "grid"), rapid.Bool().Draw(t, "missing"))
		if rapid.Bool().Draw(t, "weighted") {
			r.Weights = make([]float64, n)
			for i := range r.Weights {
				r.Weights[i] = 0.3 * float64(rapid.IntRange(1, 4).Draw(t, "weight"))
			}
		}
		most := rapid.SampledFrom([]int{0, 1, 2, 3, 1000}).Draw(t, "max iter")
		tol := rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "tol")
		res := weigh(t, r, k, w, drawStart(t, n, k), func(s *fit.Settings) { s.MaxIter, s.Tol = most, tol })
		if res.Iterations > most || !res.Converged != (res.Stop == fit.MaxIter) {
			t.Fatalf("%d iterations of %d, stop %q, converged %v", res.Iterations, most, res.Stop, res.Converged)
		}
		if res.Stop == framework.AllZero {
			return
		}
		b := between(r, res.Labels, k)
		if w.PerRow {
			for l := range b {
				b[l] /= res.Problem.Mass
			}
		}
		if diff := cmp.Diff(b, res.Model.Gain, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
			t.Fatalf("gains: %s", diff)
		}
		best := framework.NewMatrix(1, 4)
		must.Do(t, w.Set.Project(best, framework.Point{X: row(res.Model.Gain)}))
		if diff := cmp.Diff(best.Data, res.Model.FeatureWeights); diff != "" {
			t.Fatalf("weights, stop %q: %s", res.Stop, diff)
		}
		objective := -w.Set.Penalty(best)
		for l, v := range best.Data {
			objective += v * b[l]
		}
		if math.Abs(objective-res.Objective) > 1e-9*(1+math.Abs(objective)) {
			t.Fatalf("objective %v, but from rows it is %v", res.Objective, objective)
		}
		// No drift is left: from the final labels, the same bits follow.
		again := weigh(t, r, k, w, fit.Start{Labels: res.Labels}, func(s *fit.Settings) { s.MaxIter = 0 })
		if diff := cmp.Diff(again.Model.FeatureWeights, res.Model.FeatureWeights); diff != "" {
			t.Fatalf("weights computed from the final labels differ: %s", diff)
		}
	})
}

func TestWithoutAnyWeightRowsHaveNoLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	r := clustertest.Rows{X: framework.NewMatrix(40, 3), Size: 7}
	for i := range r.X.Data {
		r.X.Data[i] = random.NormFloat64()
	}
	for name, c := range map[string]struct {
		k int
		w means.Weighting
	}{
		"a large penalty": {3, weightings(3)["λ = 3"]},
		"one cluster":     {1, weightings(3)["l1 = 1.3"]},
	} {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{0, 1, 100} {
				res := weigh(t, r, c.k, c.w, fit.Start{}, func(s *fit.Settings) { s.MaxIter, s.Restarts = most, 3 })
				if res.Stop != framework.AllZero || res.Objective != 0 {
					t.Errorf("max_iter %d: stop %q, objective %v", most, res.Stop, res.Objective)
				}
				must.Equal(t, make([]float64, 3), res.Model.FeatureWeights)
				for i, j := range res.Labels {
					if j != -1 || !math.IsNaN(res.Distance[i]) || res.Second[i] != -1 {
						t.Fatalf("row %d has label %d, distance %v, second %d", i, j, res.Distance[i], res.Second[i])
					}
				}
			}
		})
	}
}

func TestRoundingGivesNoWeightsWhereClustersDoNotDiffer(t *testing.T) {
	eachWeighting(t, 3, func(t *rapid.T, w means.Weighting) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		r := drawRows(t, n, 3, false, rapid.Bool().Draw(t, "missing"))
		offset := rapid.SampledFrom([]float64{0, 0.3, 1e3, 1e6}).Draw(t, "offset")
		r.Weights = make([]float64, n)
		for i := range r.Weights {
			r.Weights[i] = 0.1 * float64(rapid.IntRange(1, 9).Draw(t, "weight"))
		}
		for i := range r.X.Data {
			r.X.Data[i] += offset
		}
		// The second cluster has no row, or the rows of the first once more: all
		// means are equal.
		start := fit.Start{Labels: make([]int32, n)}
		if rapid.Bool().Draw(t, "twice") {
			backwards := clustertest.Rows{X: framework.NewMatrix(2*n, 3), Size: 2 * n, Weights: make([]float64, 2*n)}
			for i := range 2 * n {
				from := min(i, 2*n-1-i)
				copy(backwards.X.Row(i), r.X.Row(from))
				backwards.Weights[i] = r.Weights[from]
				start.Labels = append(start.Labels[:i], int32(i/n))
			}
			r = backwards
		}
		res := weigh(t, r, 2, w, start, func(s *fit.Settings) { s.MaxIter, s.Empty = 0, framework.Origin })
		if res.Stop != framework.AllZero {
			t.Fatalf("stop %q, weights %v for the gains %v", res.Stop, res.Model.FeatureWeights, res.Model.Gain)
		}
	})
}

func TestAWeightOfARowIsThatManyEqualRows(t *testing.T) {
	eachWeighting(t, 3, func(t *rapid.T, w means.Weighting) {
		n, k := rapid.IntRange(4, 12).Draw(t, "n"), rapid.IntRange(2, 3).Draw(t, "k")
		r := drawRows(t, n, 3, false, rapid.Bool().Draw(t, "missing"))
		start := drawStart(t, n, k)
		r.Weights = make([]float64, n)
		repeated := clustertest.Rows{Size: 5, X: framework.Matrix{Cols: 3}}
		var labels, from []int32
		for i := range n {
			r.Weights[i] = float64(rapid.IntRange(1, 3).Draw(t, "weight"))
			for range int(r.Weights[i]) {
				repeated.X.Data = append(repeated.X.Data, r.X.Row(i)...)
				labels, from = append(labels, start.Labels[i]), append(from, int32(i))
			}
		}
		repeated.X.Rows = len(labels)
		origin := func(s *fit.Settings) { s.Empty = framework.Origin } // a reseeded row takes all its weight along
		weighted := weigh(t, r, k, w, start, origin)
		rows := weigh(t, repeated, k, w, fit.Start{Labels: labels}, origin)
		for i, j := range rows.Labels {
			if j != weighted.Labels[from[i]] {
				t.Fatalf("row %d has label %d, and %d when it is repeated", from[i], weighted.Labels[from[i]], j)
			}
		}
		must.Equal(t, weighted.Model.FeatureWeights, rows.Model.FeatureWeights, cmpopts.EquateApprox(0, 1e-9))
	})
}

func TestThreadsChangeNoWeight(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const n, p = 3*1024 + 300, 6
	r := clustertest.Rows{X: framework.NewMatrix(n, p), Size: 250, Weights: make([]float64, n)}
	for i := range n {
		r.Weights[i] = random.Float64() + 0.1
		for l := range p {
			r.X.Row(i)[l] = random.NormFloat64() + float64(l%2*(i%5))
			if random.IntN(20) == 0 {
				r.X.Row(i)[l] = math.NaN()
			}
		}
	}
	same := cmp.Options{cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"), cmpopts.EquateNaNs()}
	for name, w := range weightings(p) {
		t.Run(name, func(t *testing.T) {
			run := func(threads int) *fit.Result {
				return weigh(t, r, 5, w, fit.Start{}, func(s *fit.Settings) { s.Threads, s.Restarts, s.MaxIter = threads, 3, 40 }).Result
			}
			one := run(1)
			counts := []int{3}
			if clustertest.Campaign {
				counts = []int{2, 5}
			}
			for _, threads := range counts {
				if diff := cmp.Diff(one, run(threads), same); diff != "" {
					t.Errorf("%d threads: %s", threads, diff)
				}
			}
		})
	}
}

func TestARestartForgetsTheWeightsOfTheOneBefore(t *testing.T) {
	eachWeighting(t, 4, func(t *rapid.T, w means.Weighting) {
		r := drawRows(t, 25, 4, true, false)
		all := weigh(t, r, 3, w, fit.Start{}, func(s *fit.Settings) { s.Restarts, s.Init = 3, "random" })
		for restart := range 3 {
			seeder := must.Get(seeding.New("random", r, seeding.Options{K: 3, Seed: 1, Restarts: 3}))(t)
			labels := must.Get(seeder.Labels(t.Context(), restart, 1))(t)
			alone := weigh(t, r, 3, w, fit.Start{Labels: labels}, nil)
			var part []fit.Iteration
			for _, it := range all.Trace {
				if it.Restart == restart {
					it.Restart = 0
					part = append(part, it)
				}
			}
			if diff := cmp.Diff(alone.Trace, part); diff != "" {
				t.Fatalf("restart %d: %s", restart, diff)
			}
		}
	})
}
