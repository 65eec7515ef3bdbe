package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// HalfSpace is the set of centers with Σ_l Coef_l y_l ≤ Bound, each center by
// itself; Coef has one number for each feature of Where. See qp.OntoHalfSpace for
// its nearest point.
type HalfSpace struct {
	Where
	Coef  []float64
	Bound float64
}

// JointHalfSpace is the set of matrices of centers with
// Σ_jl Coef_jl y_jl ≤ Bound: an inequality between centers. Coef is k×p. Its
// nearest point is that of a HalfSpace in which the mass of an entry is the product
// of its row mass and its column mass.
type JointHalfSpace struct {
	Coef  framework.Matrix
	Bound float64
}

var (
	_ RowSet        = HalfSpace{}
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
// finite, or if all are 0 and Bound is negative.
func (h HalfSpace) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(h, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (h HalfSpace) Violation(y framework.Matrix) float64 { return violationRows(h, y) }

// Penalty implements framework.Set: there is none.
func (JointHalfSpace) Penalty(framework.Matrix) float64 { return 0 }

// Project implements framework.Set. It returns the same Faults as HalfSpace.
func (h JointHalfSpace) Project(dst framework.Matrix, at framework.Point) error {
	if err := FitPoint(dst, at); err != nil {
		return err
	}
	if h.Coef.Rows != dst.Rows || h.Coef.Cols != dst.Cols {
		return framework.Faultf(framework.Data, "bad-set", "halfspace has %d×%d coefficients for %d×%d centers",
			h.Coef.Rows, h.Coef.Cols, dst.Rows, dst.Cols)
	}
	if err := h.AsRow().check(len(dst.Data)); err != nil {
		return err
	}
	if at.Gain != nil {
		return NeedsMeans("halfspace")
	}
	dst.CopyFrom(at.X)
	h.AsRow().nearest(dst.Data, entryMasses(at))
	return nil
}

// Violation returns the Euclidean distance from the set.
func (h JointHalfSpace) Violation(y framework.Matrix) float64 {
	if h.Coef.Rows != y.Rows || h.Coef.Cols != y.Cols || h.AsRow().check(len(y.Data)) != nil {
		return math.Inf(1)
	}
	return h.AsRow().distance(y.Data)
}

// AsRow returns the same inequality for all centers, joined into a single row.
func (h JointHalfSpace) AsRow() HalfSpace { return HalfSpace{Coef: h.Coef.Data, Bound: h.Bound} }

// entryMasses returns the mass of each entry, divided by the largest, or nil if
// all are equal.
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
	return qp.Normal(mass)
}

func (h HalfSpace) check(width int) error {
	if err := numbers("halfspace", "coefficients", h.Coef, width, false); err != nil {
		return err
	}
	if math.IsNaN(h.Bound) {
		return framework.Faultf(framework.Data, "bad-set", "halfspace: the bound is NaN")
	}
	if (qp.MaxAbs(h.Coef) == 0 && h.Bound < 0) || math.IsInf(h.Bound, -1) {
		return framework.Faultf(framework.Data, "empty-set", "the half-space is empty: no center has a sum of at most %g with these coefficients",
			h.Bound)
	}
	return nil
}

func (h HalfSpace) nearest(y, mass []float64) { qp.OntoHalfSpace(y, mass, h.Coef, h.Bound) }

func (h HalfSpace) distance(y []float64) float64 { return qp.BeyondHalfSpace(y, h.Coef, h.Bound) }

func (h HalfSpace) write(p *qp.Program, of []int) { p.HalfSpace(of, h.Coef, h.Bound) }
