package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// A RowSet restricts each of some centers by itself. All sets of this package do
// but Sparsity, JointHalfSpace and Foreign.
//
// A new kind embeds a Where, which says which centers and features it speaks of,
// and has these methods and those of framework.Set: Project is projectRows, and
// Violation is violationRows. It then goes together with other sets too. One whose
// Properties are Separable may ask a program for bounds only.
type RowSet interface {
	framework.Set
	Scope() Where
	check(width int) error         // a Fault if the parameters are wrong for a scope of so many features
	nearest(y, mass []float64)     // see Nearest
	write(p *qp.Program, of []int) // see Write
}

// Check returns a Fault if a set of this package cannot be one of centers of p
// features. The Fault does not name the set.
func Check(set framework.Set, p int) error {
	if v, ok := set.(RowSet); ok {
		return v.check(v.Scope().Width(p))
	}
	return nil
}

// projectRows is Project of a RowSet.
func projectRows(set RowSet, dst framework.Matrix, at framework.Point) error {
	if err := FitPoint(dst, at); err != nil {
		return err
	}
	kind, w := set.Properties().Kind, set.Scope()
	if err := w.Fits(kind, at.X.Rows, at.X.Cols); err != nil {
		return err
	}
	if err := set.check(w.Width(at.X.Cols)); err != nil {
		return err
	}
	if at.Gain != nil && !set.Properties().Separable {
		return NeedsMeans(kind)
	}
	mass := w.masses(at.ColMass)
	dst.CopyFrom(at.X)
	var room []float64
	for _, j := range w.Rows(dst.Rows) {
		row := dst.Row(j)
		if w.Features == nil {
			set.nearest(row, mass)
			continue
		}
		room = w.Gather(room, row)
		set.nearest(room, mass)
		for i, l := range w.Features {
			row[l] = room[i]
		}
	}
	return nil
}

// violationRows is Violation of a RowSet.
func violationRows(set RowSet, y framework.Matrix) float64 {
	w := set.Scope()
	if w.Fits("", y.Rows, y.Cols) != nil || set.check(w.Width(y.Cols)) != nil {
		return math.Inf(1)
	}
	var total, values []float64
	room := make([]float64, w.Width(y.Cols))
	for _, j := range w.Rows(y.Rows) {
		values = w.Gather(values, y.Row(j))
		total = append(total, Distance(set, values, room))
	}
	return qp.Norm(total)
}

// Nearest replaces y, the features of the scope, by the nearest point. A nil mass
// is all 1.
func Nearest(set RowSet, y, mass []float64) { set.nearest(y, mass) }

// Write asks a program for the set, of whose features it has these entries.
func Write(set RowSet, p *qp.Program, of []int) { set.write(p, of) }

// Distance returns how far y, the features of the scope, is from the set. room is
// memory of its length.
func Distance(set RowSet, y, room []float64) float64 {
	if known, ok := set.(interface{ distance(y []float64) float64 }); ok {
		return known.distance(y)
	}
	copy(room, y)
	set.nearest(room, nil)
	for i, v := range y {
		room[i] -= v
	}
	return qp.Norm(room)
}

// numbers returns a Fault if a parameter does not have one number a feature, or
// if a number is not allowed.
func numbers(kind, what string, values []float64, width int, infinite bool) error {
	if len(values) != width {
		return framework.Faultf(framework.Data, "bad-set", "%s has a list of %d %s for %d features", kind, len(values), what, width)
	}
	for i, v := range values {
		if math.IsNaN(v) || !infinite && math.IsInf(v, 0) {
			return framework.Faultf(framework.Data, "bad-set", "%s: number %d (%s) is %g", kind, i, what, v)
		}
	}
	return nil
}
