package links

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/partition"
)

// Merge returns the links without repetition, ordered by A, B (A < B) and must
// before cannot, and for each given link the place of its pair there. Of links
// between the same rows of the same kind, weights are added, or else the largest
// is taken. A must-link and a cannot-link of the same rows both stay.
func Merge(given []framework.Link, add bool) (merged []framework.Link, place []int) {
	order := make([]int, len(given))
	merged = slices.Clone(given)
	for i, l := range merged {
		order[i] = i
		merged[i].A, merged[i].B = min(l.A, l.B), max(l.A, l.B)
	}
	all := slices.Clone(merged)
	slices.SortFunc(order, func(i, j int) int {
		// By weight in the end, so that sums do not depend on the order given.
		return cmp.Or(compare(all[i], all[j]), cmp.Compare(all[i].Weight, all[j].Weight), cmp.Compare(i, j))
	})
	merged, place = merged[:0], make([]int, len(given))
	for _, i := range order {
		l := all[i]
		last := len(merged) - 1
		switch {
		case last < 0 || compare(merged[last], l) != 0:
			merged = append(merged, l)
			last++
		case add:
			merged[last].Weight += l.Weight
		default:
			merged[last].Weight = math.Max(merged[last].Weight, l.Weight)
		}
		place[i] = last
	}
	return merged, place
}

func compare(x, y framework.Link) int {
	kind := func(l framework.Link) int {
		if l.Cannot {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(kind(x), kind(y)))
}

// joined returns the sets of n rows that must-links join, all or only hard ones.
func joined(all []framework.Link, n int, hardOnly bool) partition.Of[int32] {
	p := partition.New[int32](n)
	for _, l := range all {
		if !l.Cannot && (l.Hard() || !hardOnly) {
			p.Join(l.A, l.B)
		}
	}
	return p
}
