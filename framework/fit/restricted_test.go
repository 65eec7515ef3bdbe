package fit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// held is k-means whose centers are projected onto the set of the problem.
type held struct {
	*means.Lloyd
	fresh bool
	first *framework.Matrix // gets the centers of the first Prepare
}

func (c held) Plan() framework.Plan {
	p := c.Lloyd.Plan()
	p.Monotone, p.Fresh = !c.fresh, c.fresh
	return p
}

func (c held) Prepare(m *framework.Model) {
	if c.first.Data == nil {
		*c.first = m.Centers.Clone()
	}
	c.Lloyd.Prepare(m)
}

func runHeld(
	t clustertest.T, r clustertest.Rows, p framework.Problem, fresh bool, start fit.Start, change func(*fit.Settings),
) (clustertest.Fitted, framework.Matrix) {
	t.Helper()
	c := held{Lloyd: means.NewLloyd(p, means.Squared), fresh: fresh, first: new(framework.Matrix)}
	c.Centers = must.Get(means.Restrict(p, false))(t)
	return r.Run(t, c, p, start, change), *c.first
}

// convexSets are sets for k ≥ 2 centers of 3 features.
func convexSets(t clustertest.T, k int) map[string]framework.Set {
	low, high := framework.NewMatrix(k, 3), framework.NewMatrix(k, 3) // feature 1: a sum over clusters, between two limits
	low.Row(0)[1], low.Row(1)[1] = -1, -1
	high.Row(0)[1], high.Row(1)[1] = 1, 1
	together := func(sets ...framework.Set) framework.Set {
		return must.Get(intersect.Sets(k, 3, sets, intersect.Names{}))(t)
	}
	box := constraint.Box{Lo: []float64{-1, -0.5, 0}, Hi: []float64{1, math.Inf(1), 0.5}}
	half := constraint.HalfSpace{Coef: []float64{1, -2, 0.5}, Bound: -1}
	return map[string]framework.Set{
		"box":                 box,
		"one center far away": constraint.Fixed{Where: constraint.Where{Clusters: []int{1}}, Values: []float64{9, 0, -9}},
		"a limit for one": constraint.Box{Where: constraint.Where{Clusters: []int{0}, Features: []int{2}}, Lo: []float64{3},
			Hi: []float64{4}},
		"half-space":             half,
		"half-space and box":     together(half, box),
		"of two clusters":        together(constraint.JointHalfSpace{Coef: low, Bound: 1}, constraint.JointHalfSpace{Coef: high, Bound: 2}),
		"simplex":                constraint.Simplex{Radius: 2},
		"l1_ball":                constraint.L1Ball{Radius: 1.5},
		"l2_ball, of one":        constraint.L2Ball{Where: constraint.Where{Clusters: []int{1}}, Radius: 0.5},
		"monotone":               constraint.Monotone{Where: constraint.Where{Features: []int{2, 0, 1}}},
		"two half-spaces":        together(half, constraint.HalfSpace{Coef: []float64{-1, -1, 0}, Bound: 1}),
		"half-space and l2_ball": together(half, constraint.L2Ball{Radius: 2}),
	}
}

func drawHeld(t *rapid.T, k int) (clustertest.Rows, framework.Problem) {
	n := rapid.IntRange(k, 30).Draw(t, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
	r := clustertest.Rows{X: framework.NewMatrix(n, 3), Size: rapid.IntRange(1, n).Draw(t, "block rows")}
	grid := rapid.Bool().Draw(t, "grid")
	for i := range r.X.Data {
		if r.X.Data[i] = 2 * random.NormFloat64(); grid {
			r.X.Data[i] = math.Round(r.X.Data[i]) // ties, and equal rows
		}
	}
	if rapid.Bool().Draw(t, "weighted") {
		r.Weights = make([]float64, n)
		for i := range r.Weights {
			r.Weights[i] = rapid.SampledFrom([]float64{0.1, 0.3, 1, 1, 2}).Draw(t, "weight")
		}
	}
	return r, r.Problem(k)
}

// drawStart draws one of the ways to start.
func drawStart(t *rapid.T, n, k int) fit.Start {
	switch rapid.IntRange(0, 3).Draw(t, "start") {
	case 0:
		all := make([]int32, n)
		for i := range all {
			all[i] = int32(rapid.IntRange(0, k-1).Draw(t, "label"))
		}
		return fit.Start{Labels: all}
	case 1:
		c := framework.NewMatrix(k, 3)
		for i := range c.Data {
			c.Data[i] = rapid.Float64Range(-10, 10).Draw(t, "center")
		}
		return fit.Start{Centers: &c}
	case 2:
		all := make([]int, k)
		for j := range all {
			all[j] = rapid.IntRange(0, n-1).Draw(t, "row")
		}
		return fit.Start{Rows: all}
	}
	return fit.Start{}
}

func TestTheObjectiveOfProjectedKMeansNeverRises(t *testing.T) {
	for name := range convexSets(t, 2) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k := rapid.IntRange(2, 4).Draw(t, "k")
				r, p := drawHeld(t, k)
				p.Centers = convexSets(t, k)[name]
				empty := rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin}).Draw(t, "empty")
				most := rapid.SampledFrom([]int{0, 1, 2, 300}).Draw(t, "max iter")
				res, _ := runHeld(t, r, p, false, drawStart(t, r.X.Rows, k), func(s *fit.Settings) { s.Empty, s.MaxIter = empty, most })
				scale := 1.0
				for _, c := range p.Columns {
					scale += c.SumSq
				}
				for i := 1; i < len(res.Trace); i++ {
					if rise := res.Trace[i].Objective - res.Trace[i-1].Objective; rise > 1e-8*scale {
						t.Fatalf("iteration %d: the objective rises by %g from %g", i+1, rise, res.Trace[i-1].Objective)
					}
				}
				if !res.Converged && most == 300 {
					t.Errorf("it stops with %q after %d iterations", res.Stop, res.Iterations)
				}
				if off := p.Centers.Violation(res.Model.Centers); off > 1e-7*scale {
					t.Errorf("the centers %v are %g outside", res.Model.Centers.Data, off)
				}
				if math.Abs(res.Objective-res.Inertia) > 1e-9*(scale+res.Objective) {
					t.Errorf("objective %v, but the distances of the rows add up to %v", res.Objective, res.Inertia)
				}
			})
		})
	}
}

func TestReseedingThatMakesTheObjectiveWorseIsUndone(t *testing.T) {
	// Cluster 1 is held at 100 and has no row. It gets one that is farthest from
	// center 0, which is −1, and center 0 moves from 1 to 2. Then −1 comes back, and
	// the sum of squares is 9 + 1 + 1 where it was 4 + 0 + 4.
	r := clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{-1, 1, 3}}, Size: 2}
	p := r.Problem(2)
	p.Centers = constraint.Fixed{Where: constraint.Where{Clusters: []int{1}}, Values: []float64{100}}
	res, _ := runHeld(t, r, p, false, fit.Start{Labels: []int32{0, 0, 0}}, nil)
	must.Equal(t, []int32{0, 0, 0}, res.Labels)
	must.Equal(t, []float64{1, 100}, res.Model.Centers.Data) // the mean of −1, 1, 3
	if res.Objective != 8 || res.Stop != fit.Settled {       // 4 + 0 + 4
		t.Errorf("objective %v, stop %q", res.Objective, res.Stop)
	}
	var objectives []float64
	for _, it := range res.Trace {
		objectives = append(objectives, it.Objective)
	}
	if len(objectives) < 2 || slices.Max(objectives) != 8 {
		t.Errorf("objectives %v", objectives)
	}
}

func TestFirstCentersAreMovedIntoTheSetBeforeAnyRowIsAssigned(t *testing.T) {
	r := clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 2, Data: []float64{-3, 1, -1, math.NaN(), 1, 2, 5, 4}}, Size: 3}
	given := framework.Matrix{Rows: 2, Cols: 2, Data: []float64{-4, 7, 8, 0.5}}
	for name, c := range map[string]struct {
		fresh bool
		start fit.Start
		want  []float64 // within −2 to 2 and 0 to 3; a missing cell is 0 before that
	}{
		"given centers":            {false, fit.Start{Centers: &given}, []float64{-2, 3, 2, 0.5}},
		"given centers, fresh":     {true, fit.Start{Centers: &given}, []float64{-2, 3, 2, 0.5}},
		"given rows":               {false, fit.Start{Rows: []int{3, 1}}, []float64{2, 3, -1, 0}},
		"given rows, fresh":        {true, fit.Start{Rows: []int{3, 0}}, []float64{2, 3, -2, 1}},
		"given rows of equal rows": {false, fit.Start{Rows: []int{0, 0}}, []float64{-2, 1, -2, 1}},
	} {
		for _, most := range []int{0, 1, 20} {
			t.Run(fmt.Sprint(name, "/", most), func(t *testing.T) {
				p := r.Problem(2)
				p.Centers = constraint.Box{Lo: []float64{-2, 0}, Hi: []float64{2, 3}}
				res, first := runHeld(t, r, p, c.fresh, c.start, func(s *fit.Settings) { s.MaxIter = most })
				must.Equal(t, c.want, first.Data)
				if off := p.Centers.Violation(res.Model.Centers); off > 0 {
					t.Errorf("the centers of the result, %v, are %g outside", res.Model.Centers.Data, off)
				}
			})
		}
	}
	if diff := cmp.Diff([]float64{-4, 7, 8, 0.5}, given.Data); diff != "" {
		t.Errorf("the given centers were written to: %s", diff)
	}
}

func TestFirstCentersThatAreSeededAreMovedIntoTheSet(t *testing.T) {
	r := clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 1, Data: []float64{-9, -8, 8, 9}}, Size: 4}
	p := r.Problem(2)
	p.Centers = constraint.Box{Lo: []float64{-2}, Hi: []float64{2}}
	res, first := runHeld(t, r, p, true, fit.Start{}, func(s *fit.Settings) { s.MaxIter = 1 })
	if off := p.Centers.Violation(first); off > 0 {
		t.Errorf("the first centers %v are %g outside", first.Data, off)
	}
	if off := p.Centers.Violation(res.Model.Centers); off > 0 {
		t.Errorf("the centers of the result, %v, are %g outside", res.Model.Centers.Data, off)
	}
}

func TestASetThatTheAlgorithmDoesNotKnowIsRefusedWhereItWeighsFeatures(t *testing.T) {
	c := fit.Restrict(means.NewWeighted(framework.Problem{N: 2, P: 1, K: 1, Columns: make([]framework.Column, 1)}, means.Weighting{}),
		constraint.NonNegative{})
	m := c.Begin()
	_, err := c.Project(m, framework.Centers, framework.Point{X: framework.NewMatrix(1, 1), RowMass: []float64{2}})
	if f := framework.AsFault(err); f == nil || f.Code != "set-needs-equal-weights" || f.Where != framework.Setting("constraints") {
		t.Errorf("got %v", err)
	}
}

// pathed is a toy with all optional interfaces.
type pathed struct{ linking }

func (pathed) Features(*framework.Model) []framework.Feature { return nil }
func (pathed) Grid(*framework.Model, int) []float64          { return nil }

func TestARestrictedClustererHasTheOptionalInterfacesThatStayTrue(t *testing.T) {
	for _, weight := range []float64{0, 1} {
		p := twoGroups.problem(2)
		own := pathed{linking{toy{Lloyd: means.NewLloyd(p, means.Squared), weight: weight}, nil}}
		for name, c := range map[string]framework.Clusterer{
			"once":  fit.Restrict(own, constraint.NonNegative{}),
			"twice": fit.Restrict(fit.Restrict(own, constraint.NonNegative{}), constraint.NonNegative{}),
		} {
			_, prepares := framework.As[framework.Preparer](c)
			_, links := framework.As[framework.Linker](c)
			_, selects := framework.As[framework.Selector](c)
			_, paths := framework.As[framework.Pather](c)
			got, free := [4]bool{prepares, links, selects, paths}, weight == 0
			if want := [4]bool{true, true, free, free}; got != want { // what weighs features has no selection
				t.Errorf("%s, weight %g: Preparer, Linker, Selector, Pather are %v, want %v", name, weight, got, want)
			}
		}
	}
	if _, links := framework.As[framework.Linker](fit.Restrict(means.NewLloyd(twoGroups.problem(2), means.Squared), nil)); links {
		t.Error("an algorithm without links has become a Linker")
	}
}
