package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// between makes rows between two centers each, which half precision takes to the wrong
// side as far as it can: every cell is nearly half a unit away from what it is rounded to,
// in the direction of the nearer center, which is so by about a share of tilt.
func between(r *rand.Rand, p problem, tilt float64) {
	c, s := p.centers.Rows, p.centers.S
	origin := make([]float64, s) // that of the filter
	for i, v := range c {
		origin[i%s] += v / float64(p.centers.K)
	}
	for i := range p.n {
		a, b := c[r.IntN(p.centers.K)*s:][:s], c[r.IntN(p.centers.K)*s:][:s]
		t := 0.5 + tilt*r.NormFloat64()
		for l := range s {
			v := (1-t)*a[l] + t*b[l] - origin[l]
			_, e := math.Frexp(v)
			unit := math.Ldexp(1, e-11)
			v = math.Round(v/unit)*unit + 0.49*unit*math.Copysign(1, a[l]-b[l])*math.Copysign(1, 0.5-t)
			p.x[i*s+l] = v + origin[l]
		}
	}
}

// halves makes a problem with copies in half precision: slabs of rows, features in the
// lanes (which may be in whole numbers), or neither, and numbers that half precision has few bits for, or none.
func halves(seed uint64) (p problem, kind string) {
	r := rand.New(rand.NewPCG(seed, 8))
	n, s, k := 1+r.IntN(150)+r.IntN(9)/8*1000, 1+r.IntN(32), 2+r.IntN(31)
	switch seed % 3 {
	case 1:
		s, k = 100+r.IntN(500), 5+r.IntN(6)
	case 2:
		s, k = 33+r.IntN(60), 16+r.IntN(17)
	}
	p = newProblem(seed, n, s, k, kernel.Squared, false, false, false)
	each := func(share int, change func(i int)) {
		for i := range p.x {
			if r.IntN(share) == 0 {
				change(i)
			}
		}
	}
	kinds := []string{"normal", "between", "ties", "equal centers", "far", "outliers", "no bits", "near the largest", "scaled", "infinite"}
	switch kind = kinds[r.IntN(len(kinds))]; kind {
	case "between":
		between(r, p, 0x1p-11)
	case "ties":
		for _, v := range [][]float64{p.x, p.centers.Rows} {
			for i := range v {
				v[i] = math.Round(v[i])
			}
		}
	case "equal centers":
		for j := range k / 2 {
			copy(p.centers.Rows[j*s:(j+1)*s], p.centers.Rows[r.IntN(k)*s:])
		}
	case "far":
		for _, v := range [][]float64{p.x, p.centers.Rows} {
			for i := range v {
				v[i] += 1e8
			}
		}
	case "outliers":
		each(20, func(i int) { p.x[i] *= math.Pow(10, float64(r.IntN(8))) })
	case "no bits": // subnormal in half precision, or 0
		each(1, func(i int) { p.x[i] *= math.Ldexp(1, -10-r.IntN(20)) })
	case "near the largest": // 65504 after scaling, and numbers that are rounded to infinity
		each(10, func(i int) { p.x[i] *= math.Ldexp(1, 8+r.IntN(8)) })
	case "scaled":
		size := math.Pow(10, float64(r.IntN(31)-15))
		for _, v := range [][]float64{p.x, p.centers.Rows} {
			for i := range v {
				v[i] *= size
			}
		}
	case "infinite":
		each(200, func(i int) { p.x[i] = math.Copysign(1e300, p.x[i]) })
	}
	return p, kind
}

func TestACopyInHalfPrecisionChangesNoLabelAndItsGapsAreNotAboveThoseWithout(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		seen := map[string]int{}
		for seed := range uint64(400) {
			p, kind := halves(seed)
			r := rand.New(rand.NewPCG(seed, 9))
			c := p.centers
			plain := c
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			drift := make([]float64, c.K)
			for step := range 3 { // each looks at all rows, the first one by all and the others by a drift
				c.Pack()
				c.Filter(p.m, 0)
				if step == 0 && (c.Halved() || c.Short()) {
					b.Narrow = make([]float32, c.Narrow(p.n))
					seen[kind]++
				}
				b.Assign(p.m, p.x, &c, drift, step == 0)
				plain.Rows = c.Rows
				plain.Pack()
				want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
				want.Assign(p.m, p.x, &plain, drift, true)
				if !slices.Equal(b.Label, want.Label) {
					t.Fatalf("%s, seed %d, %s, step %d: labels %v, want %v", kernel.Name(), seed, kind, step, b.Label, want.Label)
				}
				for i, gap := range b.Gap {
					if gap > want.Gap[i] {
						t.Fatalf("%s, seed %d, %s, step %d: the gap of row %d is %v, and %v without a copy",
							kernel.Name(), seed, kind, step, i, gap, want.Gap[i])
					}
				}
				for j := range drift {
					drift[j] += 1e38
				}
				c.Rows = slices.Clone(c.Rows)
				c.Rows[r.IntN(len(c.Rows))] *= 1 + 1e-3*r.NormFloat64()
			}
		}
		if kernel.Name() != "go" && len(seen) != 10 {
			t.Fatalf("kinds of problems with copies in half precision: %v", seen)
		}
	})
}

// Copies in half precision, or whole numbers, that left many rows uncertain would pass the law.
func TestACopyInHalfPrecisionIsCertainOfMostRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, of := range []struct{ n, s, k int }{{3000, 20, 10}, {3000, 50, 20}, {1000, 400, 10}} {
			p := newProblem(1, of.n, of.s, of.k, kernel.Squared, false, false, false)
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if p.centers.Halved() == p.centers.Short() {
				if kernel.Name() != "go" {
					t.Fatalf("%s has no copies in half precision or whole numbers", kernel.Name())
				}
				return
			}
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Narrow: make([]float32, p.centers.Narrow(p.n))}
			b.Assign(p.m, p.x, &p.centers, make([]float64, p.centers.K), true)
			if unsure := p.centers.Unsure(); unsure > 0.02 { // 0.002 to 0.005, of normal cells
				t.Errorf("%s is uncertain of the share %v of the rows of %v", kernel.Name(), unsure, of)
			}
		}
	})
}

// Where half precision, and whole numbers before it, are certain of too few rows, single precision takes its place.
func TestCopiesGoBackToSinglePrecisionWhereHalfIsNotEnough(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(2, 2000, 20, 10, kernel.Squared, false, false, false)
		between(rand.New(rand.NewPCG(1, 1)), p, 0x1p-14)
		c := p.centers
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		drift := make([]float64, c.K)
		halved := false
		for step := range 4 {
			c.Pack()
			c.Filter(p.m, 0)
			if step == 0 && !c.Halved() && !c.Short() {
				if kernel.Name() != "go" {
					t.Fatalf("%s has no copies in half precision or whole numbers", kernel.Name())
				}
				return
			}
			halved = halved || c.Halved()
			if n := c.Narrow(p.n); len(b.Narrow) != n {
				b.Narrow = make([]float32, n)
			}
			b.Assign(p.m, p.x, &c, drift, step == 0)
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &c)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, step %d: labels %v, want %v", kernel.Name(), step, b.Label, want.Label)
			}
			for j := range drift {
				drift[j] += 1e38
			}
		}
		if c.Halved() || c.Short() || !halved || !c.Filtered() {
			t.Errorf("%s: copies are not in single precision after half, with the share %v of the rows uncertain", kernel.Name(), c.Unsure())
		}
	})
}

// Without half precision there is nothing to go back to before a filter rests.
func TestAFilterInSinglePrecisionRestsAtOnceAfterMostRowsWereUncertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(3, 500, 20, 300, kernel.Squared, false, false, false)
		c := p.centers
		copy(c.Rows[150*c.S:], c.Rows[:150*c.S]) // each center twice: no row can be certain
		for pass := range 2 {
			c.Pack()
			c.Filter(p.m, 0)
			if c.Halved() || kernel.Name() != "go" && c.Filtered() != (pass == 0) {
				t.Fatalf("%s, pass %d: filtered %v, in half precision %v", kernel.Name(), pass, c.Filtered(), c.Halved())
			}
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			b.Assign(p.m, p.x, &c, make([]float64, c.K), true)
		}
	})
}
