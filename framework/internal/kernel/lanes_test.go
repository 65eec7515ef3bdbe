package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// inLanes checks that rows keep their labels, and get no larger gaps than without a filter, where they are made whole
// numbers while they are looked at, if they are: those of doubles, and those of a copy. It returns the centers.
func inLanes(t *testing.T, p problem, seed uint64, whole bool) kernel.Centers {
	t.Helper()
	c := p.centers
	c.Pack()
	c.Filter(p.m, 0)
	if c.Lanes() != whole {
		t.Fatalf("%s, seed %d: %d features of %d centers are in whole numbers in the lanes: %v", kernel.Name(), seed, c.S, c.K, c.Lanes())
	}
	want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
	drift := make([]float64, c.K)
	plain := kernel.Centers{K: c.K, S: c.S, Rows: c.Rows}
	plain.Pack()
	want.Assign(p.m, p.x, &plain, drift, true)
	b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Narrow: make([]float32, c.Narrow(p.n))}
	for look := range 2 {
		b.Assign(p.m, p.x, &c, drift, look == 0)
		if !slices.Equal(b.Label, want.Label) {
			t.Fatalf("%s, seed %d, look %d: labels %v, want %v", kernel.Name(), seed, look, b.Label, want.Label)
		}
		for i, gap := range b.Gap {
			if gap > want.Gap[i] {
				t.Fatalf("%s, seed %d, look %d: the gap of row %d is %v, and %v without a filter", kernel.Name(), seed, look, i, gap, want.Gap[i])
			}
			b.Gap[i] = -1 // to be looked at again
		}
	}
	return c
}

func TestRowsInWholeNumbersInTheLanesKeepTheirLabelsAndGetNoLargerGaps(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 20))
			k, s := 33+r.IntN(95), 33+r.IntN(287) // more centers are in groups, and more features of few of them in the lanes
			p := edges(r, 1+r.IntN(150), s, k, 8) // the first cell decides the factor of a row, and not its length
			for i := range p.x {
				if seed%3 == 0 && i/s%5 == 0 {
					p.x[i] *= math.Ldexp(1, int(seed)-30) // long and short rows beside the others
				}
			}
			inLanes(t, p, seed, wholeNumbers() && (k > 64 || 10*k > s)) // dotCenters
		}
	})
}

// Units are 1: the largest cell has all bits. Of two centers, of 25 cells of 3000.4 and of 3000.6, the one is rounded
// down, and the other one up. A row of as many cells of 1500, which loses nothing, since 46300/√25 is a whole number, is nearer to the former, but to the
// latter by rounded centers.
func TestCentersThatAreRoundedApartInTheLanesLeaveRowsBetweenThemUncertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const s, k = 60, 40
		c := kernel.Centers{K: k, S: s, Rows: make([]float64, k*s)}
		for j := 0; j < k; j += 2 { // pairs, so that the origin is 0
			for l := range s {
				v := 0.0
				switch {
				case j < 4 && l >= s-25:
					v = 3000.4 + 0.1*float64(j)
				case j >= 4 && l == j/2-2:
					v = 32766 - float64(j-4)
				}
				c.Rows[j*s+l], c.Rows[(j+1)*s+l] = v, -v
			}
		}
		p := problem{n: 3, x: make([]float64, 3*s), centers: c}
		for i := range p.x {
			if i%s >= s-25 {
				p.x[i] = []float64{1500, -1500, 1480}[i/s]
			}
		}
		inLanes(t, p, 0, wholeNumbers())
	})
}

// Units are 1: a row and all centers have a cell of 32766. Two centers are v and −v, with 25 cells of 6400, to which the
// other cells of the row are as good as orthogonal; all of these are rounded in the direction of v, by 0.49. So what a row loses
// changes the lead by as much as it can: 0.49·√25·‖2v‖.
func TestRowsThatAreRoundedInTheDirectionOfTheirCentersInTheLanesAreUncertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const s, k, cells = 60, 40, 25
		c := kernel.Centers{K: k, S: s, Rows: make([]float64, k*s)}
		for j := 0; j < k; j += 2 { // pairs, so that the origin is 0
			if j == 0 {
				for l := s - cells; l < s; l++ {
					c.Rows[l], c.Rows[s+l] = 6400, -6400
				}
			} else {
				c.Rows[j*s+j/2], c.Rows[(j+1)*s+j/2] = 32766, -32766
			}
		}
		p := problem{n: cells / 2, centers: c}
		p.x = make([]float64, p.n*s)
		for i := range p.n {
			x := p.x[i*s : (i+1)*s]
			x[0] = 32766
			for l := range cells {
				x[s-1-l] = -0.49
				if l <= i {
					x[s-1-l] = 0.51 // 1 when it is rounded: up to 12 of these make a lead for v, and −v is nearer
				}
			}
		}
		inLanes(t, p, 0, wholeNumbers())
	})
}

func TestVerySmallRowsInTheLanesHaveTheLabelsOfTheirDistances(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for e := -46; e < -20; e++ { // squares below 2⁻⁸⁰ say nothing about cells, and centers are longer than 2⁻⁴⁰
			p := newProblem(uint64(-e), 100, 40, 50, kernel.Squared, false, false, false)
			for i := range p.x {
				p.x[i] *= math.Ldexp(0.5, e)
			}
			for i := range p.centers.Rows {
				p.centers.Rows[i] *= math.Ldexp(1, e)
			}
			inLanes(t, p, uint64(-e), wholeNumbers() && e > -43) // the longest of 50 is about 8·2ᵉ long
		}
	})
}

// Rows and centers in the same direction, the longest of all, have the largest sums of products for their lengths, in one
// chain and in several.
func TestSumsOfWholeNumbersInTheLanesStayInRange(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, s := range []int{33, 127, 128, 129, 255, 300, 512, 513} {
			p := sameDirection(96, s, 70)
			for i := range p.x {
				if row := i / s; row >= 64 && i%s/128 != row%3 {
					p.x[i] *= 1e-3 // most of it in one chain
				}
			}
			inLanes(t, p, uint64(s), wholeNumbers() && s <= 512) // lanedFeatures
		}
	})
}

func TestRowsOfWhichNothingCanBeSaidInTheLanesHaveTheLabelsOfTheirDistances(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(3, 200, 60, 50, kernel.Squared, false, false, false)
		for row, size := range map[int]float64{
			0: 0, 7: 1e-30, 31: 1e-160, 32: 1e-320, 64: 1e20, 65: 1e100, 90: 1e200, 150: math.Inf(1), 199: 1e15,
		} {
			for l := range 60 {
				p.x[row*60+l] *= size // NaN, too
			}
		}
		inLanes(t, p, 3, wholeNumbers())
	})
}

// A cell that is much larger than all others leaves them no digits in whole numbers.
func TestRowsAreInWholeNumbersInTheLanesOnlyAsLongAsMostAreCertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 1500, 90, 60, kernel.Squared, false, false, false)
		for of, x := range [][]float64{p.x, p.centers.Rows} {
			for i := range x {
				if i%90 == 3 {
					x[i] = 1e5 * math.Copysign(1, float64((i/90+of)%2)-0.5)
				}
			}
		}
		for pass := range 3 {
			p.centers = inLanes(t, p, uint64(pass), wholeNumbers() && pass == 0)
		}
	})
}

func TestAFilterIsCertainOfMostRowsInWholeNumbersInTheLanes(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 128, 100, kernel.Squared, false, false, false)
		p.centers.Pack()
		p.centers.Filter(p.m, 0)
		if p.centers.Filtered() != (kernel.Name() != "go") {
			t.Fatalf("%s has a filter: %v", kernel.Name(), p.centers.Filtered())
		}
		if !p.centers.Filtered() {
			return
		}
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		b.Assign(p.m, p.x, &p.centers, make([]float64, p.centers.K), true)
		if unsure := p.centers.Unsure(); unsure > 0.03 { // 0.012 in whole numbers, of normal cells
			t.Errorf("%s is uncertain of the share %v of the rows", kernel.Name(), unsure)
		}
	})
}
