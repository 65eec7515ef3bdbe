package conformance

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// linked draws a problem with links, with no pair of rows twice. hard says whether
// some may be hard.
func (c *trial) linked(s subject, hard bool) *bed {
	if !c.description(s).Links {
		c.skipf("the algorithm takes no links")
	}
	b := c.bed(s, want{smooth: true, plain: true, complete: true, shape: func(c *trial) (int, int, int) {
		return c.between(4, 4+c.size), c.between(1, 4), c.between(2, 4)
	}})
	seen := map[[2]int32]bool{}
	for range c.between(1, 2+c.size/2) {
		x, y := int32(c.rand.IntN(b.p.N)), int32(c.rand.IntN(b.p.N))
		l := framework.Link{A: x, B: y, Cannot: c.rand.IntN(2) == 0, Weight: 0.5 + c.rand.Float64()}
		if hard && c.rand.IntN(2) == 0 {
			l.Weight = math.Inf(1)
		}
		if pair := [2]int32{min(x, y), max(x, y)}; x != y && !seen[pair] {
			seen[pair] = true
			b.p.Links = append(b.p.Links, l)
		}
	}
	if len(b.p.Links) == 0 {
		c.skipf("no link was drawn")
	}
	c.given("the links %+v", b.p.Links)
	if err := b.rebind(); err != nil {
		c.skipf("the links are refused: %v", err)
	}
	return b
}

// linker returns the clusterer as the Linker that it must be.
func (b *bed) linker() framework.Linker {
	l, ok := framework.As[framework.Linker](b.c)
	if !ok {
		b.failf("the description says Links, but the clusterer is not a framework.Linker")
	}
	return l
}

func linksPlanned(c *trial, s subject) {
	b := c.linked(s, true)
	if !b.plan.Linked {
		c.failf("there are links, but the plan does not say Linked")
	}
	b.linker()
	if free := b.without("links", func(p *framework.Problem) { p.Links = nil }).plan; free.Linked {
		c.failf("the plan says Linked where there are no links, and with the links %+v too", b.p.Links)
	}
}

func hardLinks(c *trial, s subject) {
	b := c.linked(s, true)
	res := b.fitOrSkip(startFrom(b.labels), b.settings(1))
	for _, l := range b.p.Links {
		if l.Hard() && l.Broken(res.Labels) {
			c.failf("the hard link %+v is broken: rows %d and %d have the labels %d and %d", l, l.A, l.B, res.Labels[l.A], res.Labels[l.B])
		}
	}
}

func linkedRows(c *trial, s subject) {
	b := c.linked(s, true)
	linker := b.linker()
	isLinked := make([]bool, b.p.N)
	for _, l := range b.p.Links {
		isLinked[l.A], isLinked[l.B] = true, true
	}
	m := b.model(b.labels)
	labels := b.assign(m, b.labels)
	for i, j := range labels {
		if isLinked[i] && j != b.labels[i] {
			c.failf("Assign changes the label of row %d, which is linked, from %d to %d", i, b.labels[i], j)
		}
	}
	before := slices.Clone(labels)
	b.ok(linker.AssignLinked(c.ctx, m, b.data, labels), "AssignLinked")
	for i, j := range labels {
		if !isLinked[i] && j != before[i] {
			c.failf("AssignLinked changes the label of row %d, which is not linked, from %d to %d", i, before[i], j)
		}
		if j < 0 || int(j) >= b.p.K {
			c.failf("AssignLinked gives row %d the label %d; labels are 0 to %d", i, j, b.p.K-1)
		}
	}
}

// linkOrder reverses the links, and the two rows of each.
func linkOrder(c *trial, s subject) {
	b := c.linked(s, true)
	other := *b
	other.p.Links = slices.Clone(b.p.Links)
	order := c.rand.Perm(len(b.p.Links))
	for to, from := range order {
		l := b.p.Links[from]
		l.A, l.B = l.B, l.A
		other.p.Links[to] = l
	}
	c.given("the same links in the order %v, each with its rows exchanged", order)
	if err := other.rebind(); err != nil {
		c.failf("the links are taken in one order, but not in another: %v", err)
	}
	res := b.fitOrSkip(startFrom(b.labels), b.settings(1))
	again := other.fitOrSkip(startFrom(b.labels), b.settings(1))
	b.sameLabels(again.Labels, res.Labels, "the order of links changes labels")
	b.close(again.Model.Centers.Data, res.Model.Centers.Data, "the centers with the links in another order")
	if res.Labels[0] < 0 { // no feature has a weight
		return
	}
	costs, err := b.linker().LinkCosts(c.ctx, res.Model, b.data, res.Labels)
	b.ok(err, "LinkCosts")
	turned, err := other.linker().LinkCosts(c.ctx, res.Model, other.data, res.Labels)
	b.ok(err, "LinkCosts")
	for to, from := range order {
		if math.Abs(turned[to]-costs[from]) > 1e-9*b.total() {
			c.failf("the link %+v costs %v, and %v in another order", b.p.Links[from], costs[from], turned[to])
		}
	}
}

func linkCosts(c *trial, s subject) {
	b := c.linked(s, false)
	m := b.model(b.labels)
	costs, err := b.linker().LinkCosts(c.ctx, m, b.data, b.labels)
	b.ok(err, "LinkCosts")
	if len(costs) != len(b.p.Links) {
		c.failf("LinkCosts has %d numbers for %d links", len(costs), len(b.p.Links))
	}
	var sum float64
	for i, v := range costs {
		l := b.p.Links[i]
		if !l.Broken(b.labels) && v != 0 {
			c.failf("the link %+v is kept by the labels %v, but costs %v", l, b.labels, v)
		}
		if !(v >= 0) || math.IsInf(v, 0) {
			c.failf("the link %+v costs %v", l, v)
		}
		sum += v
	}
	worse := b.update(m, b.labels).Objective
	free := b.without("links", func(p *framework.Problem) { p.Links = nil })
	worse -= free.update(m.Clone(), b.labels).Objective
	if b.plan.Maximize {
		worse = -worse
	}
	// It may be more: links that follow from others cost too.
	if worse < sum-1e-9*b.total() {
		c.failf("broken links cost %v by LinkCosts, but the objective is only %v worse with them than without any links", sum, worse)
	}
}
