package pcskm_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// edge is one of the reference's tiny runs.
type edge struct {
	Name   string
	X      [][]float64
	K      int
	S      float64
	Must   [][2]int32  `json:"must_link"`
	Cannot [][2]int32  `json:"cannot_link"`
	Init   []int       `json:"init_rows"`
	PCKM   []int32     `json:"pckm_labels"`
	Passes int         `json:"pckm_iter"`
	Means  [][]float64 `json:"pckm_centers"`
	Labels []int32
	Weight []float64 `json:"weights"`
	Outer  int       `json:"outer_iterations"`
	IFlag  int       `json:"iflag"`
}

func TestTinyRunsOfTheReference(t *testing.T) {
	var all []edge
	readJSON(t, unpacked+"_unit/edge.json", &all)
	if len(all) != 20 {
		t.Fatalf("%d runs instead of 20", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			data := blocks{clustertest.Rows{X: framework.NewMatrix(len(e.X), len(e.X[0])), Size: 3}}
			for i, row := range e.X {
				copy(data.X.Row(i), row)
			}
			var links []framework.Link
			for _, p := range e.Must {
				links = append(links, framework.Link{A: p[0], B: p[1], Weight: 1})
			}
			for _, p := range e.Cannot {
				links = append(links, framework.Link{A: p[0], B: p[1], Cannot: true, Weight: 1})
			}
			start := fit.Start{Rows: e.Init}
			plain, err := data.run(pcskm.PCKM{}, e.K, links, parity(), start, nil)
			// A bound above √p bounds nothing: ours refuses it, and √p is the same.
			bound := min(e.S, math.Sqrt(float64(data.X.Cols)))
			got, sparseErr := data.run(pcskm.PCSKM{}, e.K, links, parity("l1_bound", strconv.FormatFloat(bound, 'g', -1, 64)), start, nil)
			if e.IFlag > 0 {
				for _, err := range []error{err, sparseErr} {
					if f := framework.AsFault(err); f == nil || f.Code != "empty-cluster" {
						t.Errorf("a cluster should have become empty: %v", err)
					}
				}
				return
			}
			if err != nil || sparseErr != nil {
				t.Fatal(err, sparseErr)
			}
			if diff := cmp.Diff(e.PCKM, plain.Labels); diff != "" || plain.Iterations != e.Passes {
				t.Errorf("pckm: %d passes instead of %d\n%s", plain.Iterations, e.Passes, diff)
			}
			for j, mean := range e.Means {
				for l, v := range mean {
					if math.Abs(plain.Model.Centers.Row(j)[l]-v) > 1e-12*(1+math.Abs(v)) {
						t.Errorf("pckm: center %d is %v instead of %v", j, plain.Model.Centers.Row(j), mean)
					}
				}
			}
			must.Equal(t, e.Labels, got.Labels)
			for l, w := range got.Model.FeatureWeights {
				want := e.Weight[l]
				if e.Name == "tied_features" {
					// The reference's Δ stops below the two largest gains, so that
					// its weights add up to 1.41 instead of at most 1.05. Ours have
					// the bound's share each.
					want = []float64{e.S / 2, e.S / 2, 0}[l]
				}
				if math.Abs(w-want) > 1e-4 {
					t.Errorf("weight %d is %v instead of %v", l, w, want)
				}
			}
		})
	}
}

func TestExactWeightsAreThoseThatTheHalvingsOfTheReferenceApproach(t *testing.T) {
	var all []struct {
		Gamma []float64
		S     float64
		W     []float64
	}
	readJSON(t, unpacked+"_unit/delta.json", &all)
	if len(all) != 48 {
		t.Fatalf("%d weight steps instead of 48", len(all))
	}
	compared := 0
	for _, e := range all {
		p := len(e.Gamma)
		got := framework.NewMatrix(1, p)
		must.Do(t, (weightset.Bounded{L1: e.S}).Project(got, framework.Point{X: framework.Matrix{Rows: 1, Cols: p, Data: e.Gamma}}))
		ours, theirs, sum := 0.0, 0.0, 0.0
		for l, w := range e.W {
			ours += e.Gamma[l] * got.Data[l]
			theirs += e.Gamma[l] * w
			sum += w
		}
		feasible := sum <= e.S*(1+1e-9)
		for _, w := range e.W {
			feasible = feasible && w >= 0
		}
		if !feasible {
			continue // tied or negative gains, where the halvings leave the set
		}
		compared++
		if ours < theirs-1e-9*math.Abs(theirs) {
			t.Errorf("gains %v, s = %g: ours gains %v, the reference %v", e.Gamma, e.S, ours, theirs)
		}
	}
	if compared < 20 {
		t.Errorf("only %d of the reference's weights are in the set", compared)
	}
	t.Logf("%d weight steps compared", compared)
}

func TestOneClusterGivesNoFeatureAWeight(t *testing.T) {
	// There is nothing between the clusters, but sums round: a third of the first
	// column's is no float64.
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 2, Data: []float64{0.1, -7.3, 0.2, 2.9, 0.4, 1.7}}, Size: 2}}
	got := must.Get(b.run(pcskm.PCSKM{}, 1, nil, map[string]string{"l1_bound": "1.2"}, fit.Start{Rows: []int{0}}, nil))(t)
	if got.Stop != framework.AllZero {
		t.Errorf("the run stops for %q with the weights %v", got.Stop, got.Model.FeatureWeights)
	}
}

func TestAFeatureWhoseSquaresVanishHasAMetricOfOne(t *testing.T) {
	// The squares of the second column, up to 4e-320, are no normal numbers.
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 2, Data: []float64{0, 0, 1, 1e-160, 5, 2e-160, 6, 1e-160}}, Size: 3}}
	got := must.Get(b.run(pcskm.MPCKM{}, 2, nil, nil, fit.Start{Rows: []int{0, 3}}, nil))(t)
	if got.Model.FeatureWeights[1] != 1 || math.IsNaN(got.Objective) || math.IsInf(got.Objective, 0) {
		t.Errorf("metric %v, objective %v", got.Model.FeatureWeights, got.Objective)
	}
}
