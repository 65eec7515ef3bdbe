package conformance

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The laws of processes that serve kinds of sets.
var kindLaws = []law[*holder]{
	{Law: Law{"process/unknown-kind", "Asking for a set of an unknown kind is an error, and the process lives on.",
		processContract, Core}, once: true, check: unknownKind},
	{Law: Law{"process/closed-set", "Projecting onto a closed set is refused, and the process lives on.", processContract, Core},
		once: true, check: closedSet},
	{Law: Law{"process/sets", "Sets that are open at the same time do not affect each other.", processContract, Core}, cases: 10,
		check: manySets},
	{Law: Law{"process/set-bits", "Two processes of the program give the same projections, bit for bit.", "framework.SetKind", Core}, cases: 6,
		check: sameProjections},
	{Law: Law{"process/set-units",
		"Constraint rows are in original units: locations and scales of columns do not change which centers are in the set.",
		"framework.SetKind", Core}, cases: 20, check: setUnits},
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
	s, err := k.make(p, rows, columns)
	if err != nil {
		c.failf("a set of kind %s is not made: %v", k.d.Kind, err)
	}
	c.atEnd(func() { _ = s.Close() })
	return s
}

// onto projects a point without masses.
func (c *trial) onto(s *host.Set, x framework.Matrix) framework.Matrix {
	y := framework.NewMatrix(x.Rows, x.Cols)
	if err := s.Project(y, framework.Point{X: x}); err != nil {
		c.failf("Project of %v is refused: %v", rowsOf(x), err)
	}
	return y
}

// draft draws centers for a set like the Example.
func (c *trial) draft() framework.Matrix {
	x := framework.NewMatrix(framework.ExampleClusters, len(framework.ExampleColumns()))
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
	x := c.draft()
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
	s, x := c.opened(k, p, k.d.Example, columns), c.draft()
	y, off := c.onto(s, x), s.Violation(x)
	for range 3 {
		rows, others := like(k.d, c.rand)
		for l := range others {
			others[l].Location = c.rand.NormFloat64()
		}
		other, err := k.make(p, rows, others)
		if err != nil { // not every kind takes other features or units
			other = c.opened(k, p, k.d.Example, columns)
		}
		c.onto(other, c.draft())
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
	x := c.draft()
	y, z := c.onto(one, x), c.onto(two, x)
	if differ(y.Data, z.Data) >= 0 {
		c.failf("Px is %v in one process, and %v in another", rowsOf(y), rowsOf(z))
	}
	if a, b := one.Violation(x), two.Violation(x); !sameBits(a, b) {
		c.failf("the violation of x is %g in one process, and %g in another", a, b)
	}
}

// setUnits carries centers from one space to the other. Where columns have a
// location, the rounding of original values is allowed for.
func setUnits(c *trial, h *holder) {
	k, p := h.kind(c), h.ready(c)
	plain, columns := framework.ExampleColumns(), framework.ExampleColumns()
	var units, locations []float64
	for l := range columns {
		columns[l].Location, columns[l].Scale = 4*c.rand.NormFloat64(), 0.25+3*c.rand.Float64()
		units, locations = append(units, columns[l].Scale), append(locations, columns[l].Location)
	}
	scaledSet, err := k.make(p, k.d.Example, columns)
	if f := framework.AsFault(err); f != nil && f.Class == framework.Data {
		c.skipf("the kind takes columns as they were only: %v", err)
	}
	if err != nil {
		c.failf("a set of kind %s is not made: %v", k.d.Kind, err)
	}
	plainSet := c.opened(k, p, k.d.Example, plain)
	c.given("columns of location %v and scale %v", locations, units)
	x := c.draft()
	to := func(m framework.Matrix, value func(v float64, l int) float64) framework.Matrix {
		y := m.Clone()
		for i, v := range m.Data {
			y.Data[i] = value(v, i%m.Cols)
		}
		return y
	}
	original := func(v float64, l int) float64 { return locations[l] + v*units[l] }
	fitted := func(v float64, l int) float64 { return (v - locations[l]) / units[l] }
	// Rounding is relative to the largest number in play: a location in units of
	// the smallest scale, or an entry in those of the largest.
	scale := 0.0
	for l := range columns {
		scale = max(scale, math.Abs(locations[l]), math.Abs(locations[l]/units[l]))
	}
	const widest = 4 // above the largest scale, and 1 over the smallest
	y := c.onto(scaledSet, x)
	if v := plainSet.Violation(to(y, original)); !(v <= lengthError*widest*(scale+norm(x)+norm(y))) {
		c.failf("y = %v is the projection of x, but its original %v is %g from the set of columns as they were",
			rowsOf(y), rowsOf(to(y, original)), v)
	}
	z := c.onto(plainSet, x)
	if v := scaledSet.Violation(to(z, fitted)); !(v <= lengthError*widest*(scale+norm(x)+norm(z))) {
		c.failf("%v is the projection of x in columns as they were, but fitted, %v, it is %g from the set", rowsOf(z), rowsOf(to(z, fitted)), v)
	}
}
