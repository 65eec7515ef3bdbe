package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// anyShape makes centers and rows of very different lengths for slabs, for features in the lanes, or for groups.
func anyShape(r *rand.Rand) (p problem, kind string) {
	n, s, k := 1+r.IntN(300)+r.IntN(9)/8*2000, 1+r.IntN(32), []int{2, 3, 5, 16, 17, 31, 32, 33, 100, 255, 256, 257}[r.IntN(12)]
	switch r.IntN(8) {
	case 0:
		n, k = 1+r.IntN(100), 5+r.IntN(60)
		s = max(100, 10*k) + r.IntN(200)
	case 1:
		n, s, k = 1+r.IntN(100), 32+r.IntN(200), 128+r.IntN(200)
	}
	p = newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	c, narrow, all := p.centers.Rows, r.IntN(4) == 0, []float64{1, 1, 0.01, 1e-4}[r.IntN(4)] // but the first center
	for i := range c {
		if i >= s {
			c[i] *= all
		}
		if narrow && i%s > 0 {
			c[i] *= 1e-5
		}
	}
	kinds := []string{"normal", "nearly tied", "near centers", "of any length", "whole", "in the direction of centers"}
	kind = kinds[r.IntN(len(kinds))]
	for i := range n {
		row, a, b := p.x[i*s:(i+1)*s], c[r.IntN(k)*s:][:s], c[r.IntN(k)*s:][:s]
		near, tie := math.Pow(10, -9*r.Float64()), 0.5+math.Pow(2, -6-30*r.Float64())*r.NormFloat64()
		size := math.Pow(10, 8*r.Float64()-5)
		if r.IntN(2) == 0 {
			size = -size
		}
		for l := range row {
			switch kind {
			case "nearly tied":
				row[l] = (1-tie)*a[l] + tie*b[l] + near*1e-3*row[l]
			case "near centers":
				row[l] = a[l] + near*row[l]
			case "of any length":
				row[l] *= size
			case "whole":
				row[l] = math.Round(4 * row[l])
			case "in the direction of centers":
				row[l] = size * a[l]
			}
		}
	}
	return p, kind
}

// Copies are of the time of the first centers, and of their origin. Later ones may be longer or shorter, as far as whole numbers go
// and farther.
func TestCopiesInWholeNumbersChangeNoLabelWhileCentersGrowAndShrink(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 23))
			p, kind := anyShape(r)
			c, s := p.centers, p.centers.S
			scale := math.Pow(10, float64(r.IntN(21)-10))
			if r.IntN(10) == 0 {
				scale = math.Pow(10, float64(r.IntN(301)-150))
			}
			offset := []float64{0, 0, 1e8, -1e8 * scale}[r.IntN(4)]
			for _, v := range [][]float64{p.x, c.Rows} {
				for i := range v {
					v[i] = v[i]*scale + offset
				}
			}
			if r.IntN(6) == 0 {
				p.x[r.IntN(len(p.x))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e20 * scale}[r.IntN(5)]
			}
			origin, _ := originOf(&c)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			first, before := c.Rows, c.Rows
			for step := range 6 {
				c.Pack()
				c.Forgive()
				c.Filter(p.m, 0)
				moved := make([]float64, c.K)
				for i, v := range c.Rows {
					moved[i/s] += (v - before[i]) * (v - before[i])
				}
				for j := range moved {
					moved[j] = math.Sqrt(moved[j]) * (1 + 1e-9) // not rounded down
				}
				c.Moved(moved)
				if n := c.Narrow(p.n); len(b.Narrow) != n {
					b.Narrow = make([]float32, n)
				}
				if n := c.Groups() * p.n; len(b.Lower) != n {
					b.Lower = make([]float32, n)
				}
				of := []any{seed, kind, c.K, s, step}
				if step == 0 {
					p.compare(t, &c, &b, make([]float64, c.K), true, "case", of)
				}
				p.again(t, &c, &b, "case", of)
				for i := range b.Gap {
					if r.IntN(12) == 0 {
						b.Gap[i] = -1 // a few rows of slabs
					}
				}
				p.compare(t, &c, &b, make([]float64, c.K), false, "some rows, case", of)
				sizes := []float64{1e-6, 1e-3, 0.3, 0.9, 1, 1.1, 3, 20, slabGrowth - 1, slabGrowth - 0.1, slabGrowth + 0.1, 500}
				before, c.Rows = c.Rows, grown(first, origin, sizes[r.IntN(len(sizes)-r.IntN(2)*2)])
				for i := range c.Rows {
					c.Rows[i] += 0.05 * scale * r.NormFloat64() * float64(r.IntN(2))
				}
			}
		}
	})
}
