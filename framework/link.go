package framework

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/internal/words"
)

// A Link says that two rows belong together or must be kept apart. The order of the
// two does not matter.
type Link struct {
	A, B   int32   // two different rows of the data
	Cannot bool    // apart; otherwise together
	Weight float64 // > 0: a factor of the cost of breaking it; +Inf: it must not be broken
}

// Hard reports whether the link must not be broken.
func (l Link) Hard() bool { return math.IsInf(l.Weight, 1) }

// Broken reports whether labels break the link. Rows without labels break no links.
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

// CheckLinks returns a Fault for the first link that is not between two of n rows,
// or has a bad weight.
func CheckLinks(links []Link, n int) error {
	for i, l := range links {
		what := ""
		switch {
		case l.A < 0 || l.B < 0 || int(l.A) >= n || int(l.B) >= n:
			what = "there " + words.Agreed(n, "is", "are") + " only " + words.Plural(n, "row")
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
