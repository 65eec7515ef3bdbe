package constraint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestThresholdIsWhatSortingFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		values := make([]float64, 1+r.IntN(400))
		for i := range values {
			values[i] = float64(r.IntN(1 + r.IntN(200))) // many of them equal
		}
		before := slices.Clone(values)
		sorted := slices.Sorted(slices.Values(values))
		s := 1 + r.IntN(1+r.IntN(len(values)))
		if got, want := threshold(values, s), sorted[len(sorted)-s]; got != want {
			t.Fatalf("the %d. largest of %v is %v, want %v", s, values, got, want)
		}
		if !slices.Equal(values, before) {
			t.Fatal("the values were changed")
		}
	}
}
