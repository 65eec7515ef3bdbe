package kernel

import "fmt"

// A Bound knows the nearest centers of some rows, and for how long they cannot
// change. Gap[i] is larger than Drift(label) as long as the label of row i is
// sure to stay; see docs/performance.md of the repository for the proof.
//
// With Euclidean distances d₁ ≤ d₂ to the nearest and second nearest center
// (absolute ones as they are, squared ones after the root), it is
//
//	d₂ − d₁ − margin·(d₁+d₂) + drift[label],  rounded down to float32,
//
// and −1 where nothing is sure: equal distances, or ones that overflow.
type Bound struct {
	Label []int32
	Gap   []float32
}

// Gaps up to minGap are not trusted, since float32 and squares of small numbers
// lose their relative precision; those above maxGap are cut off, which is safe.
const (
	minGap    = 1e-30
	maxGap    = 3e38
	roundDown = 1 - 0x1p-22
)

// margin returns the share of d₁+d₂ that rounding can make up: each distance of
// s features is known to within (s+4)·2⁻⁵³ of itself.
func margin(s int) float64 { return 4 * float64(s+4) * 0x1p-53 }

// Assign finds the nearest center of each row whose gap is not above the drift
// of its label, or of every row if all is set. drift (k) only grows from call
// to call: by the distance that the label's own center has moved, and the
// largest that another one has. It returns the number of rows it computed.
func (b *Bound) Assign(m Measure, x []float64, c *Centers, drift []float64, all bool) int {
	n := len(b.Label)
	if n == 0 || c.K == 0 {
		return 0
	}
	check(m, x, n, c)
	if len(b.Gap) != n || len(drift) != c.K {
		panic(fmt.Sprintf("kernel: %d gaps for %d rows, and %d drifts for %d centers", len(b.Gap), n, len(drift), c.K))
	}
	return chosen().assign(m, x, c, b, drift, all)
}
