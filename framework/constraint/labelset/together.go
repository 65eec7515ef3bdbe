package labelset

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Together returns the labels that are in all sets, which must be of this package, or
// nil if there are no sets. numbers[i] has the number, in the whole declaration, of each row of set i: those of
// its Limits. Sizes, shares and limits of one column's values stay exact;
// with a capacity or a balance, or limits of the values of two columns, the set is not.
//
// The error is a Fault if there is a set of another package, with which the best
// labels in both are not known.
func Together(sets []framework.LabelSet, numbers [][]int) (framework.LabelSet, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	all := &set{}
	var kinds []string
	for i, one := range sets {
		s, ok := one.(*set)
		if !ok {
			if len(sets) == 1 {
				return one, nil
			}
			return nil, framework.Faultf(framework.Data, "cannot-intersect",
				"the best labels in a set of kind %s, which a plugin serves, and in others as well have no method", one.Properties().Kind).
				At("constraints").WithHint("leave the others out")
		}
		kinds = append(kinds, s.kind)
		if i == 0 {
			all.n, all.k = s.n, s.k
		}
		if s.n != all.n || s.k != all.k {
			panic("labelset: sets of different rows or clusters")
		}
		all.join(s, numbers[i])
	}
	slices.Sort(kinds)
	all.kind = strings.Join(slices.Compact(kinds), " and ")
	return all, nil
}

// join adds the limits of another set, whose rows have these numbers.
func (s *set) join(o *set, numbers []int) {
	for row, text := range o.rows {
		for len(s.rows) <= numbers[row] {
			s.rows = append(s.rows, "")
		}
		s.rows[numbers[row]] = text
	}
	for _, l := range o.sizes {
		l.row = numbers[l.row]
		s.sizes = append(s.sizes, l)
	}
	for _, l := range o.uniques {
		l.row = numbers[l.row]
		s.uniques = append(s.uniques, l)
	}
	for _, l := range o.sums {
		l.row = numbers[l.row]
		s.sums = append(s.sums, l)
	}
	for _, l := range o.balances {
		l.row = numbers[l.row]
		s.balances = append(s.balances, l)
	}
}
