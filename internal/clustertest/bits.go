package clustertest

import (
	"math"
	"slices"

	"github.com/google/go-cmp/cmp"
)

// Bitwise compares numbers by their bits: NaN equals NaN, and −0 is not 0. Lists
// are compared as a whole: entry by entry takes longer than a fit.
var Bitwise = cmp.Options{
	cmp.Comparer(sameBits),
	whole(func(a, b []float64) bool { return slices.EqualFunc(a, b, sameBits) }),
	whole(slices.Equal[[]int32]),
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// whole leaves lists without entries to others: nil may count as empty.
func whole[T any](equal func(a, b []T) bool) cmp.Option {
	return cmp.FilterValues(func(a, b []T) bool { return len(a) > 0 && len(b) > 0 }, cmp.Comparer(equal))
}
