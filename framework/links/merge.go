package links

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
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

// parts is a partition of rows 0..n−1 by joining them.
type parts []int32

func newParts(n int) parts {
	p := make(parts, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// root returns the lowest row of i's part.
func (p parts) root(i int32) int32 {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

func (p parts) join(i, j int32) {
	a, b := p.root(i), p.root(j)
	p[max(a, b)] = min(a, b)
}

// joined returns the parts of n rows that must-links join, all or only hard ones.
func joined(all []framework.Link, n int, hardOnly bool) parts {
	p := newParts(n)
	for _, l := range all {
		if !l.Cannot && (l.Hard() || !hardOnly) {
			p.join(l.A, l.B)
		}
	}
	return p
}
