package pcskm_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// TestCentersAndMetricOfAHalfSpaceAreTheBestForEachOther: with the labels as they
// start, the first center is on the line x + y = −1, at (x, −1 − x), and the
// objective is 8 (2 + log u(x)/8 + log v(x)/8), with u and v the sums of squares
// within clusters of the two features. (The pair is kept.) A search along the line
// finds its least value.
func TestCentersAndMetricOfAHalfSpaceAreTheBestForEachOther(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 8, Cols: 2,
		Data: []float64{0, 0, 1, 3, -1, 2, 0, -3, 4, 0, 5, 2, 4, -2, 6, 1}}, Size: 8}}
	p := b.problem(2, []framework.Link{{A: 0, B: 1, Weight: 1}})
	p.Centers = constraint.HalfSpace{Where: constraint.Where{Clusters: []int{0}}, Coef: []float64{1, 1}, Bound: -1}
	p.Params = must.Get((pcskm.MPCKM{}).Describe().Resolve(nil))(t)
	c := must.Get(pcskm.MPCKM{}.New(p))(t)
	start := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	res := must.Get(fit.Run(t.Context(), c, p, b, fit.Start{Labels: start},
		fit.Settings{InitSpace: "fitted", Restarts: 1, MaxIter: 300, Empty: framework.Reseed, Threads: 1}, nil))(t)
	for i, j := range res.Labels {
		if j != start[i] {
			t.Fatalf("labels %v", res.Labels)
		}
	}
	at := func(x float64) float64 {
		y := -1 - x
		// Rows of cluster 0 about (x, y); those of cluster 1 about their mean (4.75, 0.25).
		u := x*x + (1-x)*(1-x) + (1+x)*(1+x) + x*x + 2.75
		v := y*y + (3-y)*(3-y) + (2-y)*(2-y) + (3+y)*(3+y) + 8.75
		return 16 + 8*math.Log(u/8) + 8*math.Log(v/8)
	}
	best := 0.0
	for _, step := range []float64{1e-2, 1e-4, 1e-6} {
		for x, from := best-200*step, best; x < from+200*step; x += step {
			if at(x) < at(best) {
				best = x
			}
		}
	}
	got := res.Model.Centers.Row(0)
	if math.Abs(got[0]-best) > 2e-6 || math.Abs(got[1]-(-1-best)) > 2e-6 {
		t.Errorf("the first center is %v; it is (%v, %v)", got, best, -1-best)
	}
	if math.Abs(res.Objective-at(best)) > 1e-9 {
		t.Errorf("the objective is %v; it is %v", res.Objective, at(best))
	}
}

// TestAMetricThatComesToRestTooSlowlyRestsWhenNothingIsGained is about rows at ±1 in
// x and at ± a little more in y, whose mean is 2 off the line x + y = −2: there the
// objective is flat to the fourth order about (−1, −1), and turns change the weights
// by ever less, but do not end. Where they go on to gain something, the run ends at
// the limit of passes, with an objective that is that of its state too.
func TestAMetricThatComesToRestTooSlowlyRestsWhenNothingIsGained(t *testing.T) {
	for spread, want := range map[float64]string{1: fit.Settled, 1 + 1e-9: fit.Settled, 1 + 1e-6: fit.MaxIter, 1.01: fit.Settled} {
		b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 2,
			Data: []float64{1, spread, -1, spread, 1, -spread, -1, -spread}}, Size: 4}}
		p := b.problem(1, nil)
		p.Centers = constraint.HalfSpace{Coef: []float64{1, 1}, Bound: -2}
		p.Params = must.Get((pcskm.MPCKM{}).Describe().Resolve(nil))(t)
		c := must.Get(pcskm.MPCKM{}.New(p))(t)
		start := fit.Start{Labels: make([]int32, 4)}
		res := must.Get(fit.Run(t.Context(), c, p, b, start, fit.Settings{InitSpace: "fitted", Restarts: 1, MaxIter: 300,
			Empty: framework.Reseed, Threads: 1}, nil))(t)
		at := res.Model.Centers.Row(0)
		u, v := 4+4*at[0]*at[0], 4*spread*spread+4*at[1]*at[1]
		w := res.Model.FeatureWeights
		objective := w[0]*u + w[1]*v - 4*math.Log(w[0]) - 4*math.Log(w[1])
		if res.Stop != want {
			t.Errorf("spread %v: stop %s after %d iterations", spread, res.Stop, res.Iterations)
		}
		if math.Abs(res.Objective-objective) > 1e-12*math.Abs(objective) {
			t.Errorf("spread %v: the objective is %v, and of centers and metric %v", spread, res.Objective, objective)
		}
	}
}
