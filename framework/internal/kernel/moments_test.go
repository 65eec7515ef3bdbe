package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// FuzzMomentsAreTheSameInEveryImplementation compares bits, for sizes that are not
// multiples of a vector, missing cells, and numbers that overflow or underflow.
func FuzzMomentsAreTheSameInEveryImplementation(f *testing.F) {
	for p := range 20 {
		f.Add(uint64(p), 3*p, p, p%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n, p int, extreme bool) {
		n, p = n&63, 1+p&63
		r := rand.New(rand.NewPCG(seed, 7))
		x := make([]float64, n*p)
		for i := range x {
			switch x[i] = r.NormFloat64(); {
			case r.IntN(5) == 0:
				x[i] = math.NaN()
			case extreme:
				x[i] = math.Ldexp(x[i], r.IntN(2000)-1000)
			}
		}
		first, second := momentsBy("go", x, p)
		for _, name := range kernel.Names() {
			a, b := momentsBy(name, x, p)
			if d := cmp.Diff(first, a, cmpopts.EquateNaNs()); d != "" {
				t.Errorf("totals of %s: %s", name, d)
			}
			if d := cmp.Diff(second, b, cmpopts.EquateNaNs()); d != "" {
				t.Errorf("squares of %s: %s", name, d)
			}
		}
	})
}

func momentsBy(name string, x []float64, p int) (kernel.Totals, kernel.Squares) {
	defer kernel.Use(name)()
	t, s := kernel.NewTotals(p), kernel.NewSquares(p)
	for l := range p {
		t.Pivot[l], t.Min[l], t.Max[l] = float64(l), math.Inf(1), math.Inf(-1)
		s.Mean[l], s.Inverse[l] = float64(l)/3, 0.5
	}
	t.Add(x)
	s.Add(x)
	return t, s
}
