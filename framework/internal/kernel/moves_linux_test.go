package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// Rows of large tables and of small ones take ways of their own; cells are infinite, −0, or so small that they have no bits.
func TestRowsOfFewFeaturesMoveWithTheSameBitsAndTouchNothingBesideTheirSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	for p := 1; p <= 42; p++ {
		for _, n := range []int{1 + r.IntN(40), 1024, 1025 + r.IntN(2500)} {
			f := &fence{t: t, begins: r.IntN(2) == 0}
			k := 1 + r.IntN(70)
			x := fencedOf(f, drawn(r, n*p, r.IntN(2) == 0, false))
			if r.IntN(3) == 0 {
				x[r.IntN(len(x))] = math.Inf(1)
			}
			from, to := fenced[int32](f, n), fenced[int32](f, n)
			rare := 1 + r.IntN(20)
			for i := range to {
				from[i] = int32(r.IntN(k+1)) - 1
				if to[i] = from[i]; r.IntN(rare) == 0 {
					to[i] = int32(r.IntN(k+1)) - 1
				}
			}
			start := drawn(r, 2*k*p, true, false)
			var want []float64
			for _, name := range slices.Backward(kernel.Names()) { // the portable one first
				undo := kernel.Use(name)
				s := kernel.Sums{Sum: fencedOf(f, start[:k*p]), Low: fencedOf(f, start[k*p:]), Mass: fenced[float64](f, k)}
				s.Move(x, nil, from, nil)
				s.Move(x, from, to, nil)
				undo()
				got := slices.Concat(s.Sum, s.Low, s.Mass)
				if want == nil {
					want = got
				}
				for i, v := range got {
					if math.Float64bits(v) != math.Float64bits(want[i]) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
						t.Fatalf("%s, %d rows of %d features, %d clusters: number %d is %v, want %v", name, n, p, k, i, v, want[i])
					}
				}
			}
			f.open()
		}
	}
}
