package constraint

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A slab is two half-spaces that face each other: they keep one sum between two
// limits. One of them at most is missed, and the nearest point of that one is
// within the other's limit: so it is the nearest of both. Bounds of entries
// change nothing about that.
type slab struct{ one, other HalfSpace }

// slab returns the group's parts as a slab, if they are one and it is not empty.
func (g group) slab() (s slab, ok bool) {
	if len(g.parts) != 2 {
		return slab{}, false
	}
	switch a := g.parts[0].Set.(type) {
	case HalfSpace:
		b, both := g.parts[1].Set.(HalfSpace)
		s, ok = slab{a, b}, both && slices.Equal(a.Clusters, b.Clusters) && slices.Equal(a.Features, b.Features)
	case JointHalfSpace:
		var b JointHalfSpace
		if b, ok = g.parts[1].Set.(JointHalfSpace); ok {
			s = slab{a.vector(), b.vector()}
		}
	}
	return s, ok && areOpposite(s.one.Coef, s.other.Coef) && s.one.Bound >= -s.other.Bound
}

func areOpposite(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == -y })
}

// nearest replaces y by the nearest point of the slab, within bounds if there
// are any.
func (s slab) nearest(y, mass, lo, hi []float64) {
	if lo == nil {
		if s.one.over(y, unitOf(s.one.Coef)) <= 0 {
			s.one = s.other
		}
		s.one.nearest(y, mass)
		return
	}
	k := knapsack{coef: s.one.Coef, lo: lo, hi: hi, bound: s.one.Bound}
	within := slices.Clone(y)
	k.clip(within)
	if s.one.over(within, unitOf(s.one.Coef)) <= 0 {
		k.coef, k.bound = s.other.Coef, s.other.Bound
	}
	k.nearest(y, mass)
}

// projectSlab writes the group's entries of dst, which hold those of the point.
func (g group) projectSlab(s slab, dst framework.Matrix, at framework.Point) {
	var box bounds
	if g.bounded {
		box = g.sets[len(g.sets)-1].(bounds)
	}
	if _, joint := g.parts[0].Set.(JointHalfSpace); joint {
		s.nearest(dst.Data, entryMasses(at), box.lo.Data, box.hi.Data)
		return
	}
	w := s.one.Where
	mass := w.masses(at.ColMass)
	var y, lo, hi []float64
	for _, j := range w.clusters(dst.Rows) {
		y = w.gather(y, dst.Row(j))
		if g.bounded {
			lo, hi = w.gather(lo, box.lo.Row(j)), w.gather(hi, box.hi.Row(j))
		}
		s.nearest(y, mass, lo, hi)
		for i, v := range y {
			dst.Row(j)[w.feature(i)] = v
		}
	}
}

// hasRule reports whether the group is projected by a rule of its own, and not
// by Dykstra's algorithm.
func (g group) hasRule() bool {
	_, isSlab := g.slab()
	return len(g.sets) == 1 || isSlab || len(g.parts) == 1 && g.exact()
}

// HasRule reports whether the set finds the nearest point by a rule of its own.
// Other intersections take Dykstra's algorithm, which needs masses that do not
// differ much.
func HasRule(set framework.Set) bool {
	switch s := set.(type) {
	case *convex:
		return !slices.ContainsFunc(s.groups, func(g group) bool { return !g.hasRule() })
	case *Declared:
		return HasRule(s.Set)
	}
	return true
}
