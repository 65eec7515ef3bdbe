package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// halfway is a problem whose rows lie halfway between two centers, far from all others. One of the two is
// nearer by so small a share, tilt, that single precision does not tell which; at 0 they are equally far.
func halfway(r *rand.Rand, n, s, k int, scale, offset, tilt float64) problem {
	p := newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	c := p.centers.Rows
	for i := range c {
		c[i] = offset + scale*math.Round(4*c[i])/4 // so that rows halfway are so exactly
	}
	for i := range n {
		a, b := r.IntN(k), r.IntN(k)
		for l := range s {
			at, to := c[a*s+l], c[b*s+l]
			p.x[i*s+l] = at + (to-at)/2 + tilt*(to-at)
		}
	}
	return p
}

// Of a row that is uncertain, only groups within reach of the best sum are looked at in double precision.
// A group whose centers may have moved far is within any reach, so that a label is wrong if that of the
// nearest center is not.
func TestTheGroupOfTheNearestCenterIsWithinReach(t *testing.T) {
	const n, s, k = 150, 40, 160 // 10 groups
	eachImplementation(t, func(t *testing.T) {
		for seed, of := range []struct{ scale, offset, tilt float64 }{
			{1, 0, 0}, {1, 0, 0x1p-34}, {1, 1e8, 0}, {1, 1e8, 0x1p-20}, {0x1p-30, 0, 0}, {0x1p-30, 0, 0x1p-34}, {0x1p20, 0, 0},
		} {
			p := halfway(rand.New(rand.NewPCG(uint64(seed), 17)), n, s, k, of.scale, of.offset, of.tilt)
			p.centers.Pack()
			want := kernel.Bound{Label: make([]int32, n), Gap: make([]float32, n)}
			drift := make([]float64, k)
			want.Assign(p.m, p.x, &p.centers, drift, true)
			for loose := range k / 16 {
				c := kernel.Centers{K: k, S: s, Rows: p.centers.Rows} // of which no filter knows that it does not pay
				c.Pack()
				c.Filter(p.m, 0)
				if c.Groups() != k/16 {
					if kernel.Name() != "go" {
						t.Fatalf("%s has %d groups", kernel.Name(), c.Groups())
					}
					return
				}
				got := kernel.Bound{Label: make([]int32, n), Gap: make([]float32, n), Lower: make([]float32, n*c.Groups())}
				for _, all := range []bool{true, false, true} { // with all groups, with some, and with all of which one has drifted
					got.Assign(p.m, p.x, &c, drift, all)
					few := 0
					for i, label := range got.Label {
						if label != want.Label[i] {
							t.Fatalf("%s, %+v, loose group %d: row %d has the label %d, want %d", kernel.Name(), of, loose, i, label, want.Label[i])
						}
						if got.Gap[i] < 0 && want.Gap[i] > 0 {
							few++
						}
						got.Gap[i] = -1
					}
					// A gap is known of rows that are measured with all centers, which these need not be.
					if of.tilt > 0 && of.offset == 0 && few < n*9/10 {
						t.Fatalf("%s, %+v, loose group %d: few groups are within reach of %d rows of %d only", kernel.Name(), of, loose, few, n)
					}
					moved := make([]float64, k)
					for j := range moved {
						if group, _ := c.GroupOf(j); group == loose {
							moved[j] = 1e7 * of.scale // a bound loses 2⁻²¹ of it, as much as half the distance between centers
						}
					}
					c.Moved(moved)
				}
			}
		}
	})
}
