package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// HalfSpace is the set of centers with Σ_l Coef_l y_l ≤ Bound, each center by
// itself; Coef has one number for each feature of Where. With column masses c
// its nearest point is
//
//	y_l = x_l − τ Coef_l / c_l,   τ = (Σ_l Coef_l x_l − Bound)₊ / Σ_l Coef_l² / c_l
//
// Source: Boyd and Vandenberghe (2004), Convex optimization, section 8.1.1.
type HalfSpace struct {
	Where
	Coef  []float64
	Bound float64
}

// JointHalfSpace is the set of matrices of centers with
// Σ_jl Coef_jl y_jl ≤ Bound: an inequality between centers. Coef is k×p.
// Its nearest point is that of a HalfSpace, in which the mass of an entry is the
// product of its row's and its column's.
type JointHalfSpace struct {
	Coef  framework.Matrix
	Bound float64
}

var (
	_ vector        = HalfSpace{}
	_ framework.Set = JointHalfSpace{}
)

// Properties implements framework.Set.
func (h HalfSpace) Properties() framework.Properties {
	return framework.Properties{Kind: "halfspace", Convex: true, Cone: h.Bound == 0, RowWise: true}
}

// Properties implements framework.Set.
func (h JointHalfSpace) Properties() framework.Properties {
	return framework.Properties{Kind: "halfspace", Convex: true, Cone: h.Bound == 0}
}

// Project implements framework.Set. It returns a Fault if a coefficient is not
// finite, and where all are 0 and Bound is negative.
func (h HalfSpace) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(h, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (h HalfSpace) Violation(y framework.Matrix) float64 { return violationRows(h, y) }

// Project implements framework.Set. It returns a Fault as that of HalfSpace.
func (h JointHalfSpace) Project(dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	if h.Coef.Rows != dst.Rows || h.Coef.Cols != dst.Cols {
		return framework.Faultf(framework.Data, "bad-set", "halfspace has %d×%d coefficients for %d×%d centers", h.Coef.Rows, h.Coef.Cols, dst.Rows, dst.Cols)
	}
	if err := h.vector().check(len(dst.Data)); err != nil {
		return err
	}
	if at.Gain != nil {
		return needsMeans("halfspace")
	}
	dst.CopyFrom(at.X)
	h.vector().nearest(dst.Data, entryMasses(at))
	return nil
}

// Violation returns the Euclidean distance from the set.
func (h JointHalfSpace) Violation(y framework.Matrix) float64 {
	if h.Coef.Rows != y.Rows || h.Coef.Cols != y.Cols || h.vector().check(len(y.Data)) != nil {
		return math.Inf(1)
	}
	return h.vector().distance(y.Data, nil)
}

// vector returns the same inequality for the entries of all centers in a row.
func (h JointHalfSpace) vector() HalfSpace { return HalfSpace{Coef: h.Coef.Data, Bound: h.Bound} }

// entryMasses returns the mass of each entry, divided by the largest, or nil
// where all are equal.
func entryMasses(at framework.Point) []float64 {
	if at.RowMass == nil && at.ColMass == nil {
		return nil
	}
	rows, cols := Where{}.masses(at.RowMass), Where{}.masses(at.ColMass)
	if rows == nil && cols == nil {
		return nil
	}
	mass := make([]float64, 0, len(at.X.Data))
	for j := range at.X.Rows {
		row := 1.0
		if rows != nil {
			row = rows[j]
		}
		for l := range at.X.Cols {
			if mass = append(mass, row); cols != nil {
				mass[len(mass)-1] *= cols[l]
			}
		}
	}
	return normal(mass)
}

func (h HalfSpace) check(width int) error {
	if err := numbers("halfspace", "coefficients", h.Coef, width, false); err != nil {
		return err
	}
	if math.IsNaN(h.Bound) {
		return framework.Faultf(framework.Data, "bad-set", "halfspace: the bound is NaN")
	}
	if (largestOf(h.Coef) == 0 && h.Bound < 0) || math.IsInf(h.Bound, -1) {
		return framework.Faultf(framework.Data, "empty-set", "the half-space is empty: no center has a sum of at most %g with these coefficients", h.Bound)
	}
	return nil
}

func (h HalfSpace) nearest(y, mass []float64) {
	unit := unitOf(h.Coef)
	over := h.over(y, unit)
	if over <= 0 {
		return
	}
	if mass == nil {
		var squares float64
		for _, a := range h.Coef {
			squares += float64(a * unit * (a * unit))
		}
		for i, a := range h.Coef {
			if a != 0 {
				y[i] -= float64(over / squares * (a * unit))
			}
		}
		return
	}
	// Entries without mass cost nothing: if there are any, they move alone.
	free := false
	for i, m := range mass {
		free = free || m == 0 && h.Coef[i] != 0
	}
	var sum float64
	for i, a := range h.Coef {
		sum += float64(step(a*unit, mass[i], free) * (a * unit))
	}
	for i, a := range h.Coef {
		if a != 0 {
			y[i] -= float64(over / sum * step(a*unit, mass[i], free))
		}
	}
}

// step returns a coefficient divided by its mass. When entries without mass move
// alone, theirs is 1 and that of others infinite.
func step(a, mass float64, free bool) float64 {
	switch {
	case a == 0 || free && mass > 0:
		return 0
	case free:
		return a
	}
	return a / mass
}

// unitOf returns a power of two that brings the largest coefficient near 1, so
// that no square overflows, or 0 where all are 0.
func unitOf(coef []float64) float64 {
	most := largestOf(coef)
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	return math.Ldexp(1, -max(e, -1000))
}

// over returns by how much the sum is above the bound, both times unit.
func (h HalfSpace) over(y []float64, unit float64) float64 {
	if unit == 0 || math.IsInf(h.Bound, 1) {
		return 0
	}
	sum := -h.Bound * unit
	for i, a := range h.Coef {
		sum += float64(a * unit * y[i])
	}
	return sum
}

func (h HalfSpace) distance(y, _ []float64) float64 {
	unit := unitOf(h.Coef)
	if over := h.over(y, unit); over > 0 {
		scaled := make([]float64, len(h.Coef))
		for i, a := range h.Coef {
			scaled[i] = a * unit
		}
		return over / norm(scaled)
	}
	return 0
}

// largestOf returns the largest absolute value.
func largestOf(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}
