package labelset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	rounds = 40        // of the relaxation
	few    = 1_000_000 // labels that are all looked at
)

// search is Project of a set whose cheapest labels have no fast method. See the package
// comment.
func (s *set) search(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if s.countable() {
		return s.tryAll(ctx, labels, at)
	}
	b := &search{s: s, at: at, cost: math.Inf(1), bound: math.Inf(-1), scratch: s.newState(at.Costs)}
	if !slices.Contains(labels, -1) && s.Violation(labels) == 0 && !math.IsInf(at.Total(labels), 1) {
		b.try(labels)
	}
	if err := b.relaxed(ctx); err != nil {
		return framework.LabelPoint{}, err
	}
	if b.best == nil {
		if err := s.Feasible(ctx); err != nil && !isUndecided(err) {
			return framework.LabelPoint{}, err
		}
		return framework.LabelPoint{}, s.notFound()
	}
	copy(labels, b.best)
	return framework.LabelPoint{Cost: b.cost, Bound: min(b.bound, b.cost)}, nil
}

func (s *set) notFound() error {
	f := framework.Faultf(framework.Data, "undecided-labels", "no labels of %d rows and %d clusters were found that obey all limits, and nobody knows whether there are any",
		s.n, s.k).At("constraints").WithHint("make a limit looser, or give more clusters")
	for _, text := range s.rows {
		if text != "" {
			f.Details = append(f.Details, text)
		}
	}
	return f
}

// A search has the best labels that were found.
type search struct {
	s           *set
	at          framework.LabelCosts
	best        []int32
	cost, bound float64
	scratch     *state
}

// try repairs labels and descends from there.
func (b *search) try(labels []int32) {
	b.scratch.fill(labels)
	if !b.scratch.repair() {
		return
	}
	b.scratch.descend()
	if cost := b.at.Total(b.scratch.labels); cost < b.cost && b.s.Violation(b.scratch.labels) == 0 {
		b.best, b.cost = slices.Clone(b.scratch.labels), cost
	}
}

// relaxed raises the bound by subgradient steps of Polyak's length, and tries the labels
// that come nearest to obeying: each time that they come nearer, and at the end.
func (b *search) relaxed(ctx context.Context) error {
	r := b.s.relax(b.at.Costs)
	length, since, least := 1.0, 0, math.Inf(1)
	for round := range rounds {
		labels, bound, err := r.solve(ctx, b.at.Threads)
		if err != nil {
			return err
		}
		since++
		if bound > b.bound {
			b.bound, since = bound, 0
		} else if since >= 4 {
			length, since = length/2, 0
		}
		r.st.fill(labels)
		g, squares := r.gradient()
		if squares < least*0.5 || squares == 0 || round == rounds-1 {
			least = squares
			b.try(labels)
		}
		if squares == 0 || b.cost-b.bound <= 1e-9*math.Abs(b.cost) {
			return ctx.Err()
		}
		aim := b.cost
		if math.IsInf(aim, 1) {
			aim = bound + 0.1*math.Abs(bound) + 1e-300
		}
		r.step(g, length*max(aim-bound, 1e-3*math.Abs(aim))/squares)
	}
	return ctx.Err()
}

// countable reports whether there are so few labels that all can be looked at.
func (s *set) countable() bool {
	return float64(s.n)*math.Log(float64(max(s.k, 1))) <= math.Log(few)
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
	place(0, 0)
	switch {
	case ctx.Err() != nil:
		return framework.LabelPoint{}, ctx.Err()
	case best == nil:
		if err := s.Feasible(ctx); err != nil {
			return framework.LabelPoint{}, err
		}
		return framework.LabelPoint{}, framework.Faultf(framework.Data, "infeasible-labels", "no labels of finite cost obey all limits").At("constraints")
	}
	copy(labels, best)
	return framework.LabelPoint{Cost: least, Bound: least}, nil
}

func isUndecided(err error) bool {
	_, ok := err.(framework.Undecided) //nolint:errorlint // it is never wrapped
	return ok
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
	return s.contradiction(use, s.held != nil)
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
		if n == s.k && (float64(total) < lo*(1+1e-12) && l.lo != math.MinInt64 && lo-float64(total) > 1 || float64(total) > hi*(1+1e-12) && l.hi != math.MaxInt64) {
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
