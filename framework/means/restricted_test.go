package means_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// restrictions are sets for k ≥ 2 centers of 4 features, under what they do.
func restrictions(t must.T, k int) map[string]framework.Set {
	low, high := -0.5, 0.5
	joint := framework.NewMatrix(k, 4) // of feature 1: the first center is below the second
	joint.Row(0)[1], joint.Row(1)[1] = 1, -1
	together := func(sets ...framework.Set) framework.Set {
		return must.Get(intersect.Sets(k, 4, sets, intersect.Names{}))(t)
	}
	inf := math.Inf(1)
	box := constraint.Box{Lo: []float64{low, low, -inf, -inf}, Hi: []float64{high, high, 1, inf}}
	half := constraint.HalfSpace{Where: constraint.Where{Features: []int{1, 2, 3}}, Coef: []float64{1, -2, 1}, Bound: -0.5}
	other := constraint.HalfSpace{Where: half.Where, Coef: []float64{-1, 2, -1}, Bound: 0.7}
	return map[string]framework.Set{
		"box":                   box,
		"a far box":             constraint.Box{Where: constraint.Where{Features: []int{1}}, Lo: []float64{5}, Hi: []float64{6}},
		"fixed":                 constraint.Fixed{Where: constraint.Where{Clusters: []int{1}, Features: []int{1, 3}}, Values: []float64{0.3, -1}},
		"nonnegative":           constraint.NonNegative{},
		"halfspace":             half,
		"between clusters":      constraint.JointHalfSpace{Coef: joint, Bound: -1},
		"simplex":               constraint.Simplex{Radius: 1},
		"l1_ball":               constraint.L1Ball{Radius: 1},
		"l2_ball":               constraint.L2Ball{Radius: 1},
		"monotone":              constraint.Monotone{Where: constraint.Where{Features: []int{3, 1, 0}}},
		"box, halfspace":        together(box, half),
		"slab":                  together(half, other),
		"box, slab":             together(box, half, other),
		"ball, order":           together(constraint.L2Ball{Radius: 1}, constraint.Monotone{Where: constraint.Where{Features: []int{3, 1, 0}}}),
		"ball, nonnegative":     together(constraint.L2Ball{Radius: 1}, constraint.NonNegative{}),
		"halfspaces":            together(half, constraint.HalfSpace{Where: half.Where, Coef: []float64{1, 1, 1}, Bound: 0.3}),
		"box, order, halfspace": together(box, half, constraint.Monotone{Where: constraint.Where{Features: []int{3, 1, 0}}}),
	}
}

// bounds are the restrictions that go with missing cells.
var bounds = map[string]bool{"box": true, "a far box": true, "fixed": true, "nonnegative": true}

// drawRestricted draws rows, a problem and one of the weightings, with the set.
// The problem of a set that ties features has no missing cells.
func drawRestricted(t *rapid.T, name string) (r clustertest.Rows, p framework.Problem, w means.Weighting) {
	n, k := rapid.IntRange(4, 24).Draw(t, "n"), rapid.IntRange(2, 4).Draw(t, "k")
	r = drawRows(t, n, 4, rapid.Bool().Draw(t, "grid"), bounds[name] && rapid.Bool().Draw(t, "missing"))
	if rapid.Bool().Draw(t, "weighted") {
		r.Weights = make([]float64, n)
		for i := range r.Weights {
			r.Weights[i] = 0.3 * float64(rapid.IntRange(1, 4).Draw(t, "weight"))
		}
	}
	p = r.Problem(k)
	p.Centers = restrictions(t, k)[name]
	w = weightings(4)[rapid.SampledFrom([]string{"l1 = 1", "l1 = 1.3", "l1 = √p", "λ = 0", "λ = 0.3"}).Draw(t, "weighting")]
	w.Centers = must.Get(means.Restrict(p, true))(t)
	return r, p, w
}

func eachRestriction(t *testing.T, law func(t *rapid.T, name string)) {
	for name := range restrictions(t, 2) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, name) })
		})
	}
}

// within computes for each feature the sum of squares about centers, and about
// the mean of all, from the rows.
func within(r clustertest.Rows, labels []int32, theta framework.Matrix) (about, total []float64) {
	about, total = make([]float64, r.X.Cols), make([]float64, r.X.Cols)
	for l := range about {
		var mass, sum float64
		each := func(f func(j int32, v, w float64)) {
			for i, j := range labels {
				w := 1.0
				if r.Weights != nil {
					w = r.Weights[i]
				}
				if v := r.X.Row(i)[l]; v == v {
					f(j, v, w)
				}
			}
		}
		each(func(_ int32, v, w float64) { mass, sum = mass+w, sum+w*v })
		each(func(j int32, v, w float64) {
			c := theta.Row(int(j))[l]
			about[l] += w * (v - c) * (v - c)
			total[l] += w * (v - sum/mass) * (v - sum/mass)
		})
	}
	return about, total
}

// criterion is Σ w_l (total_l − within_l) − h(w), from the rows.
func criterion(r clustertest.Rows, w means.Weighting, labels []int32, theta framework.Matrix, weights []float64) float64 {
	about, total := within(r, labels, theta)
	sum, mass := -w.Set.Penalty(row(weights)), 0.0
	for i := range labels {
		if r.Weights == nil {
			mass++
		} else {
			mass += r.Weights[i]
		}
	}
	if !w.PerRow {
		mass = 1
	}
	for l, v := range weights {
		sum += v * (total[l] - about[l]) / mass
	}
	return sum
}

func TestTheCriterionWithRestrictedCentersNeverFallsAndTheyAreInTheirSet(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, name string) {
		r, p, w := drawRestricted(t, name)
		w.Tol = rapid.SampledFrom([]float64{0, 1e-4, 0.1}).Draw(t, "tol")
		settings := fit.Settings{Restarts: 1, MaxIter: 400, Threads: 1, InitSpace: "fitted",
			Empty: rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin}).Draw(t, "empty")}
		_, feasible := w.Set.(weightset.Grouped)
		w.Set = noted{w.Set, &feasible}
		last := math.Inf(-1)
		res := must.Get(fit.Run(t.Context(), means.NewWeighted(p, w), p, r, drawStart(t, r.X.Rows, p.K), settings, func(it fit.Iteration) {
			if it.Objective < last-1e-9*(1+math.Abs(last)) {
				t.Fatalf("iteration %d: the criterion falls from %v to %v", it.Iteration, last, it.Objective)
			}
			if feasible {
				last = it.Objective
			}
		}))(t)
		if off := p.Centers.Violation(res.Model.Centers); off > 1e-7 {
			t.Errorf("the centers %v are %g outside", res.Model.Centers.Data, off)
		}
	})
}

func TestNoOtherCentersOfTheSetAndNoOtherWeightsMakeTheCriterionLarger(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, name string) {
		r, p, w := drawRestricted(t, name)
		w.Tol = 1e-12 // so that centers belong to the last weights
		res := r.Run(t, means.NewWeighted(p, w), p, drawStart(t, r.X.Rows, p.K), func(s *fit.Settings) { s.Empty = framework.Origin })
		if res.Stop != fit.Settled {
			return // all weights are 0, or the limit of updates was met
		}
		m := res.Model
		got := criterion(r, w, res.Labels, m.Centers, m.FeatureWeights)
		scale := 1e-6 * (1 + math.Abs(got))
		if math.Abs(got-res.Objective) > scale {
			t.Fatalf("the objective is %v, and from the rows %v", res.Objective, got)
		}
		for j := range p.K {
			if !slices.Contains(res.Labels, int32(j)) {
				return // a center without rows may move on, and with it others in features of weight 0
			}
		}
		about, total := within(r, res.Labels, m.Centers)
		for l, b := range m.Gain {
			want := total[l] - about[l]
			if w.PerRow {
				want /= p.Mass
			}
			if math.Abs(b-want) > 1e-6*(1+total[l]) {
				t.Errorf("feature %d has the gain %v, but its sums of squares are %v in total and %v about the centers", l, b, total[l], about[l])
			}
		}
		other := m.Centers.Clone()
		for i := range other.Data {
			other.Data[i] += rapid.Float64Range(-1, 1).Draw(t, "step")
		}
		must.Do(t, p.Centers.Project(other, framework.Point{X: other}))
		if more := criterion(r, w, res.Labels, other, m.FeatureWeights); more > got+scale {
			t.Errorf("centers %v have the criterion %v, but %v in the set have %v", m.Centers.Data, got, other.Data, more)
		}
		weights := make([]float64, 4)
		for l := range weights {
			weights[l] = max(0, m.FeatureWeights[l]+rapid.Float64Range(-1, 1).Draw(t, "weight"))
		}
		shrink := 1.0
		for w.Set.Violation(row(weights)) > 0 {
			shrink *= 0.9
			for l := range weights {
				weights[l] *= shrink
			}
		}
		if more := criterion(r, w, res.Labels, m.Centers, weights); more > got+scale {
			t.Errorf("weights %v have the criterion %v, but %v have %v", m.FeatureWeights, got, weights, more)
		}
	})
}

func TestBoundsThatNoCenterMeetsChangeNoBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, w := drawRestricted(t, "box")
		start := drawStart(t, r.X.Rows, p.K)
		p.Centers = constraint.Box{Lo: []float64{-1e6, -1e6, -1e6, -1e6}, Hi: []float64{1e6, 1e6, 1e6, 1e6}}
		w.Centers = must.Get(means.Restrict(p, true))(t)
		wide := r.Run(t, means.NewWeighted(p, w), p, start, nil)
		w.Centers = nil
		free := weigh(t, r, p.K, w, start, nil)
		if !cmp.Equal(free.Labels, wide.Labels) || !cmp.Equal(free.Model.Centers, wide.Model.Centers) ||
			!cmp.Equal(free.Model.FeatureWeights, wide.Model.FeatureWeights) || !cmp.Equal(free.Trace, wide.Trace) {
			t.Errorf("labels %v and %v, weights %v and %v", free.Labels, wide.Labels, free.Model.FeatureWeights, wide.Model.FeatureWeights)
		}
	})
}

// TestAFeatureWhoseCentersAreHeldFarFromItsRowsLosesItsWeight: with all centers
// of feature 1 at 5 or more and its rows near −2 to 1, any center is worse than
// the mean of all rows.
func TestAFeatureWhoseCentersAreHeldFarFromItsRowsLosesItsWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, w := drawRestricted(t, "a far box")
		for i := range r.X.Rows {
			r.X.Row(i)[1] = min(r.X.Row(i)[1], 2)
		}
		center := p.Centers
		p = r.Problem(p.K)
		p.Centers = center
		res := r.Run(t, means.NewWeighted(p, w), p, drawStart(t, r.X.Rows, p.K), nil)
		lost := res.Model.Gain[1] < 0
		if p.Columns[1].Mass == 0 { // all of its cells are missing
			lost = res.Model.Gain[1] == 0
		}
		if res.Model.FeatureWeights[1] != 0 || res.Model.Selected[1] || !lost {
			t.Errorf("weight %v, gain %v", res.Model.FeatureWeights[1], res.Model.Gain[1])
		}
	})
}

func TestConstraintsThatHaveNoRuleWithFeatureWeightsAreRefused(t *testing.T) {
	cases := map[string]struct {
		set     framework.Set
		missing int
		want    string
	}{
		"a sparsity": {constraint.Sparsity{S: 2}, 0,
			"selected-twice: the constraints have a sparsity, but this algorithm weighs features already: the features would be selected " +
				"twice, by two unrelated rules"},
		"a sparsity among others": {&declare.Set{Parts: []constraint.Part{{Set: constraint.NonNegative{}},
			{Set: constraint.Sparsity{S: 2, PerCenter: true}}}}, 0,
			"selected-twice: the constraints have a sparsity, but this algorithm weighs features already: the features would be selected " +
				"twice, by two unrelated rules"},
		"missing cells and a ball": {constraint.L2Ball{Radius: 1}, 1,
			"set-needs-means: cells are missing, and the constraints tie features together: the nearest centers are known for complete rows only"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := framework.Problem{N: 9, P: 4, K: 2, Columns: make([]framework.Column, 4), Centers: c.set}
			p.Columns[2].Missing = c.missing
			_, err := means.Restrict(p, true)
			must.Fail(t, err, c.want)
			if f := framework.AsFault(err); f != nil && f.Where != framework.Setting("constraints") {
				t.Errorf("its place is %q", f.Where)
			}
		})
	}
}
