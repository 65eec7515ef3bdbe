package skfr_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func TestSparsityOutsideOneToPIsRefused(t *testing.T) {
	cases := map[string]string{
		"0":   "bad-parameter: sparsity is \"0\"; it must be at least 1",
		"-1":  "bad-parameter: sparsity is \"-1\"; it must be at least 1",
		"4":   "sparsity-out-of-range: sparsity is 4, but there are 3 features",
		"1.5": "bad-parameter: sparsity is \"1.5\"; it must be a whole number",
		"NaN": "bad-parameter: sparsity is \"NaN\"; it must be a whole number",
	}
	for sparsity, want := range cases {
		t.Run(sparsity, func(t *testing.T) {
			values, err := skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": sparsity})
			if err == nil {
				_, err = skfr.SKFR{}.New(framework.Problem{N: 5, P: 3, K: 2, Columns: make([]framework.Column, 3), Params: values})
			}
			must.Fail(t, err, want)
		})
	}
}

func TestMissingCellsAreRefusedWhenAskedFor(t *testing.T) {
	values := must.Get(skfr.KMeans{}.Describe().Resolve(map[string]string{"missing": "error"}))(t)
	_, err := skfr.KMeans{}.New(framework.Problem{N: 5, P: 1, K: 2, Columns: []framework.Column{{Name: "age", Missing: 2}}, Params: values})
	f := framework.AsFault(err)
	if f == nil || f.Code != "missing-values" || len(f.Details) != 1 || f.Details[0] != `column "age": 2 of 5 rows` {
		t.Errorf("got %+v", f)
	}
}

func TestKPodHasNoMedians(t *testing.T) {
	values := must.Get(skfr.KMeans{}.Describe().Resolve(map[string]string{"missing": "kpod", "loss": "l1"}))(t)
	p := framework.Problem{N: 5, P: 1, K: 2, Columns: make([]framework.Column, 1), Params: values}
	if _, err := (skfr.KMeans{}).New(p); framework.AsFault(err) == nil {
		t.Errorf("got %v, want a fault", err)
	}
}

func TestReseedingFillsAsManyClustersAsThereAreDistinctRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Rows 0, 1, … on a line are distinct, and all start in one cluster.
		n := rapid.IntRange(2, 8).Draw(t, "n")
		k := rapid.IntRange(1, n).Draw(t, "k")
		b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 1), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
		for i := range n {
			b.X.Data[i] = float64(i) - float64(n-1)/2
		}
		res := b.run(t, skfr.KMeans{}, k, nil, fit.Start{Labels: make([]int32, n)}, func(s *fit.Settings) { s.Empty = framework.Reseed })
		for j := range k {
			if !slices.Contains(res.Labels, int32(j)) {
				t.Fatalf("cluster %d of %d is empty with %d distinct rows", j, k, n)
			}
		}
	})
}

func TestEqualRowsEndWithEmptyClustersAndNoEndlessReseeding(t *testing.T) {
	for _, a := range []framework.Algorithm{skfr.KMeans{}, skfr.SKFR{}} {
		b := blocks{clustertest.Rows{X: framework.NewMatrix(6, 2), Size: 2}}
		params := map[string]string{}
		if _, ok := a.(skfr.SKFR); ok {
			params["sparsity"] = "1"
			// The rows differ, but not in the feature that is kept.
			for i := range 6 {
				b.X.Row(i)[0] = float64(i%2)*2 - 1
				b.X.Row(i)[1] = 1e-3 * float64(i-3)
			}
		}
		res := b.run(t, a, 4, params, fit.Start{Labels: make([]int32, 6)}, func(s *fit.Settings) { s.Empty = framework.Reseed })
		if !res.Converged || res.Iterations > 20 { // 6 rows cannot move usefully for longer
			t.Errorf("%s: %d iterations, stop %q", a.Describe().Name, res.Iterations, res.Stop)
		}
	}
}

func TestACenterWithoutRowsStaysAtTheOriginAndMayWinRowsBack(t *testing.T) {
	// Cluster 1 starts empty: its center at 0 is nearest to the two rows near 0.
	b := blocks{clustertest.Rows{Size: 3, X: framework.Matrix{Rows: 5, Cols: 1, Data: []float64{10, 10, 0.5, -0.5, 4.5}}}}
	res := b.run(t, skfr.KMeans{}, 2, nil, fit.Start{Labels: make([]int32, 5)}, func(s *fit.Settings) { s.MaxIter = 1 })
	// The mean of all is 4.9.
	if want := []int32{0, 0, 1, 1, 0}; !slices.Equal(res.Labels, want) {
		t.Errorf("labels %v, want %v", res.Labels, want)
	}
}

func TestExtremeSizesWork(t *testing.T) {
	one := blocks{clustertest.Rows{X: framework.Matrix{Rows: 1, Cols: 1, Data: []float64{0}}, Size: 1}}
	huge := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 1, Data: []float64{1e150, 1e150, -1e150, -1e150}}, Size: 3}}
	nothing := blocks{clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 2,
		Data: []float64{1, math.NaN(), -1, math.NaN(), 0, math.NaN()}}, Size: 2}}
	for name, c := range map[string]struct {
		b blocks
		k int
	}{
		"one row":                   {one, 1},
		"k = n":                     {huge, 4},
		"cells of 1e150":            {huge, 2},
		"a column without any cell": {nothing, 2},
		"one cluster of many":       {huge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, empty := range []framework.EmptyPolicy{framework.Reseed, framework.Origin} {
				res := c.b.run(t, skfr.KMeans{}, c.k, nil, fit.Start{}, func(s *fit.Settings) { s.Empty = empty })
				if math.IsNaN(res.Objective) || !res.Converged {
					t.Errorf("empty=%s: objective %v, stop %q", empty, res.Objective, res.Stop)
				}
				if slices.ContainsFunc(res.Distance, math.IsNaN) {
					t.Errorf("distances %v", res.Distance)
				}
			}
		})
	}
}

func TestReseedingLeavesTheLastRowOfAClusterAndTakesNoEqualRows(t *testing.T) {
	// Cluster 1 has row 0 alone, which is far from its center in the feature
	// that is not kept; rows 1 and 2 are equal. Three clusters are empty.
	b := blocks{clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 5, Cols: 2, Data: []float64{
		40, 3,
		-10, -3,
		-10, -3,
		-11, 1,
		-9, 2,
	}}}}
	res := b.run(t, skfr.KMeans{}, 5, nil, fit.Start{Labels: []int32{1, 0, 0, 0, 0}}, func(s *fit.Settings) { s.Empty = framework.Reseed })
	filled := map[int32]bool{}
	for _, j := range res.Labels {
		filled[j] = true
	}
	// Four distinct rows: four clusters with rows, and the equal ones together.
	if len(filled) != 4 || res.Labels[1] != res.Labels[2] || res.Objective != 0 {
		t.Errorf("labels %v, objective %v", res.Labels, res.Objective)
	}
}

func TestACenterThatLosesItsRowsKeepsItsOwnSelection(t *testing.T) {
	b := blocks{clustertest.Rows{Size: 4, X: framework.Matrix{Rows: 4, Cols: 2, Data: []float64{5, 1, 5, 1, -5, -1, -5, -1}}}}
	p := b.Problem(2)
	p.Params = must.Get(skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": "1", "scope": "local"}))(t)
	c := must.Get(skfr.SKFR{}.New(p))(t)
	m := c.Begin()
	for _, mass := range [][]float64{{2, 2}, {4, 0}} { // cluster 1 is empty in the second round
		at := framework.Point{X: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{5, 1, 0, -1}}, RowMass: mass}
		must.Get(c.Project(m, framework.Centers, at))(t)
	}
	if !m.Selected[0] || m.Selected[1] || m.Selected[2] || !m.Selected[3] {
		t.Errorf("selected %v, want feature 0 for cluster 0 and feature 1 for cluster 1", m.Selected)
	}
}
