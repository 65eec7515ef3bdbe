package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// The numbers of slabs in whole numbers, as in whole.go.
const (
	slabRows   = 32
	slabLength = 46300
	slabCell   = 32766
	slabGrowth = 32
)

// originOf returns the origin of a filter that is made for the first time, and the length of the longest center from it.
func originOf(c *kernel.Centers) (origin []float64, longest float64) {
	origin = make([]float64, c.S)
	for i, v := range c.Rows {
		origin[i%c.S] += v / float64(c.K)
	}
	for j := range c.K {
		square := 0.0
		for l, v := range c.Rows[j*c.S : (j+1)*c.S] {
			square += (v - origin[l]) * (v - origin[l])
		}
		longest = max(longest, math.Sqrt(square))
	}
	return origin, longest
}

// slabEdges makes rows between two centers each, which the whole numbers of a slab take to the wrong side as far as they
// can: the first row of a slab decides its unit, and each cell of the others is nearly half a unit away from what it is rounded
// to, in the direction of the nearer center.
func slabEdges(r *rand.Rand, n, s, k int) problem {
	p := newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	c := p.centers.Rows
	origin, longest := originOf(&p.centers)
	for from := 0; from < n; from += slabRows {
		size := longest * (1 + r.Float64()*float64(r.IntN(20)))
		unit := max(size/slabLength, size/slabCell) // its only cell is its length
		for i := from; i < min(from+slabRows, n); i++ {
			row := p.x[i*s : (i+1)*s]
			if i == from {
				copy(row, origin)
				row[r.IntN(s)] += size
				continue
			}
			a, b := c[r.IntN(k)*s:][:s], c[r.IntN(k)*s:][:s]
			t := 0.5 + 0x1p-12*r.NormFloat64()
			for l := range s {
				v := (1-t)*a[l] + t*b[l] - origin[l]
				row[l] = math.Round(v/unit)*unit + 0.49*unit*math.Copysign(1, a[l]-b[l])*math.Copysign(1, 0.5-t) + origin[l]
			}
		}
	}
	return p
}

// compare assigns all rows, first by all and then from a copy of them, and compares with what Assign finds without a filter.
func (p problem) compare(t *testing.T, c *kernel.Centers, b *kernel.Bound, drift []float64, all bool, what string, of any) {
	t.Helper()
	plain := kernel.Centers{K: c.K, S: c.S, Rows: c.Rows}
	plain.Pack()
	want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
	want.Assign(p.m, p.x, &plain, drift, true)
	b.Assign(p.m, p.x, c, drift, all)
	for i, label := range b.Label {
		if label != want.Label[i] {
			t.Fatalf("%s, %s %v: row %d gets the label %d, want %d", kernel.Name(), what, of, i, label, want.Label[i])
		}
		if b.Gap[i] > want.Gap[i] {
			t.Fatalf("%s, %s %v: the gap of row %d is %v, and %v without a copy", kernel.Name(), what, of, i, b.Gap[i], want.Gap[i])
		}
	}
}

func TestSlabsInWholeNumbersChangeNoLabelAndTheirGapsAreNotAboveThoseWithout(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 21))
			p := slabEdges(r, 1+r.IntN(150)+r.IntN(9)/8*2000, 1+r.IntN(31), 2+r.IntN(31)+r.IntN(5)/4*224)
			c := p.centers
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			drift := make([]float64, c.K)
			for step := range 3 {
				c.Pack()
				c.Filter(p.m, 0)
				if step == 0 {
					if c.Short() != wholeNumbers() {
						t.Fatalf("%s has slabs in whole numbers of %d features: %v", kernel.Name(), c.S, c.Short())
					}
					b.Narrow = make([]float32, c.Narrow(p.n))
				}
				p.compare(t, &c, &b, drift, step == 0, "seed", seed)
				for j := range drift {
					drift[j] += 1e38
				}
				c.Rows = slices.Clone(c.Rows)
				c.Rows[r.IntN(len(c.Rows))] *= 1 + 1e-4*r.NormFloat64()
			}
		}
	})
}

// Rows and centers in the same direction have the largest sums for their lengths, in both directions; and centers that
// have grown since the copy was made have larger ones.
func TestSumsOfSlabsInWholeNumbersStayInRange(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, s := range []int{1, 2, 3, 8, 31, 32} {
			for _, growth := range []float64{1e-6, 0.5, 1, 2, 10, slabGrowth * 0.99, slabGrowth * 1.01, 1e4} {
				for _, length := range []float64{1e-9, 0.1, 1, 3, 1e3, 1e15} {
					p := newProblem(uint64(s), 3*slabRows+5, s, 7, kernel.Squared, false, false, false)
					c := p.centers
					point := func(at []float64, size float64, one bool) {
						for l := range at {
							at[l] = size / math.Sqrt(float64(s))
							if one {
								at[l] = 0
							}
						}
						if one {
							at[s-1] = size
						}
					}
					for j := range c.K {
						point(c.Rows[j*s:(j+1)*s], []float64{1, -1, 0.5, -0.5, 1, -1, 0}[j], j >= 4) // their mean is 0
					}
					for i := range p.n {
						size := length * math.Copysign(1-0.01*float64(i%slabRows), float64(i%2)-0.5)
						point(p.x[i*s:(i+1)*s], size, i >= 2*slabRows)
					}
					b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
					drift := make([]float64, c.K)
					for step := range 3 {
						c.Pack()
						c.Filter(p.m, 0)
						if step == 0 {
							b.Narrow = make([]float32, c.Narrow(p.n))
						}
						p.compare(t, &c, &b, drift, step == 0, "features, growth and length", []float64{float64(s), growth, length})
						if step == 0 {
							c.Rows = slices.Clone(c.Rows)
							for i := range c.Rows {
								c.Rows[i] *= growth
							}
						}
						for j := range drift {
							drift[j] += 1e38
						}
					}
				}
			}
		}
	})
}

// A row that is much longer than all others leaves them no digits, if it is in their slab.
func TestSlabsAreInWholeNumbersOnlyAsLongAsMostRowsAreCertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, every := range []int{slabRows, 50 * slabRows} {
			p := newProblem(1, 3200, 10, 12, kernel.Squared, false, false, false)
			for i := 0; i < p.n; i += every {
				p.x[i*10+3] = 1e6
			}
			c := p.centers
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			drift := make([]float64, c.K)
			for pass := range 3 {
				c.Pack()
				c.Filter(p.m, 0)
				if c.Short() != (wholeNumbers() && (pass == 0 || every > slabRows)) {
					t.Errorf("%s, long rows every %d: whole numbers in pass %d: %v", kernel.Name(), every, pass, c.Short())
				}
				if n := c.Narrow(p.n); len(b.Narrow) != n {
					b.Narrow = make([]float32, n)
				}
				p.compare(t, &c, &b, drift, pass == 0, "long rows every", every)
				for j := range drift {
					drift[j] += 1e38
				}
			}
		}
	})
}

// Centers that have grown too far for the copy get another one, and not none for ever.
func TestCopiesAreInHalfPrecisionWhereCentersOutgrowWholeNumbers(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(4, 500, 6, 10, kernel.Squared, false, false, false)
		c := p.centers
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		drift := make([]float64, c.K)
		for step := range 4 {
			c.Pack()
			c.Filter(p.m, 0)
			if n := c.Narrow(p.n); len(b.Narrow) != n {
				b.Narrow = make([]float32, n)
			}
			p.compare(t, &c, &b, drift, step == 0, "step", step)
			if step == 0 {
				c.Rows = slices.Clone(c.Rows)
				for i := range c.Rows {
					c.Rows[i] *= 100
				}
			}
			for j := range drift {
				drift[j] += 1e38
			}
		}
		if kernel.Name() != "go" && !c.Halved() {
			t.Errorf("%s: copies are not in half precision", kernel.Name())
		}
	})
}

// again looks at all rows once more, from their copies, and compares.
func (p problem) again(t *testing.T, c *kernel.Centers, b *kernel.Bound, what string, of any) {
	t.Helper()
	for i := range b.Gap {
		b.Gap[i] = -1
	}
	p.compare(t, c, b, make([]float64, c.K), false, what, of)
}

// grown returns centers that are so many times as far from a point as before.
func grown(rows, from []float64, growth float64) []float64 {
	to := make([]float64, len(rows))
	for i, v := range rows {
		to[i] = from[i%len(from)] + growth*(v-from[i%len(from)])
	}
	return to
}

// The number of a center in the last bits of a sum changes most where the units of a slab are large and all else is small: the
// distance of a row to its center, and the lead of that before another one, if they are near each other and the origin, beside
// a long row.
func TestRowsNearTheirCentersBesideLongRowsInWholeNumbersHaveTheirLabelsAndNoLargerGaps(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 22))
			s, k, growth := 1+r.IntN(4), 129+r.IntN(128), []float64{1, 4, slabGrowth - 1}[seed%3] // numbers have 8 bits
			p := newProblem(seed, 20*slabRows, s, k, kernel.Squared, false, false, false)
			c := p.centers
			for j := range k {
				size := 0.6 + 0.4*r.Float64()
				if j == 0 {
					size = 0.05 * r.Float64()
				}
				row := c.Rows[j*s : (j+1)*s]
				square := 0.0
				for _, v := range row {
					square += v * v
				}
				for l := range row {
					row[l] *= size / math.Sqrt(square)
				}
			}
			if seed%2 == 0 {
				for l := range s { // the numbers of the first center and the last differ in all bits
					c.Rows[(k-1)*s+l] = c.Rows[l] + 0.05*r.NormFloat64()
				}
			}
			origin, longest := originOf(&c)
			late := grown(c.Rows, origin, growth)
			longest *= growth
			for i := range p.n {
				row := p.x[i*s : (i+1)*s]
				if i%slabRows == 0 {
					copy(row, origin)
					row[r.IntN(s)] += math.Pow(10, 3*float64(i)/float64(p.n)) * longest
					continue
				}
				d := math.Pow(10, -1.5-2*r.Float64()) * longest
				for l := range row {
					row[l] = late[l] + d*r.NormFloat64()
				}
			}
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			c.Pack()
			c.Filter(p.m, 0)
			b.Narrow = make([]float32, c.Narrow(p.n))
			p.compare(t, &c, &b, make([]float64, k), true, "seed", seed)
			c.Forgive()
			c.Rows = late
			c.Pack()
			c.Filter(p.m, 0)
			if c.Short() != wholeNumbers() {
				t.Fatalf("%s, seed %d: slabs in whole numbers: %v", kernel.Name(), seed, c.Short())
			}
			p.again(t, &c, &b, "seed", seed)
		}
	})
}
