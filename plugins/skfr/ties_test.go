package skfr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// Three groups of equal rows, of which a row at 0 is as far from the first as from
// the second, to the bit. It is none of the fitted rows, or one of weight 0.
func TestATieBetweenGroupsOfEqualRowsGoesToTheLowestCluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.SampledFrom([]int{60, 1000, 2300}).Draw(t, "n") // 2300 rows make two shards
		kind := rapid.SampledFrom([]string{"plain", "missing", "weighted", "weighted, missing"}).Draw(t, "rows")
		weighted, missing := kind == "weighted" || kind == "weighted, missing", kind == "missing" || kind == "weighted, missing"
		// z-values of a grid of 0.1, at any size.
		z := math.Pow(10, float64(rapid.IntRange(-9, 9).Draw(t, "magnitude"))) * float64(1+r.IntN(50)) * 0.1 / (0.1 + r.Float64())
		up := z * r.Float64()
		groups := [][]float64{{-z, up}, {z, up}, {7 * z, up / 3}}
		label := r.Perm(3) // of each group
		b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 2), Size: 256}}
		start := fit.Start{Labels: make([]int32, n)}
		if weighted {
			b.Weights = make([]float64, n)
		}
		for i := range n {
			g := i % 3
			copy(b.X.Row(i), groups[g])
			if missing && i > 5 && r.IntN(5) == 0 {
				b.X.Row(i)[1] = math.NaN()
			}
			if weighted {
				b.Weights[i] = []float64{0.1, 0.3, 0.7}[i/3%3]
			}
			if start.Labels[i] = int32(label[g]); i%10 == 3 {
				start.Labels[i] = int32(label[(g+1)%3]) // so that rows move
			}
		}
		if weighted {
			b.Weights[n-1], b.X.Row(n - 1)[0], b.X.Row(n - 1)[1] = 0, 0, up
		}
		res := b.run(t, skfr.KMeans{}, 3, nil, start, func(s *fit.Settings) { s.Threads = 1 + r.IntN(2) })
		for g, want := range groups {
			if got := res.Model.Centers.Row(label[g]); !slices.Equal(got, want) {
				t.Fatalf("the rows %v have the center %v", want, got)
			}
		}
		lowest := int32(min(label[0], label[1]))
		if got := res.Labels[n-1]; weighted && got != lowest {
			t.Errorf("a row between %v and %v has label %d, not %d", groups[0], groups[1], got, lowest)
		}
		between := clustertest.Rows{X: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{0, up}}, Size: 1}
		p := must.Get(fit.Predict(t.Context(), res.Clusterer, res.Model, between, 1))(t)
		if p.Labels[0] != lowest || p.Margin[0] != 0 {
			t.Errorf("a new row between the two has label %d, not %d, and the margin %v", p.Labels[0], lowest, p.Margin[0])
		}
	})
}
