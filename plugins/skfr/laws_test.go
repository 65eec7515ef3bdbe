package skfr_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// same compares results bit for bit, but for which worker did what.
var same = cmp.Options{cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"), cmpopts.EquateNaNs()}

// total returns the sum of the losses of the observed cells from the origin:
// the scale of rounding errors.
func (b blocks) total() (sum float64) {
	for _, v := range b.X.Data {
		if v == v {
			sum += v*v + math.Abs(v)
		}
	}
	return sum
}

func TestObjectiveNeverRises(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = v.empty })
		for i := 1; i < len(res.Trace); i++ {
			if rise := res.Trace[i].Objective - res.Trace[i-1].Objective; rise > 1e-9*b.total() {
				t.Fatalf("iteration %d: the objective rises by %g from %g", i+1, rise, res.Trace[i-1].Objective)
			}
		}
	})
}

func TestObjectiveEqualsTheInertiaMeasuredFromRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = v.empty })
		if math.Abs(res.Objective-res.Inertia) > 1e-12*b.total() {
			t.Fatalf("objective %v, but the distances of the rows add up to %v", res.Objective, res.Inertia)
		}
	})
}

func TestCentersHaveAtMostSparsityFeatures(t *testing.T) {
	for _, scope := range []string{"global", "local"} {
		t.Run(scope, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := drawBlocks(t, 12, 4, true)
				res := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2", "scope": scope}, drawLabels(t, 12, 3), nil)
				seen := make([]bool, 4)
				for j := range 3 {
					own := 0
					for l, v := range res.Model.Centers.Row(j) {
						if v != 0 {
							own, seen[l] = own+1, true
						}
					}
					if own > 2 {
						t.Fatalf("center %d has %d features", j, own)
					}
				}
				columns := 0
				for _, s := range seen {
					if s {
						columns++
					}
				}
				if scope == "global" && columns > 2 {
					t.Fatalf("the centers have %d features together", columns)
				}
			})
		})
	}
}

func TestAllFeaturesOnCompleteDataIsKMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, false)
		start := drawLabels(t, n, k)
		plain := b.run(t, skfr.KMeans{}, k, nil, start, nil)
		for _, scope := range []string{"global", "local"} {
			all := b.run(t, skfr.SKFR{}, k, map[string]string{"sparsity": "3", "scope": scope}, start, nil)
			if diff := cmp.Diff(plain.Labels, all.Labels) + cmp.Diff(plain.Model.Centers, all.Model.Centers); diff != "" {
				t.Fatalf("scope=%s: %s", scope, diff)
			}
		}
	})
}

func TestMissingIsIgnoredOnCompleteData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t, 15, 3, false)
		start := drawLabels(t, 15, 3)
		observed := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2"}, start, nil)
		for _, missing := range []string{"kpod", "error"} {
			other := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "2", "missing": missing}, start, nil)
			if diff := cmp.Diff(observed.Result, other.Result, same); diff != "" {
				t.Fatalf("missing=%s: %s", missing, diff)
			}
		}
	})
}

func TestAWeightIsThatManyEqualRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 10).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		start := drawLabels(t, n, k)
		b.Weights = make([]float64, n)
		repeated := blocks{clustertest.Rows{Size: b.Size, X: framework.Matrix{Cols: 3}}}
		var labels []int32
		for i := range n {
			least := 0
			if i < k { // no more clusters than repeated rows
				least = 1
			}
			b.Weights[i] = float64(rapid.IntRange(least, 3).Draw(t, "weight"))
			for range int(b.Weights[i]) {
				repeated.X.Data = append(repeated.X.Data, b.X.Row(i)...)
				labels = append(labels, start.Labels[i])
			}
		}
		repeated.X.Rows = len(labels)
		weighted := b.run(t, v.algorithm, k, v.params, start, nil)
		rows := repeated.run(t, v.algorithm, k, v.params, fit.Start{Labels: labels}, nil)
		at := 0
		for i, w := range b.Weights {
			for range int(w) {
				if rows.Labels[at] != weighted.Labels[i] {
					t.Fatalf("row %d has label %d, and %d when it is repeated", i, weighted.Labels[i], rows.Labels[at])
				}
				at++
			}
		}
		if math.Abs(weighted.Objective-rows.Objective) > 1e-12*repeated.total() {
			t.Fatalf("objective %v, and %v with repeated rows", weighted.Objective, rows.Objective)
		}
	})
}

func TestGainIsTheRiseOfTheObjectiveWhenAFeatureIsDropped(t *testing.T) {
	for _, missing := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			b := drawBlocks(t, 12, 3, missing)
			res := b.run(t, skfr.SKFR{}, 3, map[string]string{"sparsity": "3"}, drawLabels(t, 12, 3), nil)
			for _, f := range res.Clusterer.(framework.Selector).Features(res.Model) {
				var with, without float64
				for i, j := range res.Labels {
					if v := b.X.Row(i)[f.Column]; v == v {
						d := v - res.Model.Centers.Row(int(j))[f.Column]
						with, without = with+d*d, without+v*v
					}
				}
				if math.Abs(f.Gain-(without-with)) > 1e-12*b.total() {
					t.Fatalf("feature %d: gain %v, but dropping it raises the objective by %v", f.Column, f.Gain, without-with)
				}
			}
		})
	}
}

func TestRanksCountDownTheGains(t *testing.T) {
	b := blocks{clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{
		1, 3, 0,
		1, 3, 0,
		-1, -3, 0,
		-1, -3, 0,
	}}}}
	res := b.run(t, skfr.SKFR{}, 2, map[string]string{"sparsity": "1"}, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	want := []framework.Feature{ // gains by hand: 2·1² + 2·1², 2·3² + 2·3², 0
		{Column: 0, Cluster: -1, Gain: 4, Rank: 2, Weight: math.NaN()},
		{Column: 1, Cluster: -1, Gain: 36, Rank: 1, Weight: math.NaN(), Selected: true},
		{Column: 2, Cluster: -1, Gain: 0, Rank: 3, Weight: math.NaN()},
	}
	must.Equal(t, want, res.Clusterer.(framework.Selector).Features(res.Model), cmpopts.EquateNaNs())
}
