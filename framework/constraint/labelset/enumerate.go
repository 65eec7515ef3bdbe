package labelset

import (
	"context"
	"fmt"
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

// undecided is Feasible where flows allow labels, and other limits are there.
func (s *set) undecided(ctx context.Context) error {
	if s.countable() {
		if err := s.none(ctx); err != nil {
			return err
		}
		return nil
	}
	if err := s.outright(); err != nil {
		return err
	}
	return framework.Undecided{Why: fmt.Sprintf("whether any labels of %d rows obey all limits is not known before they are found", s.n)}
}

// none returns a Fault with rows that contradict each other if no labels obey, all of which
// are looked at.
func (s *set) none(ctx context.Context) error {
	costs := framework.NewMatrix(s.n, s.k)
	obeyed := func(use []bool) bool {
		sub := s.only(use)
		_, err := sub.tryFirst(ctx, costs)
		return err
	}
	use := make([]bool, len(s.rows))
	for i := range use {
		use[i] = true
	}
	if obeyed(use) {
		return nil
	}
	for i := len(use) - 1; i >= 0; i-- {
		use[i] = false
		if obeyed(use) {
			use[i] = true
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.contradiction(use)
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

// outright returns a Fault where counting alone shows that no labels obey: a column adds up to
// more than all clusters may have, or to less, or a value has a share of all rows that no shares
// of the clusters make up.
func (s *set) outright() error {
	for _, l := range s.sums {
		total, lo, hi, n := int64(0), 0.0, 0.0, 0
		for _, a := range l.amounts {
			total += a
		}
		for _, o := range s.sums {
			if o.row == l.row {
				lo, hi, n = lo+float64(o.lo), hi+float64(o.hi), n+1
			}
		}
		less := l.lo != math.MinInt64 && float64(total) < lo*(1+1e-12) && lo-float64(total) > 1
		more := l.hi != math.MaxInt64 && float64(total) > hi*(1+1e-12)
		if n == s.k && (less || more) {
			return s.oneRow(l.row, fmt.Sprintf("all rows together have %g", l.number(total)))
		}
	}
	for _, l := range s.balances {
		clusters := 0
		for _, o := range s.balances {
			clusters += one(o.row == l.row)
		}
		if clusters < s.k {
			continue
		}
		counts := make([]int, len(l.values))
		for _, c := range l.codes {
			if c >= 0 {
				counts[c]++
			}
		}
		for v, n := range counts {
			if l.off(n, s.n) > 0 {
				return s.oneRow(l.row, fmt.Sprintf("of all rows, %.4g have the value %s", float64(n)/float64(s.n), l.values[v]))
			}
		}
	}
	return nil
}

func (s *set) oneRow(row int, why string) error {
	return framework.Faultf(framework.Data, "infeasible-labels", "no labels of %d rows and %d clusters obey this limit", s.n, s.k).
		At("constraints").WithDetails([]string{s.rows[row], why}).WithHint("make it looser")
}
