package processes

import (
	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/sets"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The laws of processes that serve kinds of sets.
var setProcessLaws = []judge.Law[*Holder]{
	{Name: "process/unknown-kind", Source: processContract, Once: true, Check: unknownKind,
		Statement: "Asking for a set of an unknown kind is an error, and the process lives on."},
	{Name: "process/closed-set", Source: processContract, Once: true, Check: closedSet,
		Statement: "Projecting onto a closed set is refused, and the process lives on."},
	{Name: "process/sets", Source: processContract, Cases: 10, Check: manySets,
		Statement: "Sets that are open at the same time do not affect each other."},
	{Name: "process/set-bits", Source: "framework.SetKind", Cases: 6, Check: sameProjections,
		Statement: "Two processes of the program give the same projections, bit for bit."},
}

// kind returns one of the kinds of sets, each in turn.
func (h *Holder) kind(c *judge.Trial) *kind {
	kinds := h.ofCenters()
	if len(kinds) == 0 {
		c.Skipf("the plugin serves no kinds of sets of centers")
	}
	k := &kind{Holder: h, ctx: c.Ctx, d: kinds[c.Index%len(kinds)]}
	c.Index /= len(kinds)
	c.Given("a set of kind %s", k.d.Kind)
	return k
}

// opened opens a set like the Example in a process.
func opened(c *judge.Trial, k *kind, p *host.Process, rows []framework.ConstraintRow, columns []framework.Column) *host.Set {
	s, err := k.make(p, rows, framework.ExampleClusters, columns)
	if err != nil {
		c.Failf("a set of kind %s is not made: %v", k.d.Kind, err)
	}
	c.AtEnd(func() { _ = s.Close() })
	return s
}

func unknownKind(c *judge.Trial, h *Holder) {
	p := h.ready(c)
	name := "no_such_kind"
	c.Given("the kind %s", name)
	if s, err := p.OpenSet(c.Ctx, name, []framework.ConstraintRow{{Kind: name}}, 2, framework.ExampleColumns()); err == nil {
		_ = s.Close()
		c.Failf("there is a set of it")
	}
	alive(c, p, "it was asked for an unknown kind of sets")
}

func closedSet(c *judge.Trial, h *Holder) {
	k, p := h.kind(c), h.ready(c)
	s := opened(c, k, p, k.d.Example, framework.ExampleColumns())
	x := cases.Draft(c, framework.ExampleClusters, len(framework.ExampleColumns()))
	sets.Onto(c, s, x)
	if err := s.Close(); err != nil {
		c.Failf("CloseSet fails: %v", err)
	}
	if err := s.Project(x.Clone(), framework.Point{X: x}); err == nil {
		c.Failf("a Project after CloseSet is answered; it must be an error")
	}
	alive(c, p, "a Project of a closed set")
}

func manySets(c *judge.Trial, h *Holder) {
	k, p, columns := h.kind(c), h.ready(c), framework.ExampleColumns()
	s, x := opened(c, k, p, k.d.Example, columns), cases.Draft(c, framework.ExampleClusters, len(framework.ExampleColumns()))
	y, off := sets.Onto(c, s, x), s.Violation(x)
	for range 3 {
		rows, clusters, others := cases.Like(c, k.d)
		other, err := k.make(p, rows, clusters, others)
		if err != nil { // not every kind takes other features or units
			clusters, others = framework.ExampleClusters, columns
			other = opened(c, k, p, k.d.Example, columns)
		}
		sets.Onto(c, other, cases.Draft(c, clusters, len(others)))
		if z := sets.Onto(c, s, x); judge.Differ(z.Data, y.Data) >= 0 {
			c.Failf("Px is %v, and %v with another set open", judge.RowsOf(y), judge.RowsOf(z))
		}
		if again := s.Violation(x); !judge.SameBits(again, off) {
			c.Failf("the violation of x is %g, and %g with another set open", off, again)
		}
	}
}

func sameProjections(c *judge.Trial, h *Holder) {
	k, p, columns := h.kind(c), h.ready(c), framework.ExampleColumns()
	one, two := opened(c, k, p, k.d.Example, columns), opened(c, k, h.start(c, host.Options{}), k.d.Example, columns)
	x := cases.Draft(c, framework.ExampleClusters, len(framework.ExampleColumns()))
	y, z := sets.Onto(c, one, x), sets.Onto(c, two, x)
	if judge.Differ(y.Data, z.Data) >= 0 {
		c.Failf("Px is %v in one process, and %v in another", judge.RowsOf(y), judge.RowsOf(z))
	}
	if a, b := one.Violation(x), two.Violation(x); !judge.SameBits(a, b) {
		c.Failf("the violation of x is %g in one process, and %g in another", a, b)
	}
}
