package labelset

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	rounds = 60      // of the relaxation
	shakes = 200_000 // rows × clusters of all shakes together
	few    = 100_000 // labels that are all looked at
)

// search is Project of a set whose cheapest labels have no fast method. See the package
// comment.
func (s *set) search(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if s.countable() {
		return s.tryAll(ctx, labels, at)
	}
	b := &search{s: s, at: at, cost: math.Inf(1), bound: math.Inf(-1), scratch: s.newState(at.Costs)}
	b.scratch.ctx = ctx
	given := !slices.Contains(labels, -1) && s.Violation(labels) == 0 && !math.IsInf(at.Total(labels), 1)
	if given {
		b.try(labels)
	}
	if err := b.relaxed(ctx); err != nil {
		return framework.LabelPoint{}, err
	}
	if !given || b.best == nil { // labels that were given have been shaken before
		if err := b.shake(ctx); err != nil {
			return framework.LabelPoint{}, err
		}
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
	f := framework.Faultf(framework.Data, "undecided-labels",
		"no labels of %d rows and %d clusters were found that obey all limits, and nobody knows whether there are any", s.n, s.k).At("constraints").WithHint("make a limit looser, or give more clusters")
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
	near        []int32 // labels of the relaxation that came nearest to obeying
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

// closed reports whether labels are found that cost no more than the bound.
func (b *search) closed() bool { return b.best != nil && b.cost-b.bound <= 1e-9*math.Abs(b.cost) }

// relaxed raises the bound. The labels that come nearest to obeying are tried, up to a number
// of times.
func (b *search) relaxed(ctx context.Context) error {
	r := b.s.relax(b.at.Costs)
	first := 0.2 * apart(b.at.Costs)
	least, tries := math.Inf(1), 12
	for round := range rounds {
		labels, bound, err := r.solve(ctx, b.at.Threads)
		if err != nil {
			return err
		}
		r.st.fill(labels)
		g, squares := r.gradient()
		if squares < 2*least && tries > 0 || round == rounds-1 {
			if squares <= least {
				b.near = slices.Clone(labels)
			}
			least = min(least, squares)
			tries--
			b.try(labels)
		}
		b.bound = max(b.bound, bound)
		if squares == 0 || b.closed() {
			break
		}
		r.step(g, first)
	}
	return ctx.Err()
}

// apart returns by how much costs of a row differ, which is the scale of prices: the mean of what the second least
// is above the least; where that is 0, of what all finite ones are; where that is too, 1.
func apart(costs framework.Matrix) float64 {
	second, all, rows, cells := 0.0, 0.0, 0, 0
	for i := range costs.Rows {
		row := costs.Row(i)
		least, next := math.Inf(1), math.Inf(1)
		for _, c := range row {
			least, next = min(least, c), min(next, max(least, c))
		}
		if !math.IsInf(next, 1) {
			second += next - least
			rows++
		}
		for _, c := range row {
			if !math.IsInf(c, 1) {
				all += c - least
				cells++
			}
		}
	}
	switch {
	case second > 0:
		return second / float64(rows)
	case all > 0:
		return all / float64(cells)
	}
	return 1
}

// shake gives some rows of the best labels other labels, repairs them and descends, again and
// again: rows that can neither move nor change places with one other may do so in threes. Where none
// obey yet, it begins with those that nearly do. Tables of few rows are shaken more often.
func (b *search) shake(ctx context.Context) error {
	cells := max(b.s.n*b.s.k, 1)
	random := framework.Rand(uint64(b.s.n), "labelset")
	for range min(max(shakes/cells, 2), 100) {
		if ctx.Err() != nil || b.closed() {
			break
		}
		from := b.best
		if from == nil {
			from = b.near
		}
		shaken := slices.Clone(from)
		for range 2 + random.IntN(5) {
			i, j := random.IntN(b.s.n), random.IntN(b.s.k)
			if b.scratch.may(i, j) {
				shaken[i] = int32(j)
			}
		}
		b.try(shaken)
	}
	return ctx.Err()
}

func isUndecided(err error) bool {
	_, ok := err.(framework.Undecided) //nolint:errorlint // it is never wrapped
	return ok
}
