package means_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestATraceCountsSelectedFeaturesAndMovesOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRows(t, 30, 4, false, false)
		res := weigh(t, r, 3, weightings(4)["l1 = 1.3"], drawStart(t, 30, 3), nil)
		last := res.Trace[len(res.Trace)-1]
		selected := 0
		for l, s := range res.Model.Selected {
			if s != (res.Model.FeatureWeights[l] > 0) {
				t.Fatalf("feature %d has weight %v and selected is %v", l, res.Model.FeatureWeights[l], s)
			}
			if s {
				selected++
			}
		}
		if last.Objective != res.Objective || last.Moved != 0 || last.Selected != selected || last.Iteration != res.Iterations {
			t.Fatalf("the last iteration is %+v, and the result has objective %v and %d selected features", last, res.Objective, selected)
		}
		if res.Trace[0].Moved > 0 && res.Trace[0].Selected != 4 {
			t.Fatalf("before the first weights, %d features are selected", res.Trace[0].Selected)
		}
	})
}

func TestRanksCountDownTheWeightsAndThenTheGains(t *testing.T) {
	// Gains by hand: two clusters of two rows each, b_l = 4 d_l² with means ±d_l.
	r := clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 4, Cols: 4, Data: []float64{
		1, 3, 0, 2,
		1, 3, 0, 2,
		-1, -3, 0, -2,
		-1, -3, 0, -2,
	}}}
	w := means.Weighting{Set: weightset.Bounded{L1: 1}, Tol: 1e-4, Updates: 9}
	res := weigh(t, r, 2, w, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	want := []framework.Feature{
		{Column: 0, Cluster: -1, Gain: 4, Rank: 3},
		{Column: 1, Cluster: -1, Gain: 36, Rank: 1, Weight: 1, Selected: true},
		{Column: 2, Cluster: -1, Gain: 0, Rank: 4},
		{Column: 3, Cluster: -1, Gain: 16, Rank: 2},
	}
	must.Equal(t, want, res.Clusterer.(framework.Selector).Features(res.Model))
}

func TestGroupsAreRankedAsAWhole(t *testing.T) {
	// Gains by hand, as above, divided by 4 rows: 1, 9, 0.25 and 4. With λ = 0 the
	// weights are as the gains: groups 0 and 1 have √(1 + 16) and √(81 + 1/16).
	r := clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 4, Cols: 4, Data: []float64{
		1, 3, 0.5, 2,
		1, 3, 0.5, 2,
		-1, -3, -0.5, -2,
		-1, -3, -0.5, -2,
	}}}
	w := weightings(4)["λ = 0"]
	w.Groups = [][]int{{0, 3}, {1, 2}}
	res := weigh(t, r, 2, w, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	var ranks []int
	for _, f := range res.Clusterer.(framework.Selector).Features(res.Model) {
		ranks = append(ranks, f.Rank)
	}
	must.Equal(t, []int{4, 1, 2, 3}, ranks)
}
