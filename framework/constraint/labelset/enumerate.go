package labelset

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// countable reports whether there are so few labels that all can be looked at. Those of one
// cluster are one, whatever the number of rows; with more clusters there are at most 16 rows.
func (s *set) countable() bool {
	return s.k <= 1 || float64(s.n)*math.Log(float64(s.k)) <= math.Log(few)
}

// tryAll looks at all labels, cheapest parts first: what it returns costs least, and is the lowest.
func (s *set) tryAll(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	rest := make([]float64, s.n+1) // the least that rows from i on cost
	for i := s.n - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + slices.Min(at.Costs.Row(i))
	}
	st := s.newState(at.Costs)
	now, best, least := make([]int32, s.n), []int32(nil), math.Inf(1)
	var place func(i int, sum float64)
	place = func(i int, sum float64) {
		if best != nil && (sum+rest[i])*(1-1e-12) > least || ctx.Err() != nil {
			return
		}
		if i == s.n {
			if total := at.Total(now); total < least && s.Violation(now) == 0 {
				best, least = slices.Clone(now), total
			}
			return
		}
		for j := range s.k {
			if st.may(i, j) {
				now[i] = int32(j)
				place(i+1, sum+at.Costs.Row(i)[j])
			}
		}
	}
	if s.k == 1 { // labels of 0 only, of any number of rows
		place(s.n, 0)
	} else {
		place(0, 0)
	}
	switch {
	case ctx.Err() != nil:
		return framework.LabelPoint{}, ctx.Err()
	case best == nil:
		if err := s.Feasible(ctx); err != nil {
			return framework.LabelPoint{}, err
		}
		return framework.LabelPoint{}, framework.Faultf(framework.Data, "infeasible-labels", "no labels of finite cost obey all limits").
			At("constraints")
	}
	copy(labels, best)
	return framework.LabelPoint{Cost: least, Bound: least}, nil
}

// obeyed reports whether any labels obey the rows in use, all of which are looked at.
func (s *set) obeyed(ctx context.Context, use []bool) bool {
	costs := framework.NewMatrix(s.n, s.k)
	for i, to := range s.held {
		for j := range costs.Row(i) {
			if to >= 0 && j != int(to) {
				costs.Row(i)[j] = math.Inf(1)
			}
		}
	}
	_, some := s.only(use).tryFirst(ctx, costs)
	return some
}

// only returns the set of the rows in use.
func (s *set) only(use []bool) *set {
	sub := *s
	sub.sizes, sub.uniques, sub.sums, sub.balances = nil, nil, nil, nil
	for _, l := range s.sizes {
		if use[l.row] {
			sub.sizes = append(sub.sizes, l)
		}
	}
	for _, l := range s.uniques {
		if use[l.row] {
			sub.uniques = append(sub.uniques, l)
		}
	}
	for _, l := range s.sums {
		if use[l.row] {
			sub.sums = append(sub.sums, l)
		}
	}
	for _, l := range s.balances {
		if use[l.row] {
			sub.balances = append(sub.balances, l)
		}
	}
	return &sub
}

// tryFirst returns the first labels that obey, of all.
func (s *set) tryFirst(ctx context.Context, costs framework.Matrix) ([]int32, bool) {
	st, now := s.newState(costs), make([]int32, s.n)
	var place func(i int) bool
	place = func(i int) bool {
		if i == s.n {
			return s.Violation(now) == 0
		}
		for j := range s.k {
			if now[i] = int32(j); ctx.Err() == nil && st.may(i, j) && place(i+1) {
				return true
			}
		}
		return false
	}
	if s.k == 1 {
		return now, place(s.n)
	}
	return now, place(0)
}
