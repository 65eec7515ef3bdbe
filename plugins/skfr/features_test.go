package skfr_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func TestKMeansSelectsNothingAndSaysWhatFeaturesGain(t *testing.T) {
	// Means −1 and 1 of two rows each in feature 0, and 0 in feature 1.
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 2, Data: []float64{-1, 1, -1, -1, 1, 1, 1, -1}}, Size: 4}}
	res := b.run(t, skfr.KMeans{}, 2, nil, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	if res.Model.Selected != nil || res.Trace[0].Selected != 0 {
		t.Errorf("selected %v, in the trace %d", res.Model.Selected, res.Trace[0].Selected)
	}
	for l, f := range res.Clusterer.(framework.Selector).Features(res.Model) {
		if want := []float64{4, 0}[l]; f.Rank != 0 || f.Gain != want {
			t.Errorf("feature %d: rank %d and gain %v, want 0 and %v", l, f.Rank, f.Gain, want)
		}
	}
}
