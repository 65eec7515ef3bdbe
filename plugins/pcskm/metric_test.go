package pcskm_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// The reference weighs the logarithm of its objective with 0.01, which divides
// the metric by 100 and changes no label.
const referenceMetric = 0.01

func TestMPCKMFindsTheMetricOfTheReference(t *testing.T) {
	// Runs of the reference from a start of its own, which is not given.
	ownStart := []string{"digits048_d1__both01__seeding", "digits048_d1__both05__seeding", "ionosphere__both01__seeding",
		"mwm_ttchst__both01__seeding"}
	folders := must.Get(filepath.Glob(unpacked + "*__*"))(t)
	compared := 0
	for _, folder := range folders {
		name := filepath.Base(folder)
		c := readCase(t, folder)
		var e struct {
			MPCKM *struct {
				F      float64   `json:"f_all"`
				Metric []float64 `json:"metric_weights"`
			} `json:"mpckm"`
		}
		readJSON(t, folder+"/expected.json", &e)
		if e.MPCKM == nil {
			continue
		}
		got, err := c.data.run(pcskm.MPCKM{}, c.params.K, c.links, parity(), fit.Start{Centers: &c.centers}, nil)
		if name == "digits389_d1__ml05__dkmpp" { // the reference goes on with two clusters
			c.isEmptyCluster(t, err)
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if slices.Contains(ownStart, name) {
			continue
		}
		compared++
		if f := score.NewTable(c.truth, got.Labels).PairwiseF(); math.Abs(f-e.MPCKM.F) > 1e-12 {
			t.Errorf("%s: F is %v instead of %v", name, f, e.MPCKM.F)
		}
		for l, w := range got.Model.FeatureWeights {
			if want := e.MPCKM.Metric[l]; math.Abs(w*referenceMetric-want) > 1e-7*want && !got.problem.Columns[l].Constant() {
				t.Errorf("%s: metric %d is %v instead of %v", name, l, w*referenceMetric, want)
			}
		}
	}
	if compared != 51 {
		t.Errorf("%d fits compared instead of 51", compared)
	}
}

func TestMPCKMsMetricIsTheFormulaOfItsLabels(t *testing.T) {
	c := readCase(t, unpacked+"fisheriris__both05__dkmpp")
	got := must.Get(c.data.run(pcskm.MPCKM{}, 3, c.links, map[string]string{"duplicates": "add"}, fit.Start{Centers: &c.centers},
		func(s *fit.Settings) { s.Empty = framework.Reseed }))(t)
	b := c.between(got.Labels)
	objective := 0.0
	for l, w := range got.Model.FeatureWeights {
		col := got.problem.Columns[l]
		sum := col.SumSq - b[l]
		for _, k := range c.links {
			if d := c.data.X.Row(int(k.A))[l] - c.data.X.Row(int(k.B))[l]; !k.Broken(got.Labels) {
			} else if k.Cannot {
				sum += (col.Max-col.Min)*(col.Max-col.Min) - d*d
			} else {
				sum += d * d
			}
		}
		if want := 150 / sum; math.Abs(w-want) > 1e-9*want {
			t.Errorf("metric %d is %v; it is %v", l, w, want)
		}
		objective += w*sum - 150*math.Log(w)
	}
	if math.Abs(got.Objective-objective) > 1e-9*math.Abs(objective) {
		t.Errorf("objective %v; it is %v", got.Objective, objective)
	}
}
