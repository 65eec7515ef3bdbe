package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// doubtful is a problem with copies of rows in slabs, of so many rows. Two centers are equal, so that
// no filter is certain of the rows near them: those whose number is in near.
func doubtful(n, s, k int, near func(i int) bool) problem {
	p := newProblem(1, n, s, k, kernel.Squared, false, false, false)
	copy(p.centers.Rows[s:2*s], p.centers.Rows[:s])
	for i := range n {
		j := 2 + i%(k-2)
		if near(i) {
			j = 0
		}
		for l := range s {
			p.x[i*s+l] = p.centers.Rows[j*s+l] + 1e-3*float64(l%3)
		}
	}
	return p
}

// looked has all rows looked at first, so that there is a copy of them, and then some.
func (p problem) looked(t *testing.T, at []bool) {
	t.Helper()
	c := p.centers
	c.Pack()
	c.Filter(p.m, 0)
	want := kernel.Nearest{Label: make([]int32, p.n)}
	want.Find(p.m, p.x, &c)
	b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Narrow: make([]float32, c.Narrow(p.n))}
	drift := make([]float64, c.K)
	b.Assign(p.m, p.x, &c, drift, true)
	looks := 0
	for i, yes := range at {
		b.Label[i], b.Gap[i] = want.Label[i], 1
		if yes {
			b.Label[i], b.Gap[i] = int32(i%c.K), -1
			looks++
		}
	}
	if got := b.Assign(p.m, p.x, &c, drift, false); got != looks {
		t.Fatalf("%s: %d rows are looked at, want %d", kernel.Name(), got, looks)
	}
	for i, label := range b.Label {
		if label != want.Label[i] {
			t.Fatalf("%s: row %d gets the label %d, want %d", kernel.Name(), i, label, want.Label[i])
		}
	}
}

// Rows that a filter is not certain of come from slabs first, and then those that were in
// none. The first and the last of some that are measured together may be as far from each
// other as if the others were between them.
func TestUncertainRowsGetTheirOwnLabelsInWhateverOrderTheyCome(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, rows := range []int{8, 16} { // that are measured together; a slab has twice as many
			slab := 2 * rows
			doubt, at := make([]bool, 1024), make([]bool, 1024)
			mark := func(i int, uncertain bool) { at[i], doubt[i] = true, uncertain }
			for i := range 5 { // enough to handle the slab
				mark(slab+3*i, false)
			}
			mark(2*slab-1, true)
			for i := range rows - 2 {
				mark(3*slab+i, true)
			}
			mark(2*slab-1+rows-1, true) // alone in its slab
			doubtful(1024, 20, 20, func(i int) bool { return doubt[i] }).looked(t, at)
		}
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 11))
			n := 1000 + r.IntN(1200)
			at, often := make([]bool, n), 0
			for i := range at {
				if i%16 == 0 {
					often = 1 + r.IntN(30) // few rows of some slabs, and many of others
				}
				at[i] = r.IntN(often) == 0
			}
			doubt := slices.Repeat([]bool{true, r.IntN(2) == 0, false}, n)
			doubtful(n, 8+r.IntN(25), 16+r.IntN(12), func(i int) bool { return doubt[i] }).looked(t, at)
		}
	})
}

// Blocks have up to 4096 rows, of which a few are looked at after small moves; labels are
// bytes up to 256 centers.
func TestABoundNeverChangesALabelOfABlockOfAnySize(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed, of := range []struct{ n, s, k int }{
			{4096, 1, 2}, {4095, 3, 7}, {4097, 20, 20}, {2049, 32, 33}, {1023, 33, 17}, {1025, 8, 16}, {300, 31, 255}, {200, 32, 256},
			{200, 33, 257}, {500, 40, 1}, {700, 128, 12}, {300, 513, 50}, {1, 32, 130},
		} {
			for _, offset := range []float64{0, 1e8} {
				r := rand.New(rand.NewPCG(uint64(seed), 13))
				p := newProblem(uint64(seed), of.n, of.s, of.k, kernel.Squared, false, false, false)
				p.filtered = true
				for _, v := range [][]float64{p.x, p.centers.Rows} {
					for i := range v {
						if offset > 0 || seed%2 == 0 {
							v[i] = math.Round(4*v[i])/4 + offset // ties
						}
					}
				}
				p.walk(t, r, 6)
			}
		}
	})
}
