package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// linked draws a problem with links, with no pair of rows twice. hard says whether
// some may be hard.
func linked(c *judge.Trial, s testbed.Subject, hard bool) *testbed.Bed {
	if !testbed.Describe(c, s).Links {
		c.Skipf("the algorithm takes no links")
	}
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Plain: true, Complete: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+c.Size), c.Between(1, 4), c.Between(2, 4)
	}})
	seen := map[[2]int32]bool{}
	for range c.Between(1, 2+c.Size/2) {
		x, y := int32(c.Rand.IntN(b.N)), int32(c.Rand.IntN(b.N))
		l := framework.Link{A: x, B: y, Cannot: c.Rand.IntN(2) == 0, Weight: 0.5 + c.Rand.Float64()}
		if hard && c.Rand.IntN(2) == 0 {
			l.Weight = math.Inf(1)
		}
		if pair := [2]int32{min(x, y), max(x, y)}; x != y && !seen[pair] {
			seen[pair] = true
			b.Links = append(b.Links, l)
		}
	}
	if len(b.Links) == 0 {
		c.Skipf("no link was drawn")
	}
	c.Given("the links %+v", b.Links)
	if err := b.Rebind(); err != nil {
		c.Skipf("the links are refused: %v", err)
	}
	return b
}

// linker returns the clusterer as the Linker that it must be.
func linker(b *testbed.Bed) framework.Linker {
	l, ok := framework.As[framework.Linker](b.Clusterer)
	if !ok {
		b.Failf("the description says Links, but the clusterer is not a framework.Linker")
	}
	return l
}

func linksPlanned(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, true)
	if !b.Plan.Linked {
		c.Failf("there are links, but the plan does not say Linked")
	}
	linker(b)
	if free := b.Without("links", func(p *framework.Problem) { p.Links = nil }).Plan; free.Linked {
		c.Failf("the plan says Linked where there are no links, and with the links %+v too", b.Links)
	}
}

func hardLinks(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, true)
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	for _, l := range b.Links {
		if l.Hard() && l.Broken(res.Labels) {
			c.Failf("the hard link %+v is broken: rows %d and %d have the labels %d and %d", l, l.A, l.B, res.Labels[l.A], res.Labels[l.B])
		}
	}
}

func linkedRows(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, true)
	linker := linker(b)
	isLinked := make([]bool, b.N)
	for _, l := range b.Links {
		isLinked[l.A], isLinked[l.B] = true, true
	}
	m := b.Model(b.Labels)
	labels := b.Assign(m, b.Labels)
	for i, j := range labels {
		if isLinked[i] && j != b.Labels[i] {
			c.Failf("Assign changes the label of row %d, which is linked, from %d to %d", i, b.Labels[i], j)
		}
	}
	before := slices.Clone(labels)
	b.OK(linker.AssignLinked(c.Ctx, m, b.Data, labels), "AssignLinked")
	for i, j := range labels {
		if !isLinked[i] && j != before[i] {
			c.Failf("AssignLinked changes the label of row %d, which is not linked, from %d to %d", i, before[i], j)
		}
		if j < 0 || int(j) >= b.K {
			c.Failf("AssignLinked gives row %d the label %d; labels are 0 to %d", i, j, b.K-1)
		}
	}
}

// staleLinks changes labels and models between two calls of AssignLinked.
func staleLinks(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, true)
	m, labels := b.Clusterer.Begin(), slices.Clone(b.Labels)
	for round := range 4 {
		if round != 2 { // the model stays
			b.Project(m, b.Update(m, labels))
		}
		for range 1 + b.N/4 {
			labels[c.Rand.IntN(b.N)] = int32(c.Rand.IntN(b.K))
		}
		fresh, again := b.Again(), m.Clone()
		want := fresh.Assign(again, labels)
		b.OK(linker(fresh).AssignLinked(c.Ctx, again, fresh.Data, want), "AssignLinked")
		labels = b.Assign(m, labels)
		b.OK(linker(b).AssignLinked(c.Ctx, m, b.Data, labels), "AssignLinked")
		b.SameLabels(labels, want, "labels or the model have changed since the last AssignLinked: in call %d a new clusterer gives others", round)
	}
}

// linkOrder reverses the links, and the two rows of each.
func linkOrder(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, true)
	other := *b
	other.Links = slices.Clone(b.Links)
	order := c.Rand.Perm(len(b.Links))
	for to, from := range order {
		l := b.Links[from]
		l.A, l.B = l.B, l.A
		other.Links[to] = l
	}
	c.Given("the same links in the order %v, each with its rows exchanged", order)
	if err := other.Rebind(); err != nil {
		c.Failf("the links are taken in one order, but not in another: %v", err)
	}
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	again := other.FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	b.SameLabels(again.Labels, res.Labels, "the order of links changes labels")
	b.Near(again.Model.Centers.Data, res.Model.Centers.Data, "the centers with the links in another order")
	if res.Labels[0] < 0 { // no feature has a weight
		return
	}
	costs, err := linker(b).LinkCosts(c.Ctx, res.Model, b.Data, res.Labels)
	b.OK(err, "LinkCosts")
	turned, err := linker(&other).LinkCosts(c.Ctx, res.Model, other.Data, res.Labels)
	b.OK(err, "LinkCosts")
	for to, from := range order {
		if math.Abs(turned[to]-costs[from]) > 1e-9*b.Total() {
			c.Failf("the link %+v costs %v, and %v in another order", b.Links[from], costs[from], turned[to])
		}
	}
}

func linkCosts(c *judge.Trial, s testbed.Subject) {
	b := linked(c, s, false)
	m := b.Model(b.Labels)
	costs, err := linker(b).LinkCosts(c.Ctx, m, b.Data, b.Labels)
	b.OK(err, "LinkCosts")
	if len(costs) != len(b.Links) {
		c.Failf("LinkCosts has %d numbers for %d links", len(costs), len(b.Links))
	}
	var sum float64
	for i, v := range costs {
		l := b.Links[i]
		if !l.Broken(b.Labels) && v != 0 {
			c.Failf("the link %+v is kept by the labels %v, but costs %v", l, b.Labels, v)
		}
		if !(v >= 0) || math.IsInf(v, 0) {
			c.Failf("the link %+v costs %v", l, v)
		}
		sum += v
	}
	worse := b.Update(m, b.Labels).Objective
	free := b.Without("links", func(p *framework.Problem) { p.Links = nil })
	worse -= free.Update(m.Clone(), b.Labels).Objective
	if b.Plan.Maximize {
		worse = -worse
	}
	// It may be more: links that follow from others cost too.
	if worse < sum-1e-9*b.Total() {
		c.Failf("broken links cost %v by LinkCosts, but the objective is only %v worse with them than without any links", sum, worse)
	}
}
