package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// wholeNumbers reports whether the implementation multiplies whole numbers.
func wholeNumbers() bool { return kernel.Name() == "avx512vnni" || kernel.Name() == "avx2" }

// sameDirection makes rows and two centers, the longest of all, in one direction or against it. Rows from the 32nd on have one large cell.
func sameDirection(n, s, k int) problem {
	p := newProblem(uint64(s), n, s, k, kernel.Squared, false, false, false)
	for i := range p.centers.Rows {
		switch {
		case i < s:
			p.centers.Rows[i] = 1
		case i < 2*s:
			p.centers.Rows[i] = -1
		default:
			p.centers.Rows[i] *= 0.01
		}
	}
	for i := range p.x {
		row := i / s
		p.x[i] = []float64{1, -1, 1e3, -1e-3}[row%4] * (1 + 0.01*float64(row))
		if row >= 32 && i%s != row%s {
			p.x[i] *= 1e-6
		}
	}
	return p
}

// Rows and centers in the same direction have the largest sums of products for their lengths.
func TestSumsOfWholeNumbersStayInRange(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, s := range []int{32, 127, 128, 129, 256, 300} {
			p := sameDirection(64, s, 130)
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if !p.centers.Filtered() {
				if kernel.Name() != "go" {
					t.Fatalf("%s has no filter", kernel.Name())
				}
				return
			}
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &p.centers)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
			drift := make([]float64, p.centers.K)
			for range 2 { // with rows in the lanes, and with centers
				b.Assign(p.m, p.x, &p.centers, drift, b.Gap[0] == 0)
				if !slices.Equal(b.Label, want.Label) {
					t.Fatalf("%s, %d features: labels %v, want %v", kernel.Name(), s, b.Label, want.Label)
				}
				for i := range b.Gap {
					b.Gap[i] = -1
				}
			}
		}
	})
}

// To round cells to whole numbers makes fewer rows certain, but not few.
func TestGroupsAreCertainOfMostRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 40, 300, kernel.Squared, false, false, false)
		p.centers.Pack()
		p.centers.Filter(p.m, 0)
		if !p.centers.Filtered() {
			if kernel.Name() != "go" {
				t.Fatalf("%s has no filter", kernel.Name())
			}
			return
		}
		if p.centers.Whole() != wholeNumbers() {
			t.Fatalf("%s has groups in whole numbers: %v", kernel.Name(), p.centers.Whole())
		}
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
		b.Assign(p.m, p.x, &p.centers, make([]float64, p.centers.K), true)
		if unsure := p.centers.Unsure(); unsure > 0.02 { // 0.005 in whole numbers, of normal cells
			t.Errorf("%s is uncertain of the share %v of the rows", kernel.Name(), unsure)
		}
	})
}

// A cell that is much larger than all others leaves them no digits.
func TestGroupsAreInWholeNumbersOnlyAsLongAsMostRowsAreCertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 40, 300, kernel.Squared, false, false, false)
		for i := range p.x {
			if i%40 == 3 {
				p.x[i] = 1e5
			}
		}
		for i := range p.centers.Rows {
			if i%40 == 3 {
				p.centers.Rows[i] = 1e5 * math.Copysign(1, float64(i/40%2)-0.5)
			}
		}
		drift := make([]float64, p.centers.K)
		for pass := range 3 {
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if p.centers.Whole() && pass > 0 {
				t.Errorf("%s has whole numbers in pass %d, and was uncertain of the share %v before", kernel.Name(), pass, p.centers.Unsure())
			}
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &p.centers)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
			b.Assign(p.m, p.x, &p.centers, drift, true)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, pass %d: labels differ", kernel.Name(), pass)
			}
		}
	})
}

// edges makes rows between two centers each, which whole numbers take to the wrong side as far
// as they can: the first cell of a row decides its factor, and each other one is nearly half a unit away from
// what it is rounded to, in the direction of the nearer center.
func edges(r *rand.Rand, n, s, k int, first float64) problem {
	p := newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	c := p.centers.Rows
	origin := make([]float64, s) // that of the filter
	for i, v := range c {
		origin[i%s] += v / float64(k)
	}
	for i := range n {
		a, b := c[r.IntN(k)*s:][:s], c[r.IntN(k)*s:][:s]
		row := p.x[i*s : (i+1)*s]
		t, large := 0.5+0x1p-11*r.NormFloat64(), 0.0
		for l := range s {
			row[l] = (1-t)*a[l] + t*b[l] - origin[l]
			large = max(large, first*math.Abs(row[l]))
		}
		unit := large / 32766
		for l := range s {
			row[l] = math.Round(row[l]/unit)*unit + 0.49*unit*math.Copysign(1, a[l]-b[l])*math.Copysign(1, 0.5-t)
		}
		row[0] = large
		for l := range s {
			row[l] += origin[l]
		}
	}
	return p
}

func TestACopyInWholeNumbersChangesNoLabelAndItsGapsAreNotAboveThoseWithout(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 10))
			k := 5 + r.IntN(60)
			p := edges(r, 1+r.IntN(150), max(100, 10*k)+r.IntN(300), k, 2)
			c := p.centers
			c.Pack()
			c.Filter(p.m, 0)
			if c.Short() != wholeNumbers() {
				t.Fatalf("%s has copies in whole numbers: %v", kernel.Name(), c.Short())
			}
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Narrow: make([]float32, c.Narrow(p.n))}
			want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			drift := make([]float64, c.K)
			b.Assign(p.m, p.x, &c, drift, true)
			plain := c
			plain.Pack()
			want.Assign(p.m, p.x, &plain, drift, true)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, seed %d: labels %v, want %v", kernel.Name(), seed, b.Label, want.Label)
			}
			for i, gap := range b.Gap {
				if gap > want.Gap[i] {
					t.Fatalf("%s, seed %d: the gap of row %d is %v, and %v without a copy", kernel.Name(), seed, i, gap, want.Gap[i])
				}
			}
		}
	})
}

// Rows and centers in the same direction, or in one lane, have the largest sums of products for their lengths.
func TestSumsOfCopiesInWholeNumbersStayInRange(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, s := range []int{100, 120, 121, 250, 1000, 4096, 4097} {
			p := sameDirection(48, s, 10)
			for i := 2 * s; i < 4*s; i++ {
				p.centers.Rows[i] = math.Copysign(float64(i%32/2/15), float64(i/s)-2.5) // in a lane
			}
			for i := range p.x {
				if i/s >= 16 && i%s%32/2 != 15 {
					p.x[i] *= 1e-6
				}
			}
			c := p.centers
			c.Pack()
			c.Filter(p.m, 0)
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &c)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Narrow: make([]float32, c.Narrow(p.n))}
			b.Assign(p.m, p.x, &c, make([]float64, c.K), true)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, %d features: labels %v, want %v", kernel.Name(), s, b.Label, want.Label)
			}
		}
	})
}

// A cell that is much larger than all others leaves them no digits in whole numbers.
func TestCopiesAreInWholeNumbersOnlyAsLongAsMostRowsAreCertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 1500, 200, 10, kernel.Squared, false, false, false)
		for i := range p.x {
			if i%200 == 3 {
				p.x[i] = 1e5 * math.Copysign(1, float64(i/200%2)-0.5)
			}
		}
		for i := range p.centers.Rows {
			if i%200 == 3 {
				p.centers.Rows[i] = 1e5 * math.Copysign(1, float64(i/200%2)-0.5)
			}
		}
		c := p.centers
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		drift := make([]float64, c.K)
		for pass := range 4 {
			c.Pack()
			c.Filter(p.m, 0)
			if c.Short() != (wholeNumbers() && pass == 0) {
				t.Errorf("%s has whole numbers in pass %d: %v", kernel.Name(), pass, c.Short())
			}
			if n := c.Narrow(p.n); len(b.Narrow) != n {
				b.Narrow = make([]float32, n)
			}
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &c)
			b.Assign(p.m, p.x, &c, drift, pass == 0)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, pass %d: labels differ", kernel.Name(), pass)
			}
			for j := range drift {
				drift[j] += 1e38
			}
		}
	})
}
