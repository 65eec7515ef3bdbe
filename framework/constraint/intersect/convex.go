package intersect

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// convex is an intersection of convex sets.
type convex struct {
	costless
	box     bounds // of all entries
	rest    bounds // of entries that no set ties to others
	tasks   []*task
	parts   []part
	rowWise bool
	cone    bool
}

func (b *builder) convex() (framework.Set, error) {
	c := &convex{box: b.box, tasks: b.tasks(), parts: b.parts, rowWise: true, cone: true}
	tied := make([]bool, b.k*b.p)
	for _, t := range c.tasks {
		for _, i := range t.at {
			tied[i] = true
		}
	}
	for _, p := range b.parts {
		c.rowWise = c.rowWise && p.Properties().RowWise
		c.cone = c.cone && p.Properties().Cone
	}
	var free []int
	for i, t := range tied {
		if !t {
			free = append(free, i)
		}
		lo, hi := b.box.lo.Data[i], b.box.hi.Data[i]
		c.cone = c.cone && (lo == 0 || math.IsInf(lo, -1)) && (hi == 0 || math.IsInf(hi, 1))
	}
	c.rest = b.box.within(free)
	for _, t := range c.tasks {
		if err := t.probe(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Properties implements framework.Set.
func (c *convex) Properties() framework.Properties {
	return framework.Properties{Kind: "intersection", Convex: true, Cone: c.cone, RowWise: c.rowWise, Separable: len(c.tasks) == 0}
}

// Project implements framework.Set. See Sets for what is exact and what is only
// within a tolerance.
func (c *convex) Project(dst framework.Matrix, at framework.Point) error {
	if err := constraint.FitPoint(dst, at); err != nil {
		return err
	}
	if dst.Rows != c.box.lo.Rows || dst.Cols != c.box.lo.Cols {
		return framework.Faultf(framework.Data, "bad-set", "an intersection for %d×%d centers is asked for %d×%d",
			c.box.lo.Rows, c.box.lo.Cols, dst.Rows, dst.Cols)
	}
	if at.Gain != nil && len(c.tasks) > 0 {
		return constraint.NeedsMeans("an intersection")
	}
	if err := c.rest.Project(dst, at); err != nil {
		return err
	}
	for _, t := range c.tasks {
		if err := t.project(dst, at); err != nil {
			return err
		}
	}
	return nil
}

// Violation returns the largest of the distances from the sets, a lower bound of
// the distance from their intersection.
func (c *convex) Violation(y framework.Matrix) float64 {
	if y.Rows != c.box.lo.Rows || y.Cols != c.box.lo.Cols {
		panic("intersect: the centers have another shape than the intersection")
	}
	most := c.box.Violation(y)
	for _, p := range c.parts {
		most = max(most, p.Violation(y))
	}
	return most
}
