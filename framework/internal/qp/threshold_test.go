package qp

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"
)

func TestTheThresholdOfASimplexIsTheSameByDroppingAndBySorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 30).Draw(t, "p")
		z, mass := make([]float64, p), make([]float64, p)
		low, r := math.Inf(-1), rapid.Float64Range(0.01, 5).Draw(t, "r")
		for l := range z {
			z[l] = float64(rapid.IntRange(-9, 9).Draw(t, "z"))
			mass[l] = rapid.SampledFrom([]float64{0.1, 1, 1, 4}).Draw(t, "mass")
			low = max(low, mass[l]*(z[l]-r))
		}
		over := func(l int) float64 { return 1 / mass[l] }
		dropped := simplexThreshold(z, over, r, low, passes)
		even := func(first int) float64 { // of values above −r, with equal masses
			return evenThreshold(slices.DeleteFunc(slices.Clone(z), func(v float64) bool { return v <= -r }), r, first)
		}
		one := func(int) float64 { return 1 }
		for first := range 3 {
			if sorted := simplexThreshold(z, over, r, low, first); math.Abs(sorted-dropped) > 1e-13*(1+math.Abs(dropped)) {
				t.Errorf("z %v, masses %v, r %g: %g by dropping, %g by sorting after %d passes", z, mass, r, dropped, sorted, first)
			}
			if got, want := even(first), simplexThreshold(z, one, r, -r, passes); slices.Max(z) == 0 && math.Abs(got-want) > 1e-13*(1+r) {
				t.Errorf("z %v, r %g, equal masses: %g after %d passes, not %g", z, r, got, first, want)
			}
		}
	})
}
