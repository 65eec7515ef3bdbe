package pcskm

import (
	"cmp"
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// stepsOfAPass limits the searches for room in one pass. Beyond it, rows go to the
// clusters of an assignment that is known to keep all hard links.
const stepsOfAPass = 50_000_000

// pass assigns the units one after the other.
type pass struct {
	c      *clusterer
	cost   []float64 // by link
	label  []int32   // by unit; −1: none yet
	whole  []int32   // by unit: clusters that keep all hard links, and are those of label where it has some; nil: label has all
	steps  int
	totals []float64 // by cluster
	order  []int32   // room for clusters
}

// AssignLinked implements framework.Linker. Labels that lack a row's, or that
// break a hard link, are forgotten first.
func (c *clusterer) AssignLinked(ctx context.Context, m *framework.Model, rows framework.Rows, labels []int32) error {
	if c.graph == nil {
		return nil
	}
	room := cacheOf(m)
	room.pairs.measure(c, means.UsedWeights(m), rows)
	distance, err := c.unitDistances(ctx, m, rows)
	if err != nil {
		return err
	}
	p := &pass{
		c: c, cost: room.pairs.cost, label: make([]int32, len(c.graph.Units)),
		steps: stepsOfAPass, totals: make([]float64, c.Problem.K), order: make([]int32, c.Problem.K),
	}
	if !p.take(labels) {
		for u := range p.label {
			p.label[u] = -1
		}
		p.whole = slices.Clone(c.keeping)
	}
	for u, unit := range c.graph.Units {
		if u%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		j := p.assign(int32(u), distance.Row(u))
		for _, i := range unit {
			labels[i] = j
		}
	}
	return nil
}

// take takes over the labels of rows, if all linked ones have some and no hard
// link is broken.
func (p *pass) take(labels []int32) bool {
	g := p.c.graph
	for u, unit := range g.Units {
		p.label[u] = labels[unit[0]]
		for _, i := range unit {
			if labels[i] < 0 || labels[i] != p.label[u] {
				return false
			}
		}
	}
	for u, others := range g.Apart {
		for _, v := range others {
			if p.label[u] == p.label[v] {
				return false
			}
		}
	}
	return true
}

// unitDistances returns, for each unit and center (units × k), the sum over the
// unit's rows of weight · squared distance. A row of weight 0 counts as 1, since it
// needs a cluster too.
func (c *clusterer) unitDistances(ctx context.Context, m *framework.Model, rows framework.Rows) (framework.Matrix, error) {
	k := c.Problem.K
	sums := framework.NewMatrix(len(c.graph.Units), k)
	var d framework.Matrix
	for n := range rows.Blocks() {
		if err := ctx.Err(); err != nil {
			return sums, err
		}
		b := rows.Block(n)
		of := c.graph.Of[b.Row0 : b.Row0+b.X.Rows]
		if !slices.ContainsFunc(of, func(u int32) bool { return u >= 0 }) {
			continue
		}
		if len(d.Data) != b.X.Rows*k {
			d = framework.NewMatrix(b.X.Rows, k)
		}
		means.CacheOf(m).Centers.Distances(d, b)
		for i, u := range of {
			if u < 0 {
				continue
			}
			w := b.Weight(i)
			if !(w > 0) {
				w = 1
			}
			sum := sums.Row(int(u))
			for j, v := range d.Row(i) {
				sum[j] += float64(w * v)
			}
		}
	}
	return sums, nil
}

// assign gives unit u the cluster of least distance and costs, the lowest of
// equals, among those that hard links leave to it.
func (p *pass) assign(u int32, distance []float64) int32 {
	copy(p.totals, distance)
	for _, h := range p.c.halves.at[p.c.halves.from[u]:p.c.halves.from[u+1]] {
		partner := p.label[h.other]
		if partner < 0 {
			continue
		}
		l := &p.c.links[h.link]
		cost := float64(l.Weight * p.cost[h.link])
		if l.Cannot {
			p.totals[partner] += cost
			continue
		}
		for j := range p.totals {
			if int32(j) != partner {
				p.totals[j] += cost
			}
		}
	}
	if len(p.c.graph.Apart[u]) == 0 {
		p.label[u] = least(p.totals)
		return p.label[u]
	}
	for j := range p.order {
		p.order[j] = int32(j)
	}
	slices.SortStableFunc(p.order, func(a, b int32) int { return cmp.Compare(p.totals[a], p.totals[b]) })
	for _, j := range p.order {
		if p.allowed(u, j) {
			p.label[u] = j
			return j
		}
	}
	return p.label[u] // it may stay where it is, so this is not reached
}

// allowed reports whether unit u may go to cluster j and all units without a label
// still find a cluster. The cluster that whole has for it is always allowed.
func (p *pass) allowed(u, j int32) bool {
	g, room := p.c.graph, true
	for _, v := range g.Apart[u] {
		if p.label[v] == j {
			return false
		}
		room = room && (p.whole == nil || p.whole[v] != j)
	}
	switch {
	case p.whole == nil:
		return true
	case room:
		p.whole[u] = j
		return true
	case p.steps < 0:
		return false
	}
	before := p.label[u]
	p.label[u] = j
	other := slices.Clone(p.label)
	p.label[u] = before
	if g.Colour(other, p.whole, p.c.Problem.K, &p.steps) != links.Yes {
		return false
	}
	p.whole = other
	return true
}

// least returns the place of the smallest value, the lowest of equals.
func least(values []float64) int32 {
	best := 0
	for j, v := range values {
		if v < values[best] {
			best = j
		}
	}
	return int32(best)
}
