package score

import (
	"cmp"
	"slices"
)

// A Match is a class and the cluster that it is matched with.
type Match struct {
	Class, Cluster int32
	Rows           int // that both have
}

// Matches pairs classes with clusters, each with one at most, and returns the pairs
// by class. It is greedy: the class and the cluster that have the most rows in common
// are the first pair, then those of the others, and so on while there are rows in
// common. Ties go to the lowest class, then cluster. The sum of the rows is at least
// half of the largest that pairs can have.
//
// It takes as long as to sort the cells that have rows.
func (t Table) Matches() []Match {
	cells := slices.SortedStableFunc(slices.Values(t.cells), func(x, y cell) int { return cmp.Compare(y.rows, x.rows) })
	classes, clusters := map[int32]bool{}, map[int32]bool{}
	var all []Match
	for _, c := range cells {
		if !classes[c.class] && !clusters[c.cluster] {
			classes[c.class], clusters[c.cluster] = true, true
			all = append(all, Match{c.class, c.cluster, c.rows})
		}
	}
	slices.SortFunc(all, func(x, y Match) int { return cmp.Compare(x.Class, y.Class) })
	return all
}
