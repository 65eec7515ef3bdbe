package labelset

import (
	"context"
	"errors"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
)

// A dual is the problem with prices in the place of limits: what is above a limit costs the price for each unit, and
// what is below saves it. For any prices the least cost of that is a bound; good prices make it a high one, and
// its labels nearly obey.
//
// Limits of values of one column, and the sizes with them, stay a flow. So do sizes where that is fast. Else all limits
// have prices, and each row goes to its cheapest cluster.
type dual struct {
	s       *set
	st      *state // for what is counted
	costs   framework.Matrix
	threads int
	flow    bool
	limits  []priced
	prices  []float64
	steps   []float64 // of each price; 0: it has not moved
	last    []float64 // the gradient before
	raise   raise
	raised  framework.Matrix // for the flow
	sizes   []float64        // prices of the flow before
	labels  []int32          // the cheapest at the prices

	best  []float64 // prices of the highest bound
	bound float64
}

// A priced limit is one of the rows of a cluster, of a sum over them, or of those of each value of a column.
type priced struct {
	cluster int
	first   int // of its prices
	values  int // how many it has
	sum     int // or −1
	column  int // of codes, or −1
	lo, hi  float64
	size    float64 // of a unit: limits of sums are divided by it
	shares  bool    // lo and hi are parts of the rows of the cluster
}

func (s *set) newDual(at framework.LabelCosts) *dual {
	d := &dual{s: s, st: s.newState(at.Costs), costs: at.Costs, threads: max(at.Threads, 1), bound: math.Inf(-1)}
	d.flow = s.columns() == 1 || s.columns() == 0 && len(s.sizes) > 0 && s.n*s.k <= small
	d.labels = make([]int32, s.n)
	for j := range s.k {
		if lo, hi := d.st.lo[j], d.st.hi[j]; !d.flow && (lo > 0 || hi < s.n) {
			d.add(priced{cluster: j, values: 1, sum: -1, column: -1, size: 1, lo: float64(lo), hi: float64(hi)})
		}
		on := d.st.on[j]
		for _, i := range on.sums {
			l := s.sums[i]
			p := priced{cluster: j, values: 1, sum: i, column: -1, size: l.size, lo: math.Inf(-1), hi: math.Inf(1)}
			if l.lo != math.MinInt64 {
				p.lo = float64(l.lo) / l.size
			}
			if l.hi != math.MaxInt64 {
				p.hi = float64(l.hi) / l.size
			}
			d.add(p)
		}
		for _, b := range on.balances {
			l := s.balances[b.limit]
			d.add(priced{cluster: j, values: len(l.values), sum: -1, column: b.column, size: 1, shares: true,
				lo: float64(l.lo) / whole, hi: float64(l.hi) / whole})
		}
		for _, u := range on.uniques {
			if l := s.uniques[u.limit]; !d.flow {
				d.add(priced{cluster: j, values: len(l.values), sum: -1, column: u.column, size: 1, lo: math.Inf(-1), hi: float64(l.hi[j])})
			}
		}
	}
	n := len(d.prices)
	d.steps, d.last, d.best = make([]float64, n), make([]float64, n), make([]float64, n)
	if d.flow {
		d.raised = framework.NewMatrix(s.n, s.k)
	}
	return d
}

func (d *dual) add(p priced) {
	p.first = len(d.prices)
	d.limits = append(d.limits, p)
	d.prices = append(d.prices, make([]float64, p.values)...)
}

const (
	rounds     = 1500   // of the ascent, at most
	flowRounds = 60     // where each is a flow
	small      = 20_000 // costs of which a flow is found in each round where sizes are limited
)

// ascend raises the bound. given are prices of costs like these, nil: none.
func (d *dual) ascend(ctx context.Context, given []float64) error {
	first, most := 0.05*apart(d.costs), rounds
	patience := max(20, min(200, 2_000_000/(d.s.n*d.s.k)))
	if d.flow {
		most, patience = flowRounds, 20
	}
	if len(given) == len(d.prices) && largest(given) <= 1e9*first {
		without, err := d.solve(ctx)
		if err != nil {
			return err
		}
		copy(d.prices, given)
		with, err := d.solve(ctx)
		if err != nil {
			return err
		}
		if first /= 4; !(with > without) { // they are prices of something else
			clear(d.prices)
			first *= 4
		}
	}
	since, little := 0, 1e-6*apart(d.costs)*float64(d.s.n)
	mark := math.Inf(-1) // the highest bound when since began
	for round := range most {
		bound, err := d.solve(ctx)
		if err != nil {
			return err
		}
		if bound > d.bound {
			d.bound = bound
			copy(d.best, d.prices)
		}
		if since++; bound > mark+little {
			if since, mark = 0, bound; round == 0 {
				mark = math.Inf(-1) // the first steps may be too long
			}
		}
		d.st.fill(d.labels)
		g, squares := d.gradient()
		if squares == 0 || since >= patience {
			break
		}
		d.step(g, first)
	}
	copy(d.prices, d.best)
	_, err := d.solve(ctx)
	return err
}

// solve finds the cheapest labels at the prices, and returns the bound: less a little more than what
// rounding can have added.
func (d *dual) solve(ctx context.Context) (float64, error) {
	constant, sizes := d.reprice()
	if d.flow {
		total, err := d.solveFlow(ctx)
		for i, j := range d.labels {
			sizes += math.Abs(d.raised.Row(i)[j])
		}
		return total + constant - 1e-12*sizes, err
	}
	const chunk = 4096
	type part struct{ sum, size float64 }
	parts := make([]part, (d.s.n+chunk-1)/chunk)
	err := parallel.For(ctx, d.threads, len(parts), func(_, p int) error {
		row := make([]float64, d.s.k)
		for i := p * chunk; i < min(d.s.n, (p+1)*chunk); i++ {
			d.raise.row(i, d.costs.Row(i), row)
			best, least := 0, math.Inf(1)
			for j, v := range row {
				if v < least {
					best = j
				}
				least = min(least, v)
			}
			if math.IsInf(least, 1) {
				return d.s.explain(ctx, &transport.Infeasible{Row: i, Rows: 1})
			}
			d.labels[i] = int32(best)
			parts[p].sum += least
			parts[p].size += math.Abs(least) + 2*d.raise.most(i)
		}
		return nil
	})
	total := constant
	for _, p := range parts {
		total += p.sum
		sizes += p.size
	}
	return total - 1e-12*sizes, err
}

// solveFlow is solve where limits of values of a column and sizes are a flow.
func (d *dual) solveFlow(ctx context.Context) (float64, error) {
	for i := range d.s.n {
		d.raise.row(i, d.costs.Row(i), d.raised.Row(i))
	}
	got, err := transport.Solve(ctx, d.s.problem(d.raised.Data), transport.Options{Threads: d.threads, Prices: d.sizes})
	if err != nil {
		return 0, d.s.explain(ctx, err)
	}
	copy(d.labels, got.Labels)
	d.sizes = got.Prices
	return got.Total, nil
}

// reprice sets what prices add to costs, and returns what the limits are worth together, and
// the sum of the absolute values of that.
func (d *dual) reprice() (constant, sizes float64) {
	d.raise.clear(d.st)
	for _, p := range d.limits {
		for v, price := range d.prices[p.first : p.first+p.values] {
			if price == 0 {
				continue
			}
			limit := p.hi
			if price < 0 {
				limit = p.lo
			}
			if p.shares {
				d.raise.flat[p.cluster] -= price * limit
			} else {
				constant -= price * limit
				sizes += math.Abs(price * limit)
			}
			switch {
			case p.sum >= 0:
				d.raise.rates[d.st.ofSum[p.sum]][p.cluster] += price / p.size
			case p.column >= 0:
				d.raise.values[p.column][v*d.s.k+p.cluster] += price
			default:
				d.raise.flat[p.cluster] += price
			}
		}
	}
	d.raise.measure()
	return constant, sizes
}

// reduced returns costs with what prices add to them.
func (d *dual) reduced() framework.Matrix {
	if !d.flow {
		m := framework.NewMatrix(d.s.n, d.s.k)
		for i := range d.s.n {
			d.raise.row(i, d.costs.Row(i), m.Row(i))
		}
		return m
	}
	for i := range d.s.n { // raised are those of the last solve
		for j, v := range d.sizes {
			d.raised.Row(i)[j] += v
		}
	}
	return d.raised
}

// amount returns what a limit counts, of its value v.
func (d *dual) amount(st *state, p priced, v int) float64 {
	switch {
	case p.sum >= 0:
		return float64(st.totals[p.sum]) / p.size
	case p.column >= 0:
		return float64(st.counts[p.column][v*d.s.k+p.cluster])
	}
	return float64(st.sizes[p.cluster])
}

// bounds returns the limits of the labels of a state.
func (p priced) bounds(st *state) (lo, hi float64) {
	if p.shares {
		n := float64(st.sizes[p.cluster])
		return p.lo * n, p.hi * n
	}
	return p.lo, p.hi
}

// gradient returns by how much the labels of the state break each limit, and the sum of squares.
func (d *dual) gradient() (g []float64, squares float64) {
	g = make([]float64, len(d.prices))
	for _, p := range d.limits {
		lo, hi := p.bounds(d.st)
		for v := range p.values {
			amount, price := d.amount(d.st, p, v), d.prices[p.first+v]
			of := &g[p.first+v]
			switch {
			case price > 0 || price == 0 && amount > hi:
				*of = amount - hi
			case price < 0 || amount < lo:
				*of = amount - lo
			}
			squares += *of * *of
		}
	}
	return g, squares
}

// step moves each price by a step of its own, in the direction that its limit is broken in. The step
// grows as long as the direction stays, and halves when it turns (Riedmiller and Braun 1993): limits
// are of very different sizes. A price that would change its sign becomes 0. first is the first step.
func (d *dual) step(g []float64, first float64) {
	for t, price := range d.prices {
		step := &d.steps[t]
		switch turn := g[t] * d.last[t]; {
		case *step == 0:
			*step = first
		case turn > 0:
			*step *= 1.3
		case turn < 0:
			*step *= 0.5
		}
		d.last[t] = g[t]
		next := price
		switch {
		case g[t] > 0:
			next += *step
		case g[t] < 0:
			next -= *step
		}
		if price > 0 && next < 0 || price < 0 && next > 0 {
			next = 0
		}
		d.prices[t] = next
	}
}

// worth returns, for each cluster, what the distances of a state's labels to their limits are worth at the prices: no move
// of rows can save more than that of its clusters, unless it breaks less.
func (d *dual) worth(st *state, of []float64) {
	clear(of)
	for _, p := range d.limits {
		lo, hi := p.bounds(st)
		for v := range p.values {
			switch price := d.prices[p.first+v]; {
			case price > 0:
				of[p.cluster] += price * max(0, hi-d.amount(st, p, v))
			case price < 0:
				of[p.cluster] -= price * max(0, d.amount(st, p, v)-lo)
			}
		}
	}
}

// top returns the largest absolute price.
func (d *dual) top() float64 { return largest(d.prices) }

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

func isUndecided(err error) bool {
	_, ok := errors.AsType[framework.Undecided](err)
	return ok
}
