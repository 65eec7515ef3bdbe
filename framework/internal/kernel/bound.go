package kernel

import (
	"fmt"
	"unsafe"
)

// A Bound has the nearest centers of some rows, and knows for how long they cannot
// change. As long as Gap[i] is larger than the drift of its label, the label of row
// i cannot change; see docs/performance.md for the proof.
//
// With distances d₁ ≤ d₂ to the nearest and second nearest center (for squared
// distances, their roots), it is
//
//	d₂ − d₁ − margin·(d₁+d₂) + drift[label],  rounded down to float32,
//
// and −1 where nothing is certain: for equal distances, and if one overflows.
type Bound struct {
	Label []int32
	Gap   []float32
	Lower []float32 // rows × Centers.Groups(), to save time; nil: none

	// Narrow has room for a copy of the rows in single or half precision or in whole numbers (Centers.Narrow
	// numbers), to save time; of another length: none. Rows of which many are looked at are
	// written to it: it is kept from call to call, until all rows are looked at.
	Narrow []float32

	narrow   []float32 // Narrow, if it can be used
	narrowed []float32 // which chunks of it are filled: see half.go
	filled   *float32  // the memory of which narrowed tells,
	form     int       // and the form of the copy
	stale    bool      // Lower does not belong to Label
	unsure   int64     // rows of the last Assign of which the filter was not certain
}

// Gaps up to minGap are not trusted, since float32 and squares of small numbers
// lose their relative precision; those above maxGap are cut off, which is safe.
const (
	minGap    = 1e-30
	maxGap    = 3e38
	roundDown = 1 - 0x1p-22

	chunk = 1024 // rows, of Bound.narrowed, as in C
)

// margin returns the share of d₁+d₂ that rounding can amount to: the relative error
// of a distance over s features is at most (s+4)·2⁻⁵³.
func margin(s int) float64 { return 4 * float64(s+4) * 0x1p-53 }

// Assign finds the nearest center of each row whose gap is not above the drift of
// its label, or of every row if all is set. drift (k) grows from call to call: by
// the distance that the label's center has moved, plus the largest distance that
// another one has. It returns the number of rows it computed.
func (b *Bound) Assign(m Measure, x []float64, c *Centers, drift []float64, all bool) int {
	n := len(b.Label)
	if n == 0 || c.K == 0 {
		return 0
	}
	check(m, x, n, c)
	if len(b.Gap) != n || len(drift) != c.K {
		panic(fmt.Sprintf("kernel: %d gaps for %d rows, and %d drifts for %d centers", len(b.Gap), n, len(drift), c.K))
	}
	b.narrow = nil
	if need := c.Narrow(n); need > 0 && len(b.Narrow) == need {
		b.narrow = b.Narrow
	}
	if at, form := unsafe.SliceData(b.Narrow), c.filter.form; all || at != b.filled || form != b.form {
		b.filled, b.form, b.narrowed = at, form, append(b.narrowed[:0], make([]float32, n/chunk+1)...)
	}
	switch groups := c.Groups(); {
	case b.Lower == nil:
	case groups == 0:
		b.stale = true
	case len(b.Lower) != n*groups:
		panic(fmt.Sprintf("kernel: %d bounds for %d rows and %d groups", len(b.Lower), n, groups))
	default:
		if b.stale && !all {
			clear(b.Lower) // which says nothing
		}
		b.stale = false
	}
	return chosen().assign(m, x, c, b, drift, all)
}
