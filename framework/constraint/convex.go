package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// convex is an intersection of convex sets.
type convex struct {
	box     bounds // of all entries
	rest    bounds // of those that no group ties
	groups  []group
	boxed   bool
	parts   []part
	rowWise bool
	cone    bool
}

// A group is the sets that share entries, directly or by others.
type group struct {
	parts   []part
	entries []int
	sets    []framework.Set // for Dykstra: the parts, and their bounds
	bounded bool
	rowWise bool
}

func (b *builder) convex() (framework.Set, error) {
	c := &convex{box: b.box, boxed: b.boxed, parts: b.parts, rowWise: true, cone: true}
	tied := make([]bool, b.k*b.p)
	for _, g := range b.groups() {
		for _, i := range g.entries {
			tied[i] = true
		}
		c.rowWise = c.rowWise && g.rowWise
		c.groups = append(c.groups, g)
	}
	for _, p := range b.parts {
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
	return c, b.probe(c)
}

// groups joins parts that share entries.
func (b *builder) groups() []group {
	owner := make([]int, b.k*b.p) // 1 + the part that speaks of an entry
	joined := make([]int, len(b.parts))
	var find func(i int) int
	find = func(i int) int {
		if joined[i] != i {
			joined[i] = find(joined[i])
		}
		return joined[i]
	}
	for i, p := range b.parts {
		joined[i] = i
		for _, e := range p.entries {
			if owner[e] > 0 {
				from, to := find(i), find(owner[e]-1)
				joined[max(from, to)] = min(from, to)
			}
			owner[e] = i + 1
		}
	}
	number := map[int]int{}
	var all []group
	for i, p := range b.parts {
		root := find(i)
		if _, ok := number[root]; !ok {
			number[root] = len(all)
			all = append(all, group{rowWise: true})
		}
		g := &all[number[root]]
		g.parts = append(g.parts, p)
		g.rowWise = g.rowWise && p.Properties().RowWise
	}
	for n := range all {
		g := &all[n]
		seen := make([]bool, b.k*b.p)
		for _, p := range g.parts {
			g.sets = append(g.sets, p.Set)
			for _, e := range p.entries {
				if !seen[e] {
					g.entries = append(g.entries, e)
				}
				seen[e] = true
			}
		}
		if g.bounded = b.box.bounded(g.entries); g.bounded {
			g.sets = append(g.sets, b.box.within(g.entries))
		}
	}
	return all
}

// Properties implements framework.Set.
func (c *convex) Properties() framework.Properties {
	return framework.Properties{Kind: "intersection", Convex: true, Cone: c.cone, RowWise: c.rowWise, Separable: len(c.groups) == 0}
}

// Project implements framework.Set. See Intersect for what is exact and what is
// to tolerance.
func (c *convex) Project(dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	if dst.Rows != c.box.lo.Rows || dst.Cols != c.box.lo.Cols {
		return framework.Faultf(framework.Data, "bad-set", "an intersection for %d×%d centers is asked for %d×%d", c.box.lo.Rows, c.box.lo.Cols, dst.Rows, dst.Cols)
	}
	if at.Gain != nil && len(c.groups) > 0 {
		return needsMeans("an intersection")
	}
	if err := c.rest.Project(dst, at); err != nil {
		return err
	}
	for _, g := range c.groups {
		if err := g.project(dst, at); err != nil {
			return err
		}
	}
	return nil
}

// project writes the group's entries of dst, which hold those of the point.
func (g group) project(dst framework.Matrix, at framework.Point) error {
	if len(g.sets) == 1 {
		return g.sets[0].Project(dst, framework.Point{X: dst, RowMass: at.RowMass, ColMass: at.ColMass})
	}
	if s, ok := g.slab(); ok {
		g.projectSlab(s, dst, at)
		return nil
	}
	if len(g.parts) == 1 {
		box := g.sets[1].(bounds)
		switch s := g.parts[0].Set.(type) {
		case HalfSpace:
			g.eachRow(s.Where, dst, at, knapsack{coef: s.Coef, bound: s.Bound}, box)
			return nil
		case Simplex:
			g.eachRow(s.Where, dst, at, knapsack{bound: s.Radius, equal: true}, box)
			return nil
		case JointHalfSpace:
			k := knapsack{coef: s.Coef.Data, lo: box.lo.Data, hi: box.hi.Data, bound: s.Bound}
			k.nearest(dst.Data, entryMasses(at))
			return nil
		}
	}
	rows := at.RowMass
	if g.rowWise {
		rows = nil // a factor for each center by itself
	}
	return dykstraAnyMass(dst, g.sets, rows, at.ColMass)
}

// eachRow solves a knapsack in each center that w speaks of. Without
// coefficients it is a simplex.
func (group) eachRow(w Where, dst framework.Matrix, at framework.Point, k knapsack, box bounds) {
	mass := w.masses(at.ColMass)
	simplex := k.coef == nil
	var y []float64
	for _, j := range w.clusters(dst.Rows) {
		y = w.gather(y, dst.Row(j))
		k.lo, k.hi = w.gather(k.lo, box.lo.Row(j)), w.gather(k.hi, box.hi.Row(j))
		if simplex {
			k.coef = make([]float64, len(y))
			for i := range k.coef {
				k.coef[i], k.lo[i] = 1, max(k.lo[i], 0)
			}
		}
		k.nearest(y, mass)
		for i, v := range y {
			dst.Row(j)[w.feature(i)] = v
		}
	}
}

// Violation returns the largest distance from one of the sets: a lower bound of
// the distance from all of them.
func (c *convex) Violation(y framework.Matrix) float64 {
	if y.Rows != c.box.lo.Rows || y.Cols != c.box.lo.Cols {
		panic("constraint: the centers have another shape than the intersection")
	}
	most := c.box.Violation(y)
	for _, p := range c.parts {
		most = max(most, p.Violation(y))
	}
	return most
}
