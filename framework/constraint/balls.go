package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// Simplex is the set of centers whose features of Where are not negative and
// sum to Radius. See qp.OntoSimplex for its nearest point.
type Simplex struct {
	Where
	Radius float64
}

// L1Ball is the set of centers whose features of Where have absolute values that
// sum to at most Radius. See qp.OntoL1Ball for its nearest point.
type L1Ball struct {
	Where
	Radius float64
}

// L2Ball is the set of centers whose features of Where have a Euclidean norm of
// at most Radius. See qp.OntoL2Ball for its nearest point.
type L2Ball struct {
	Where
	Radius float64
}

var (
	_ RowSet = Simplex{}
	_ RowSet = L1Ball{}
	_ RowSet = L2Ball{}
)

// Properties implements framework.Set.
func (Simplex) Properties() framework.Properties {
	return framework.Properties{Kind: "simplex", Convex: true, RowWise: true}
}

// Properties implements framework.Set.
func (L1Ball) Properties() framework.Properties {
	return framework.Properties{Kind: "l1_ball", Convex: true, RowWise: true}
}

// Properties implements framework.Set.
func (L2Ball) Properties() framework.Properties {
	return framework.Properties{Kind: "l2_ball", Convex: true, RowWise: true}
}

// Project implements framework.Set. It returns a Fault if Radius is negative or
// not finite.
func (s Simplex) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(s, dst, at)
}

// Project implements framework.Set. It returns a Fault if Radius is negative.
func (b L1Ball) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(b, dst, at)
}

// Project implements framework.Set. It returns a Fault if Radius is negative.
func (b L2Ball) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(b, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (s Simplex) Violation(y framework.Matrix) float64 { return violationRows(s, y) }

// Violation returns the Euclidean distance from the set.
func (b L1Ball) Violation(y framework.Matrix) float64 { return violationRows(b, y) }

// Violation returns the Euclidean distance from the set.
func (b L2Ball) Violation(y framework.Matrix) float64 { return violationRows(b, y) }

func (s Simplex) check(width int) error {
	if width == 0 && s.Radius != 0 {
		return framework.Faultf(framework.Data, "empty-set", "the simplex is empty: no features cannot sum to %g", s.Radius)
	}
	return radius("simplex", s.Radius, false)
}

func (b L1Ball) check(int) error { return radius("l1_ball", b.Radius, true) }
func (b L2Ball) check(int) error { return radius("l2_ball", b.Radius, true) }

// radius returns a Fault if r cannot be the radius of a set.
func radius(kind string, r float64, infinite bool) error {
	switch {
	case math.IsNaN(r) || !infinite && math.IsInf(r, 1):
		return framework.Faultf(framework.Data, "bad-set", "%s: the radius is %g", kind, r)
	case r < 0:
		return framework.Faultf(framework.Data, "empty-set", "the %s is empty: its radius is %g, and must not be negative", kind, r)
	}
	return nil
}

func (s Simplex) nearest(y, mass []float64) { qp.OntoSimplex(y, mass, s.Radius) }
func (b L1Ball) nearest(y, mass []float64)  { qp.OntoL1Ball(y, mass, b.Radius) }
func (b L2Ball) nearest(y, mass []float64)  { qp.OntoL2Ball(y, mass, b.Radius) }

func (b L2Ball) distance(y []float64) float64 { return max(0, qp.Norm(y)-b.Radius) }

func (s Simplex) write(p *qp.Program, of []int) { p.Simplex(of, s.Radius) }
func (b L1Ball) write(p *qp.Program, of []int)  { p.L1Ball(of, b.Radius) }
func (b L2Ball) write(p *qp.Program, of []int)  { p.L2Ball(of, b.Radius) }
