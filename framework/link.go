package framework

import (
	"fmt"
	"math"
)

// A Link says of two rows that they belong together, or apart. The order of the
// two does not matter.
type Link struct {
	A, B   int32   // rows of the data, different ones
	Cannot bool    // apart; otherwise together
	Weight float64 // > 0: what breaking it costs is multiplied by it; +Inf: it is never broken
}

// Hard reports whether the link must not be broken.
func (l Link) Hard() bool { return math.IsInf(l.Weight, 1) }

// Broken reports whether labels break the link. A row without a label breaks
// none.
func (l Link) Broken(labels []int32) bool {
	a, b := labels[l.A], labels[l.B]
	return a >= 0 && b >= 0 && (a == b) == l.Cannot
}

// Kind returns "must" or "cannot".
func (l Link) Kind() string {
	if l.Cannot {
		return "cannot"
	}
	return "must"
}

// CheckLinks returns a Fault for the first link that is not one of n rows.
func CheckLinks(links []Link, n int) error {
	for i, l := range links {
		what := ""
		switch {
		case l.A < 0 || l.B < 0 || int(l.A) >= n || int(l.B) >= n:
			what = fmt.Sprintf("there are only %d rows", n)
		case l.A == l.B:
			what = "a row cannot be linked to itself"
		case !(l.Weight > 0):
			what = fmt.Sprintf("its weight is %g; it must be above 0", l.Weight)
		default:
			continue
		}
		return Faultf(Data, "bad-link", "link %d, %s of rows %d and %d: %s", i, l.Kind(), l.A, l.B, what)
	}
	return nil
}
