package labelset

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
)

// A relaxation is the problem without the limits that are no flow: what breaks them costs
// a price instead. For any prices, the least cost of that is a bound; good prices make it
// a high one, and its labels nearly obey.
type relaxation struct {
	s      *set
	st     *state // for what is counted
	costs  framework.Matrix
	raised framework.Matrix
	prices [][]float64 // of each priced limit: one, or one for each value
	steps  [][]float64 // of each price, 0: it has not moved
	last   [][]float64 // the gradient before
	limits []priced
}

// A priced limit is one of a sum, or of each value of a column, in a cluster: what is
// added up over the rows of the cluster is an amount of each row, or the rows of a value of codes.
type priced struct {
	cluster int
	sum     int // or −1
	column  int
	codes   []int32
	lo, hi  float64 // of the sum divided by size, or of the share of rows, or of rows
	size    float64
	shares  bool
}

func (s *set) relax(costs framework.Matrix) *relaxation {
	r := &relaxation{s: s, st: s.newState(costs), costs: costs, raised: framework.NewMatrix(costs.Rows, costs.Cols)}
	for i, l := range s.sums {
		p := priced{cluster: l.cluster, sum: i, size: l.size, lo: math.Inf(-1), hi: math.Inf(1)}
		if l.lo != math.MinInt64 {
			p.lo = float64(l.lo) / l.size
		}
		if l.hi != math.MaxInt64 {
			p.hi = float64(l.hi) / l.size
		}
		r.add(p, 1)
	}
	for j, on := range r.st.on {
		for _, b := range on.balances {
			l := s.balances[b.limit]
			r.add(priced{cluster: j, sum: -1, column: b.column, codes: l.codes, size: 1, shares: true,
				lo: float64(l.lo) / whole, hi: float64(l.hi) / whole}, len(l.values))
		}
		for _, u := range on.uniques {
			l := s.uniques[u.limit]
			if s.columns() > 1 {
				r.add(priced{cluster: j, sum: -1, column: u.column, codes: l.codes, size: 1, lo: math.Inf(-1), hi: float64(l.hi[j])}, len(l.values))
			}
		}
	}
	return r
}

func (r *relaxation) add(p priced, values int) {
	r.limits = append(r.limits, p)
	r.prices = append(r.prices, make([]float64, values))
	r.steps = append(r.steps, make([]float64, values))
	r.last = append(r.last, make([]float64, values))
}

// solve returns the cheapest labels at the prices, and the bound.
func (r *relaxation) solve(ctx context.Context, threads int) ([]int32, float64, error) {
	k := r.s.k
	copy(r.raised.Data, r.costs.Data)
	constant, sizes := 0.0, 0.0
	flat := make([]float64, k)
	for t, p := range r.limits {
		for _, price := range r.prices[t] {
			if price == 0 {
				continue
			}
			limit := p.hi
			if price < 0 {
				limit = p.lo
			}
			if p.shares {
				flat[p.cluster] -= price * limit
			} else {
				constant -= price * limit
				sizes += math.Abs(price * limit)
			}
			if p.sum >= 0 {
				for i, a := range r.s.sums[p.sum].amounts {
					r.raised.Data[i*k+p.cluster] += price * (float64(a) / p.size)
				}
			}
		}
		if p.sum < 0 && slices.ContainsFunc(r.prices[t], func(v float64) bool { return v != 0 }) {
			for i, c := range p.codes {
				if c >= 0 {
					r.raised.Data[i*k+p.cluster] += r.prices[t][c]
				}
			}
		}
	}
	for i := range r.raised.Rows {
		for j, f := range flat {
			r.raised.Data[i*k+j] += f
		}
	}
	p, free := r.s.problem(r.raised.Data)
	got, err := transport.Solve(ctx, p, transport.Options{Threads: threads})
	if err != nil {
		return nil, 0, r.s.explain(ctx, err, free)
	}
	labels, total := got.Labels, got.Total
	if free != nil {
		labels = slices.Clone(r.s.held)
		for t, i := range free {
			labels[i] = got.Labels[t]
		}
		total = framework.LabelCosts{Costs: r.raised}.Total(labels)
	}
	for i, j := range labels {
		sizes += math.Abs(r.raised.Data[i*k+int(j)])
	}
	return labels, total + constant - 1e-12*sizes, nil
}

// gradient returns by how much the labels of the state break each priced limit, and the sum of squares.
func (r *relaxation) gradient() (g [][]float64, squares float64) {
	k := r.s.k
	for t, p := range r.limits {
		of := make([]float64, len(r.prices[t]))
		for v, price := range r.prices[t] {
			amount, lo, hi := 0.0, p.lo, p.hi
			if p.sum >= 0 {
				amount = float64(r.st.totals[p.sum]) / p.size
			} else {
				amount = float64(r.st.counts[p.column][v*k+p.cluster])
			}
			if p.shares {
				lo, hi = lo*float64(r.st.sizes[p.cluster]), hi*float64(r.st.sizes[p.cluster])
			}
			switch {
			case price > 0 || price == 0 && amount > hi:
				of[v] = amount - hi
			case price < 0 || amount < lo:
				of[v] = amount - lo
			}
			squares += of[v] * of[v]
		}
		g = append(g, of)
	}
	return g, squares
}

// step moves each price by a step of its own, in the direction that its limit is broken in. The step
// grows as long as the direction stays, and halves when it turns (Riedmiller and Braun 1993): limits
// are of very different sizes. A price that would change its sign becomes 0. first is the first step.
func (r *relaxation) step(g [][]float64, first float64) {
	for t := range r.prices {
		for v, price := range r.prices[t] {
			step := &r.steps[t][v]
			switch turn := g[t][v] * r.last[t][v]; {
			case *step == 0:
				*step = first
			case turn > 0:
				*step *= 1.3
			case turn < 0:
				*step *= 0.5
			}
			r.last[t][v] = g[t][v]
			next := price
			switch {
			case g[t][v] > 0:
				next += *step
			case g[t][v] < 0:
				next -= *step
			}
			if price > 0 && next < 0 || price < 0 && next > 0 {
				next = 0
			}
			r.prices[t][v] = next
		}
	}
}
