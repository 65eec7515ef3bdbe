package labelset

import (
	"context"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// A set is what any of the kinds of this package makes, or several of them together:
// lists of limits, each with the number of the row that has declared it.
type set struct {
	n, k int
	kind string
	rows []string // what each row of the declaration says

	sizes    []size
	uniques  []unique
	sums     []sum
	balances []balance

	held []int32 // of each row, for Feasible: the label that it must have, or −1; nil: none has one
}

// extent says how many rows and clusters there are.
func (s *set) extent() string {
	return words.Plural(s.n, "row") + " and " + words.Plural(s.k, "cluster")
}

// Properties implements framework.LabelSet.
func (s *set) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: s.kind, Exact: s.flows()}
}

// flows reports whether the cheapest labels are a flow of least cost.
func (s *set) flows() bool { return len(s.sums) == 0 && len(s.balances) == 0 && s.columns() <= 1 }

// columns returns how many different columns the uniques count.
func (s *set) columns() (n int) {
	for i, u := range s.uniques {
		fresh := 1
		for _, v := range s.uniques[:i] {
			if sameCodes(u.codes, v.codes) {
				fresh = 0
			}
		}
		n += fresh
	}
	return n
}

// Violation implements framework.LabelSet: the sum of what is above or below the limits,
// with 1 for each row without a label.
func (s *set) Violation(labels []int32) float64 {
	by := 0.0
	for _, j := range labels {
		if j < 0 || int(j) >= s.k {
			by++
		}
	}
	for _, l := range s.limits(labels) {
		by += max(0, -l.exact)
	}
	return by
}

// Limits implements framework.LabelSet.
func (s *set) Limits(labels []int32, prices []float64) []framework.Limit {
	var all []framework.Limit
	for _, l := range s.limits(labels) {
		all = append(all, l.Limit)
	}
	s.price(all, prices)
	return all
}

// A measured limit has, besides what is shown, how far labels are from breaking it: < 0
// if they do. It is the slack without rounding of what is counted, so that labels of slack 0
// are in the set.
type measured struct {
	framework.Limit
	exact float64
}

// limits measures all limits, in the order of the rows that have declared them, and of
// the clusters.
func (s *set) limits(labels []int32) []measured {
	by := make([][]measured, len(s.rows))
	add := func(row int, l measured) {
		l.Row, l.Price = row, math.NaN()
		by[row] = append(by[row], l)
	}
	counts := count(labels, s.k)
	for _, l := range s.sizes {
		add(l.row, l.measure(counts))
	}
	for _, l := range s.uniques {
		for _, m := range l.measure(labels, s.k) {
			add(l.row, m)
		}
	}
	for _, l := range s.sums {
		add(l.row, l.measure(labels))
	}
	for _, l := range s.balances {
		for _, m := range l.measure(labels, counts) {
			add(l.row, m)
		}
	}
	var all []measured
	for _, of := range by {
		all = append(all, of...)
	}
	return all
}

// count returns the number of rows of each cluster.
func count(labels []int32, k int) []int {
	counts := make([]int, k)
	for _, j := range labels {
		if j >= 0 && int(j) < k {
			counts[j]++
		}
	}
	return counts
}

// Project implements framework.LabelSet.
func (s *set) Project(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if err := at.Check(s.n, s.k); err != nil {
		return framework.LabelPoint{}, err
	}
	if len(labels) != s.n {
		return framework.LabelPoint{}, fmt.Errorf("there are %d labels for %d rows", len(labels), s.n)
	}
	if s.flows() {
		return s.flow(ctx, labels, at)
	}
	return s.search(ctx, labels, at)
}
