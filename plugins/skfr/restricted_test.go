package skfr_test

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func row(kind, name, feature string, coef, lo, hi, value float64) framework.ConstraintRow {
	r := framework.ConstraintRow{Kind: kind, Name: name}
	if feature != "" {
		r.Feature = &feature
	}
	for _, f := range []struct {
		to **float64
		v  float64
	}{{&r.Coef, coef}, {&r.Lo, lo}, {&r.Hi, hi}, {&r.Value, value}} {
		if f.v == f.v {
			*f.to = &f.v
		}
	}
	return r
}

var null = math.NaN()

// restrictions are rows for the columns a, b and c, under what they declare.
func restrictions() map[string][]framework.ConstraintRow {
	budget := []framework.ConstraintRow{row("halfspace", "budget", "a", 1, null, 0.5, null),
		row("halfspace", "budget", "b", 2, null, null, null)}
	return map[string][]framework.ConstraintRow{
		"box":         {row("box", "", "a", null, -1, 1, null), row("box", "", "b", null, 0.5, 2, null)},
		"nonnegative": {row("nonnegative", "", "", null, null, null, null)},
		"fixed":       {row("fixed", "", "c", null, null, null, 0.25)},
		"halfspace":   budget,
		"simplex":     {row("simplex", "", "", null, null, null, 2)},
		"l1_ball":     {row("l1_ball", "", "", null, null, null, 1.5)},
		"l2_ball":     {row("l2_ball", "", "", null, null, null, 1)},
		"monotone":    {row("monotone", "", "c", null, null, null, 1), row("monotone", "", "a", null, null, null, 2)},
		"between clusters": func() []framework.ConstraintRow {
			low, high := row("halfspace", "order", "a", 1, null, -0.5, null), row("halfspace", "order", "a", -1, null, null, null)
			low.Cluster, high.Cluster = new(0), new(1)
			return []framework.ConstraintRow{low, high}
		}(),
		"box and halfspace": append([]framework.ConstraintRow{row("box", "", "", null, -1, 1, null)}, budget...),
		"ball and order": {row("l2_ball", "", "", null, null, null, 1), row("monotone", "", "c", null, null, null, 1),
			row("monotone", "", "a", null, null, null, 2)},
	}
}

// restricted fits rows with columns a, b and c under constraints.
func (b blocks) restricted(t clustertest.T, v variant, k int, rows []framework.ConstraintRow, start fit.Start) (clustertest.Fitted, error) {
	t.Helper()
	p := b.Problem(k)
	p.Params = must.Get(v.algorithm.Describe().Resolve(v.params))(t)
	for l, name := range []string{"a", "b", "c"} {
		p.Columns[l].Name = name
	}
	if g, ok := v.algorithm.(grouped); ok {
		p = g.put(p)
	}
	p.Centers = must.Get(declare.Rows(rows, p))(t)
	c, err := v.algorithm.New(p)
	if err != nil {
		return clustertest.Fitted{}, err
	}
	return b.Run(t, c, p, start, func(s *fit.Settings) { s.MaxIter, s.Empty = 200, v.empty }), nil
}

// combined says which restrictions go with which variants: those that tie
// features together need means of complete rows, and with a sparsity a rule.
func combined(v variant, name string) bool {
	bounds := name == "box" || name == "nonnegative" || name == "fixed"
	sparse, local := v.params["sparsity"] != "", v.params["scope"] == "local"
	balls := name == "simplex" || name == "l1_ball" || name == "l2_ball"
	_, groups := v.algorithm.(grouped)
	switch {
	case v.params["loss"] == "l1":
		return bounds && !sparse
	case sparse && !bounds:
		return local && balls && !groups && !(v.missing && v.params["missing"] == "")
	case v.missing && v.params["missing"] == "":
		return bounds
	}
	return true
}

func eachRestriction(t *testing.T, law func(t *rapid.T, v variant, rows []framework.ConstraintRow)) {
	for name, v := range variants() {
		for restriction, rows := range restrictions() {
			if !v.algorithm.Describe().Constraints || !combined(v, restriction) {
				continue
			}
			t.Run(name+"/"+restriction, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { law(t, v, rows) })
			})
		}
	}
}

func TestRestrictedCentersAreInTheSetAndTheObjectiveNeverRises(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, v variant, rows []framework.ConstraintRow) {
		n, k := rapid.IntRange(4, 12).Draw(t, "n"), rapid.IntRange(2, 3).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := must.Get(b.restricted(t, v, k, rows, drawLabels(t, n, k)))(t)
		if off := res.Problem.Centers.Violation(res.Model.Centers); off > 1e-7 {
			t.Errorf("the centers %v are %g outside", res.Model.Centers.Data, off)
		}
		for i := 1; i < len(res.Trace); i++ {
			if rise := res.Trace[i].Objective - res.Trace[i-1].Objective; rise > 1e-7*(1+b.total()) {
				t.Fatalf("iteration %d: the objective rises by %g from %g", i+1, rise, res.Trace[i-1].Objective)
			}
		}
		if math.Abs(res.Objective-res.Inertia) > 1e-12*(1+b.total()) {
			t.Fatalf("objective %v, but the distances of the rows add up to %v", res.Objective, res.Inertia)
		}
	})
}

func TestRestrictedCentersAreTheNearestToTheMeansOfTheirRows(t *testing.T) {
	// At rest, no step from the centers toward another point of the set makes
	// the sum of squares of the present labels smaller.
	rapid.Check(t, func(t *rapid.T) {
		all := restrictions()
		rows := all[rapid.SampledFrom([]string{"box", "halfspace", "l1_ball", "l2_ball", "simplex", "monotone", "between clusters",
			"box and halfspace"}).Draw(t, "set")]
		b := drawBlocks(t, 10, 3, false)
		res := must.Get(b.restricted(t, variants()["kmeans"], 2, rows, drawLabels(t, 10, 2)))(t)
		cost := func(c framework.Matrix) (sum float64) {
			for i, label := range res.Labels {
				for l, v := range b.X.Row(i) {
					sum += (v - c.Row(int(label))[l]) * (v - c.Row(int(label))[l])
				}
			}
			return sum
		}
		other := res.Model.Centers.Clone()
		for i := range other.Data {
			other.Data[i] += rapid.Float64Range(-1, 1).Draw(t, "step")
		}
		must.Do(t, res.Problem.Centers.Project(other, framework.Point{X: other}))
		if best, got := cost(other), cost(res.Model.Centers); best < got-1e-6*(1+got) {
			t.Errorf("the centers %v cost %g, but %v in the set cost %g", res.Model.Centers.Data, got, other.Data, best)
		}
	})
}

func TestTheGainOfARestrictedFeatureIsWhatTheObjectiveLosesWithoutIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := restrictions()
		rows := all[rapid.SampledFrom([]string{"box", "halfspace", "l1_ball", "monotone"}).Draw(t, "set")]
		b := drawBlocks(t, 10, 3, false)
		res := must.Get(b.restricted(t, variants()["kmeans"], 2, rows, drawLabels(t, 10, 2)))(t)
		means, n := framework.NewMatrix(2, 3), make([]float64, 2)
		for i, j := range res.Labels {
			n[j]++
			for l, v := range b.X.Row(i) {
				means.Row(int(j))[l] += v
			}
		}
		for l := range 3 {
			var lost float64 // Σ (x − 0)² − Σ (x − θ)², over the rows
			for i, j := range res.Labels {
				v, theta := b.X.Row(i)[l], res.Model.Centers.Row(int(j))[l]
				lost += v*v - (v-theta)*(v-theta)
			}
			if means.Row(0)[l] == 0 || means.Row(1)[l] == 0 {
				continue // a mean of 0 is worth nothing, whatever its center is
			}
			if got := res.Model.Gain[l]; math.Abs(got-lost) > 1e-7*(1+b.total()) {
				t.Errorf("feature %d: gain %g, but the objective loses %g", l, got, lost)
			}
		}
	})
}

func TestADeclaredSparsityIsThatOfTheAlgorithm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t, 12, 3, false)
		start := drawLabels(t, 12, 3)
		v := variants()["skfr/global"]
		asked := b.run(t, v.algorithm, 3, v.params, start, nil)
		rows := []framework.ConstraintRow{row("sparsity", "", "", null, null, null, 2)}
		declared := must.Get(b.restricted(t, variants()["kmeans"], 3, rows, start))(t)
		if diff := cmp.Diff(asked.Labels, declared.Labels); diff != "" || !cmp.Equal(asked.Model.Centers, declared.Model.Centers) {
			t.Errorf("labels %s, centers %v and %v", diff, asked.Model.Centers, declared.Model.Centers)
		}
	})
}

func TestBoundsThatNothingMeetsChangeNoBits(t *testing.T) {
	for name, v := range variants() {
		if v.params["loss"] == "l1" && v.params["sparsity"] != "" {
			continue // refused, see below
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := drawBlocks(t, 12, 3, v.missing)
				start := drawLabels(t, 12, 3)
				free := b.run(t, v.algorithm, 3, v.params, start, func(s *fit.Settings) { s.MaxIter, s.Empty = 200, v.empty })
				wide := must.Get(b.restricted(t, v, 3, []framework.ConstraintRow{row("box", "", "", null, -1e6, 1e6, null)}, start))(t)
				// A selected feature with all centers at 0 is not told apart from others.
				if diff := cmp.Diff(free.Labels, wide.Labels); diff != "" || !cmp.Equal(free.Model.Centers, wide.Model.Centers) ||
					!cmp.Equal(free.Trace[len(free.Trace)-1].Objective, wide.Trace[len(wide.Trace)-1].Objective) {
					t.Errorf("labels %s, centers %v and %v", diff, free.Model.Centers, wide.Model.Centers)
				}
			})
		})
	}
}

func TestAnEmptyClusterKeepsItsCenterWhereTheOriginIsNotAllowed(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{1, 0, 0, 1, 0, 0, -1, 0, 0, -1, 0, 0}}, Size: 4}}
	one := row("box", "", "b", null, 2, 3, null)
	one.Cluster = new(2)
	// Cluster 2 starts with a row of its own, which is nearer to cluster 0 once
	// its center is at b ≥ 2: it is empty from then on, and stays at (1, 2, 0).
	res := must.Get(b.restricted(t, variants()["kmeans"], 3, []framework.ConstraintRow{one}, fit.Start{Labels: []int32{0, 2, 1, 1}}))(t)
	must.Equal(t, []float64{1, 2, 0}, res.Model.Centers.Row(2))
}

func TestSetsWithoutARuleAreRefusedBeforeTheFit(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 3, Data: []float64{1, 2, 3, 4, null, 6, 7, 8, 9}}, Size: 3}}
	cases := map[string]struct {
		algorithm framework.Algorithm
		params    map[string]string
		set       string
		want      string
	}{
		"missing cells and a ball": {skfr.KMeans{}, nil, "l2_ball",
			"set-needs-means: cells are missing, and the constraints tie features together: the nearest centers are known for complete rows only"},
		"medians and a half-space": {skfr.KMeans{}, map[string]string{"loss": "l1"}, "halfspace",
			"set-needs-means: the nearest centers to medians are known for bounds on single features or a sparsity alone, and the " +
				"constraints are more than that"},
		"medians, sparsity and bounds": {skfr.SKFR{}, map[string]string{"loss": "l1", "sparsity": "2"}, "box",
			"set-needs-means: the nearest centers to medians are known for bounds on single features or a sparsity alone, and the " +
				"constraints are more than that"},
		"sparsity of groups and a ball": {grouped{skfr.SKFR{}, everyOther},
			map[string]string{"missing": "kpod", "sparsity": "1", "scope": "local"}, "l2_ball",
			"cannot-intersect: l2_ball ties features together, and groups of features are to be selected: which to keep has no formula"},
		"joint sparsity and a simplex": {skfr.SKFR{}, map[string]string{"missing": "kpod", "sparsity": "2"}, "simplex",
			"cannot-intersect: simplex ties features together, and the same features for all centers are to be selected: the nearest centers " +
				"for both have no formula"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := b.restricted(t, variant{algorithm: c.algorithm, params: maps.Clone(c.params), empty: framework.Origin}, 2,
				restrictions()[c.set], fit.Start{Labels: []int32{0, 1, 1}})
			must.Fail(t, err, c.want)
			if f := framework.AsFault(err); f != nil && f.Where != framework.Setting("constraints") {
				t.Errorf("its place is %q", f.Where)
			}
		})
	}
}

// held fits as restricted does, but the algorithm knows nothing of the set: the
// driver holds the centers in it.
func (b blocks) held(t clustertest.T, v variant, k int, set framework.Set, start fit.Start) (*fit.Result, error) {
	t.Helper()
	p := b.Problem(k)
	if g, ok := v.algorithm.(grouped); ok {
		p = g.put(p)
	}
	p.Params = must.Get(v.algorithm.Describe().Resolve(v.params))(t)
	c := must.Get(v.algorithm.New(p))(t)
	p.Centers = set // as the command has it, whose driver heeds it
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 200, Empty: v.empty, Threads: 1}
	return fit.Run(context.Background(), fit.Restrict(c, set), p, b, start, s, nil)
}

func TestCentersHeldByTheDriverAreThoseOfAnAlgorithmThatHasTheSet(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, v variant, rows []framework.ConstraintRow) {
		if v.params["sparsity"] != "" {
			v.params = maps.Clone(v.params)
			v.params["sparsity"] = "3" // all: a set of its own, which every center is in
			if _, ok := v.algorithm.(grouped); ok {
				v.params["sparsity"] = "2" // both groups
			}
		}
		n, k := rapid.IntRange(4, 12).Draw(t, "n"), rapid.IntRange(2, 3).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		start := drawLabels(t, n, k)
		want := must.Get(b.restricted(t, v, k, rows, start))(t)
		got := must.Get(b.held(t, v, k, want.Problem.Centers, start))(t)
		equal := same
		if v.params["scope"] == "local" { // what a cluster that never had rows selects is nobody's business
			equal = append(equal, cmpopts.IgnoreFields(framework.Model{}, "Selected"), cmpopts.IgnoreFields(fit.Iteration{}, "Selected"))
		}
		if diff := cmp.Diff(want.Result, got, equal); diff != "" {
			t.Errorf("with the set in the algorithm −, in the driver +: %s", diff)
		}
	})
}

func TestTheDriverRefusesASetThatDoesNotGoWithTheAlgorithmsOwn(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{5, 1, 2, 6, 1, 2, -5, 1, 2, -6, 1, 2}}, Size: 2}}
	set := constraint.Box{Lo: []float64{1, 1, 1}, Hi: []float64{9, 9, 9}} // no center has a 0
	_, err := b.held(t, variants()["skfr/global"], 2, set, fit.Start{Labels: []int32{0, 0, 1, 1}})
	if f := framework.AsFault(err); f == nil || f.Code != "cannot-intersect" || f.Where != framework.Setting("constraints") {
		t.Errorf("got %v", err)
	}
}

func TestTheDriverRefusesASetThatTiesFeaturesTogetherForMedians(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{5, 1, 2, 6, 1, 2, -5, 1, 2, -6, 1, 2}}, Size: 2}}
	v := variants()["kmeans"]
	v.params = map[string]string{"loss": "l1"}
	_, err := b.held(t, v, 2, constraint.L2Ball{Radius: 1}, fit.Start{Labels: []int32{0, 0, 1, 1}})
	must.Fault(t, err, "set-needs-means")
}
