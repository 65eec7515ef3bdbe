package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// A copy is kept while centers move far from where its origin and its scale were chosen.
func TestACopyInHalfPrecisionThatIsKeptWhileCentersMoveChangesNoLabel(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(250) {
			p, kind := halves(seed + 1000)
			r := rand.New(rand.NewPCG(seed, 10))
			c := p.centers
			k, s := c.K, c.S
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			drift := make([]float64, k)
			for step := range 6 {
				c.Pack()
				c.Filter(p.m, 0)
				if n := c.Narrow(p.n); n > 0 && len(b.Narrow) != n {
					b.Narrow = make([]float32, n)
				}
				b.Assign(p.m, p.x, &c, drift, step == 0)
				want := kernel.Nearest{Label: make([]int32, p.n)}
				want.Find(p.m, p.x, &c)
				if !slices.Equal(b.Label, want.Label) {
					t.Fatalf("%s, seed %d, %s, step %d: labels %v, want %v", kernel.Name(), seed, kind, step, b.Label, want.Label)
				}
				before := c.Rows
				c.Rows = slices.Clone(before)
				by := math.Pow(10, -4*r.Float64())
				moved := make([]float64, k)
				if r.IntN(4) == 0 { // all shrink to a place, or grow from it
					f := math.Ldexp(1, r.IntN(16)-8)
					for i := range c.Rows {
						c.Rows[i] = c.Rows[i%s] + f*(c.Rows[i]-c.Rows[i%s])
					}
				}
				for j := range k {
					square := 0.0
					for l := range s {
						v := &c.Rows[j*s+l]
						if r.IntN(3) == 0 {
							*v += by * r.NormFloat64() * math.Abs(*v)
						}
						square += (*v - before[j*s+l]) * (*v - before[j*s+l])
					}
					moved[j] = math.Sqrt(square) * (1 + 1e-9)
				}
				for j := range k {
					other := 0.0
					for i, d := range moved {
						if i != j {
							other = max(other, d)
						}
					}
					drift[j] += (moved[j] + other) * (1 + 1e-9)
				}
			}
		}
	})
}
