package labelset

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	few       = 100_000    // labels that are all looked at
	shaking   = 1_000_000  // work of all shakes: costs read and moves looked at
	searching = 10_000_000 // the same, as long as no labels are found
)

// search is Project of a set whose cheapest labels have no fast method. See the package
// comment. Its prices are those of the dual.
func (s *set) search(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if s.countable() {
		return s.tryAll(ctx, labels, at)
	}
	at.Costs = s.without(s.empties(), at.Costs)
	d := s.newDual(at)
	if err := d.ascend(ctx, at.Prices); err != nil {
		return framework.LabelPoint{}, err
	}
	b := &search{ctx: ctx, at: at, bound: d.bound, cost: math.Inf(1), off: math.Inf(1)}
	b.descent = newDescent(s.newState(at.Costs), d)
	b.first = 2*d.top() + 0.1*apart(at.Costs)
	given := !slices.Contains(labels, -1) && s.Violation(labels) == 0 && !math.IsInf(at.Total(labels), 1)
	b.try(d.labels, b.first)
	if own := at.Total(labels); given && !(b.cost < own) {
		b.best, b.cost = slices.Clone(labels), own
		b.try(labels, b.first)
	}
	if b.best == nil {
		if err := s.Feasible(ctx); err != nil && !isUndecided(err) {
			return framework.LabelPoint{}, err
		}
	}
	if !given { // labels that were given have been shaken before
		b.shake(framework.Rand(uint64(s.n), "labelset"))
	}
	if ctx.Err() != nil {
		return framework.LabelPoint{}, ctx.Err()
	}
	if b.best == nil {
		return framework.LabelPoint{}, s.notFound(ctx, at)
	}
	if s.Violation(b.best) != 0 {
		panic("labelset: labels that were counted to obey do not")
	}
	copy(labels, b.best)
	return framework.LabelPoint{Cost: b.cost, Bound: min(b.bound, b.cost), Prices: d.best}, nil
}

// without returns costs of labels in which no row may be in clusters that can only be empty.
func (s *set) without(empty []bool, costs framework.Matrix) framework.Matrix {
	if !slices.Contains(empty, true) {
		return costs
	}
	costs = costs.Clone()
	for i := range costs.Rows {
		for j, v := range empty {
			if v {
				costs.Row(i)[j] = math.Inf(1)
			}
		}
	}
	return costs
}

// notFound returns why there are no labels, if the limits that are a flow say so, and else that nobody knows.
func (s *set) notFound(ctx context.Context, at framework.LabelCosts) error {
	flow := *s
	if flow.sums, flow.balances = nil, nil; flow.flows() {
		if _, err := flow.flow(ctx, make([]int32, s.n), at); err != nil {
			return err
		}
	}
	f := framework.Faultf(framework.Data, "undecided-labels",
		"no labels of %s were found that obey all limits, and nobody knows whether there are any", s.extent()).
		At("constraints").WithHint("make a limit looser, or give more clusters")
	for _, text := range s.rows {
		if text != "" {
			f.Details = append(f.Details, text)
		}
	}
	return f
}

// A search has the best labels that were found.
type search struct {
	ctx     context.Context
	at      framework.LabelCosts
	descent *descent
	first   float64 // the first penalty: above all prices
	best    []int32
	cost    float64
	near    []int32 // labels that came nearest to obeying
	off     float64 // by how much they break limits
	bound   float64
}

// try descends from labels, with a penalty that grows as long as they break limits.
func (b *search) try(labels []int32, penalty float64) {
	w := b.descent
	w.st.fill(labels)
	w.penalty = penalty
	for range 8 {
		if w.run(b.ctx); w.st.broken() == 0 || b.ctx.Err() != nil {
			break
		}
		w.penalty *= 3
	}
	if off := w.st.broken(); off > 0 {
		if off <= b.off {
			b.near, b.off = append(b.near[:0], w.st.labels...), off
		}
		return
	}
	if cost := b.at.Total(w.st.labels); cost < b.cost {
		b.best, b.cost = append(b.best[:0], w.st.labels...), cost
	}
}

// closed reports whether labels are found that cost no more than the bound.
func (b *search) closed() bool { return b.best != nil && b.cost-b.bound <= 1e-9*math.Abs(b.cost) }

// shake gives some rows of the best labels other labels and descends anew, again and again, with a higher penalty
// or a lower one. Where none obey yet, it begins with those that nearly do.
func (b *search) shake(random *rand.Rand) {
	w := b.descent
	n, k := len(w.st.labels), len(w.worth)
	for w.work = 0; w.work < shaking || b.best == nil && w.work < searching; w.work++ {
		if b.ctx.Err() != nil || b.closed() {
			return
		}
		from := b.best
		if from == nil {
			from = b.near
		}
		shaken := slices.Clone(from)
		for range 2 + random.IntN(5) {
			if i, j := random.IntN(n), random.IntN(k); w.st.may(i, j) {
				shaken[i] = int32(j)
			}
		}
		b.try(shaken, b.first*math.Pow(3, 3*random.Float64()-1))
	}
}
