package tune_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestJaccardsAreThoseOfTheSetsOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		labels := rapid.SliceOfN(rapid.Int32Range(-1, int32(k-1)), n, n).Draw(t, "labels")
		var rows []int32
		for i := range n {
			if rapid.Bool().Draw(t, "drawn") {
				rows = append(rows, int32(i))
			}
		}
		found := rapid.SliceOfN(rapid.Int32Range(-1, 4), len(rows), len(rows)).Draw(t, "found")
		want := make([]float64, k)
		for own := range want {
			want[own] = math.NaN()
			for j := int32(-2); j <= 4; j++ { // −2: the empty set
				common, union, size := 0, 0, 0
				for at, i := range rows {
					a, b := labels[i] == int32(own), found[at] == j && j >= 0
					if a {
						size++
					}
					if a && b {
						common++
					}
					if a || b {
						union++
					}
				}
				if size > 0 {
					want[own] = max(float64(common)/float64(union), zeroIfNaN(want[own]))
				}
			}
		}
		got, _ := tune.Jaccards(k, labels, append([]int32{}, rows...), found)
		must.Equal(t, want, got, cmpopts.EquateNaNs())
	})
}

func zeroIfNaN(v float64) float64 {
	if v != v {
		return 0
	}
	return v
}
