package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// drifts returns by how much each label may have lost its lead when the centers
// move, and how far each has moved, computed with a margin of its own.
func drifts(m kernel.Measure, before, after []float64, k, s int) (drift, moved []float64) {
	moved = make([]float64, k)
	for j := range moved {
		for l := range s {
			d, w := math.Abs(before[j*s+l]-after[j*s+l]), 1.0
			if m.Weights != nil {
				w = m.Weights[l]
			}
			if m.Loss == kernel.Squared {
				d *= d
			}
			moved[j] += w * d
		}
		if m.Loss == kernel.Squared {
			moved[j] = math.Sqrt(moved[j])
		}
		moved[j] *= 1 + 1e-12
	}
	drift = make([]float64, k)
	for j := range drift {
		for i, d := range moved {
			if i != j {
				drift[j] = max(drift[j], d)
			}
		}
		drift[j] = (drift[j] + moved[j]) * (1 + 1e-12)
	}
	return drift, moved
}

// walk moves the centers of a problem several times, some of them by very little or
// not at all, and checks the labels of the bound each time. It returns the share of
// distances that the bound saved.
func (p problem) walk(t *testing.T, r *rand.Rand, steps int) float64 {
	t.Helper()
	c := p.centers
	b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
	drift := make([]float64, c.K)
	computed := 0
	for step := range steps {
		before := slices.Clone(c.Rows)
		if step > 0 {
			size := []float64{0, 1e-16, 1e-9, 1e-3, 0.1, 1}[r.IntN(6)]
			alone := r.IntN(2 * c.K) // below K: no other center moves
			for i := range c.Rows {
				if r.IntN(3) == 0 && (alone >= c.K || i/c.S == alone) {
					c.Rows[i] += size * float64(r.IntN(3)-1)
				}
			}
		}
		c.Pack()
		if p.filtered && r.IntN(6) > 0 { // it may rest
			c.Filter(p.m, 0)
		}
		now, moved := drifts(p.m, before, c.Rows, c.K, c.S)
		for j, d := range now {
			drift[j] += d
		}
		c.Moved(moved)
		if n := c.Groups() * p.n; n != 0 && len(b.Lower) != n {
			b.Lower = make([]float32, n)
		}
		if p.filtered && step == 0 && r.IntN(3) > 0 {
			b.Narrow = make([]float32, c.Narrow(p.n))
		}
		computed += b.Assign(p.m, p.x, &c, drift, step == 0)
		want := kernel.Nearest{Label: make([]int32, p.n)}
		want.Find(p.m, p.x, &c)
		if !slices.Equal(b.Label, want.Label) {
			t.Fatalf("%s, step %d: labels %v, want %v", kernel.Name(), step, b.Label, want.Label)
		}
		if c.Groups() > 0 {
			p.checkBounds(t, &c, &b, drift)
		}
	}
	return 1 - float64(computed)/float64(p.n*steps)
}

func TestABoundNeverChangesALabel(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		var saved, problems float64
		for seed := range uint64(400) {
			r := rand.New(rand.NewPCG(seed, 2))
			n, s, k := 1+r.IntN(50), 1+r.IntN(6), 1+r.IntN(12)
			p := newProblem(seed, n, s, k, kernel.Loss(seed)%kernel.Losses, seed&2 != 0, seed&4 != 0, false)
			if seed&8 != 0 { // a grid of integers: ties everywhere
				for i, v := range p.x {
					p.x[i] = math.Round(2 * v)
				}
				for i, v := range p.centers.Rows {
					p.centers.Rows[i] = math.Round(2 * v)
				}
			}
			if seed&16 != 0 { // far from the origin: little precision is left
				for i := range p.x {
					p.x[i] += 1e8
				}
				for i := range p.centers.Rows {
					p.centers.Rows[i] += 1e8
				}
			}
			saved += p.walk(t, r, 12)
			problems++
		}
		if saved/problems < 0.3 { // most steps are small: a bound that saves nothing is broken
			t.Errorf("only %.0f %% of the distances were saved", 100*saved/problems)
		}
	})
}

func TestABoundIsSureOfNothingAmongEqualOrOverflowingDistances(t *testing.T) {
	big := math.Sqrt(math.MaxFloat64)
	eachImplementation(t, func(t *testing.T) {
		c := kernel.Centers{K: 3, S: 1, Rows: []float64{-1, 1, 4 * big}}
		c.Pack()
		x := []float64{0, -3 * big, 0.5}
		b := kernel.Bound{Label: make([]int32, 3), Gap: make([]float32, 3)}
		drift := make([]float64, 3)
		b.Assign(kernel.Measure{}, x, &c, drift, true)
		if b.Gap[0] != -1 || b.Gap[1] != -1 || b.Gap[2] <= 0 || b.Gap[2] > 1 { // |0.5+1| − |0.5−1| = 1, rounded down
			t.Errorf("gaps %v", b.Gap)
		}
		if n := b.Assign(kernel.Measure{}, x, &c, drift, false); n != 2 {
			t.Errorf("%d rows computed, want 2", n)
		}
	})
}

// TestRowsAreSkippedByTheirGapAloneWhateverTheirNumber compares every
// implementation with the rule, around the widths of vectors (16) and of chunks
// (1024), and where the drifts of the centers no longer fit into registers (16).
func TestRowsAreSkippedByTheirGapAloneWhateverTheirNumber(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, n := range []int{1, 15, 16, 17, 1023, 1024, 1025, 1040, 3000} {
			for _, k := range []int{2, 7, 8, 9, 15, 16, 17, 40} {
				r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
				p := newProblem(uint64(n*k), n, 2, k, kernel.Squared, false, false, false)
				p.centers.Pack()
				nearest := kernel.Nearest{Label: make([]int32, n)}
				nearest.Find(p.m, p.x, &p.centers)
				b := kernel.Bound{Label: make([]int32, n), Gap: make([]float32, n)}
				drift, looks := make([]float64, k), 0
				for j := range drift {
					drift[j] = math.Round(4 * r.Float64()) // gaps are drawn from the same numbers, so that many are equal
				}
				want := make([]int32, n)
				for i := range want {
					b.Label[i] = int32(r.IntN(k))
					if b.Gap[i] = float32(r.IntN(5)); r.IntN(20) == 0 {
						b.Gap[i] = float32(math.NaN())
					}
					if want[i] = b.Label[i]; !(float64(b.Gap[i]) > drift[b.Label[i]]) {
						want[i] = nearest.Label[i]
						looks++
					}
				}
				if got := b.Assign(p.m, p.x, &p.centers, drift, false); got != looks || !slices.Equal(b.Label, want) {
					t.Fatalf("%d rows, %d centers: %d looks, want %d; labels %v, want %v", n, k, got, looks, b.Label, want)
				}
			}
		}
	})
}
