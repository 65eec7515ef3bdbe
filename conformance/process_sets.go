package conformance

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The laws of processes that serve kinds of sets.
var setProcessLaws = []law[*holder]{
	{Law: Law{"process/unknown-kind", "Asking for a set of an unknown kind is an error, and the process lives on.",
		processContract, Core}, once: true, check: unknownKind},
	{Law: Law{"process/closed-set", "Projecting onto a closed set is refused, and the process lives on.", processContract, Core},
		once: true, check: closedSet},
	{Law: Law{"process/sets", "Sets that are open at the same time do not affect each other.", processContract, Core}, cases: 10,
		check: manySets},
	{Law: Law{"process/set-bits", "Two processes of the program give the same projections, bit for bit.", "framework.SetKind", Core}, cases: 6,
		check: sameProjections},
}

// kind returns one of the kinds of sets, each in turn.
func (h *holder) kind(c *trial) *kind {
	if len(h.kinds) == 0 {
		c.skipf("the plugin serves no kinds of sets")
	}
	k := &kind{holder: h, ctx: c.ctx, d: h.kinds[c.index%len(h.kinds)]}
	c.index /= len(h.kinds)
	c.given("a set of kind %s", k.d.Kind)
	return k
}

// opened opens a set like the Example in a process.
func (c *trial) opened(k *kind, p *host.Process, rows []framework.ConstraintRow, columns []framework.Column) *host.Set {
	s, err := k.make(p, rows, framework.ExampleClusters, columns)
	if err != nil {
		c.failf("a set of kind %s is not made: %v", k.d.Kind, err)
	}
	c.atEnd(func() { _ = s.Close() })
	return s
}

// onto projects a point without masses.
func (c *trial) onto(s framework.Set, x framework.Matrix) framework.Matrix {
	y := framework.NewMatrix(x.Rows, x.Cols)
	if err := s.Project(y, framework.Point{X: x}); err != nil {
		c.failf("Project of %v is refused: %v", rowsOf(x), err)
	}
	return y
}

// draft draws centers.
func (c *trial) draft(clusters, columns int) framework.Matrix {
	x := framework.NewMatrix(clusters, columns)
	c.fill(x)
	c.given("X = %v", x)
	return x
}

func unknownKind(c *trial, h *holder) {
	p := h.ready(c)
	name := "no_such_kind"
	c.given("the kind %s", name)
	if s, err := p.OpenSet(c.ctx, name, []framework.ConstraintRow{{Kind: name}}, 2, framework.ExampleColumns()); err == nil {
		_ = s.Close()
		c.failf("there is a set of it")
	}
	alive(c, p, "it was asked for an unknown kind of sets")
}

func closedSet(c *trial, h *holder) {
	k, p := h.kind(c), h.ready(c)
	s := c.opened(k, p, k.d.Example, framework.ExampleColumns())
	x := c.draft(framework.ExampleClusters, len(framework.ExampleColumns()))
	c.onto(s, x)
	if err := s.Close(); err != nil {
		c.failf("CloseSet fails: %v", err)
	}
	if err := s.Project(x.Clone(), framework.Point{X: x}); err == nil {
		c.failf("a Project after CloseSet is answered; it must be an error")
	}
	alive(c, p, "a Project of a closed set")
}

func manySets(c *trial, h *holder) {
	k, p, columns := h.kind(c), h.ready(c), framework.ExampleColumns()
	s, x := c.opened(k, p, k.d.Example, columns), c.draft(framework.ExampleClusters, len(framework.ExampleColumns()))
	y, off := c.onto(s, x), s.Violation(x)
	for range 3 {
		rows, clusters, others := c.like(k.d)
		other, err := k.make(p, rows, clusters, others)
		if err != nil { // not every kind takes other features or units
			clusters, others = framework.ExampleClusters, columns
			other = c.opened(k, p, k.d.Example, columns)
		}
		c.onto(other, c.draft(clusters, len(others)))
		if z := c.onto(s, x); differ(z.Data, y.Data) >= 0 {
			c.failf("Px is %v, and %v with another set open", rowsOf(y), rowsOf(z))
		}
		if again := s.Violation(x); !sameBits(again, off) {
			c.failf("the violation of x is %g, and %g with another set open", off, again)
		}
	}
}

func sameProjections(c *trial, h *holder) {
	k, p, columns := h.kind(c), h.ready(c), framework.ExampleColumns()
	one, two := c.opened(k, p, k.d.Example, columns), c.opened(k, h.start(c, host.Options{}), k.d.Example, columns)
	x := c.draft(framework.ExampleClusters, len(framework.ExampleColumns()))
	y, z := c.onto(one, x), c.onto(two, x)
	if differ(y.Data, z.Data) >= 0 {
		c.failf("Px is %v in one process, and %v in another", rowsOf(y), rowsOf(z))
	}
	if a, b := one.Violation(x), two.Violation(x); !sameBits(a, b) {
		c.failf("the violation of x is %g in one process, and %g in another", a, b)
	}
}
