package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// opposed makes rows that half precision takes as far to the wrong side as its bound says:
// the first two centers are opposite and differ by nearly the same in every feature, the
// cells of a row are all of one size, and each is nearly half a unit away from what it is
// rounded to, in the direction of one center. What is lost is then parallel to the
// difference of the centers. The lead of what it is rounded to is between half of that
// and all of it, on the other side.
func opposed(r *rand.Rand, n, s, k int, size float64) problem {
	p := newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	c := p.centers.Rows
	for j := 0; j+1 < k; j += 2 { // in pairs, so that the origin of the filter is 0
		for l := range s {
			v := size * (1 + 1e-3*(r.Float64()-0.5))
			if j > 0 {
				v *= 1 + 1e-2*(1+r.Float64())
			}
			c[j*s+l], c[(j+1)*s+l] = v, -v
		}
	}
	if k%2 == 1 {
		clear(c[(k-1)*s:])
	}
	for i := range n {
		row := p.x[i*s : (i+1)*s]
		_, e := math.Frexp(math.Ldexp(size, -r.IntN(12)))
		least, unit := math.Ldexp(1, e-1), math.Ldexp(1, e-11)
		share := []float64{0.3, 0.49, 0.499}[r.IntN(3)]
		side := math.Copysign(1, r.NormFloat64())
		lead, most := 0.0, 0.0
		for l := range s {
			d := 2 * c[l]
			row[l] = math.Copysign(least*(1+math.Ldexp(float64(r.IntN(4)), -10)), -lead)
			lead, most = lead+row[l]*d, most+share*unit*math.Abs(d)
		}
		want := -side * most * (0.5 + 0.5*r.Float64())
		for l, steps := 0, 0; steps < 40*s && math.Abs(lead-want) > unit*2*size; l, steps = (l+1)%s, steps+1 {
			step := math.Copysign(unit, want-lead)
			if v := math.Abs(row[l] + step); v >= least && v < 2*least {
				row[l], lead = row[l]+step, lead+step*2*c[l]
			}
		}
		for l := range row {
			row[l] += side * share * unit
		}
	}
	return p
}

// With nine tenths of the bound, some of these labels and gaps are wrong.
func TestACopyInHalfPrecisionIsRightWhereAllItHasLostPointsToAnotherCenter(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(400) {
			r := rand.New(rand.NewPCG(seed, 77))
			n, s, k, size := 1+r.IntN(120), 2+r.IntN(39), 2+r.IntN(31), 1.0
			switch seed % 5 {
			case 1:
				k = 2
			case 2:
				s, k = 100+r.IntN(900), 5+r.IntN(8)
			case 3:
				size = math.Ldexp(1+r.Float64(), r.IntN(56)-33)
			}
			p := opposed(r, n, s, k, size)
			if seed%8 == 0 {
				for l := range s {
					p.x[l] *= math.Pow(10, float64(r.IntN(9)))
				}
			}
			c := p.centers
			c.Pack()
			c.Filter(p.m, 0)
			b := kernel.Bound{Label: make([]int32, n), Gap: make([]float32, n)}
			if c.Halved() {
				b.Narrow = make([]float32, c.Narrow(n))
			}
			b.Assign(p.m, p.x, &c, make([]float64, k), true)
			want := kernel.Nearest{Label: make([]int32, n), Best: make([]float64, n), Second: make([]float64, n)}
			want.Find(p.m, p.x, &c)
			for i, gap := range b.Gap {
				if b.Label[i] != want.Label[i] || gap > 0 && float64(gap) > math.Sqrt(want.Second[i])-math.Sqrt(want.Best[i]) {
					t.Fatalf("%s, seed %d, %d features, %d centers: row %d has label %d, gap %v, want %d, %v", kernel.Name(), seed, s, k, i,
						b.Label[i], gap, want.Label[i], math.Sqrt(want.Second[i])-math.Sqrt(want.Best[i]))
				}
			}
		}
	})
}
