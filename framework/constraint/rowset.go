package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// A RowSet restricts some centers, each by itself. All sets of this package are
// RowSets, except Sparsity, JointHalfSpace and Foreign.
//
// A new kind embeds a Where, which says which centers and features it restricts,
// and has these methods and those of framework.Set: Project calls projectRows, and
// Violation calls violationRows. It can then be combined with other sets. A kind
// whose Properties are Separable may write only bounds into a program.
type RowSet interface {
	framework.Set
	Scope() Where
	check(width int) error         // a Fault if the parameters are wrong for this many features
	nearest(y, mass []float64)     // see Nearest
	write(p *qp.Program, of []int) // see Write
}

// Check returns a Fault if a set of this package does not fit centers of p features.
// The Fault does not name the set.
func Check(set framework.Set, p int) error {
	if v, ok := set.(RowSet); ok {
		return v.check(v.Scope().Width(p))
	}
	return nil
}

// projectRows implements Project for a RowSet.
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

// violationRows implements Violation for a RowSet.
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

// Nearest replaces y, the features of the set's Where, by the nearest point. A nil
// mass means masses of 1.
func Nearest(set RowSet, y, mass []float64) { set.nearest(y, mass) }

// Write writes the set into a program, in which its features are the entries of.
func Write(set RowSet, p *qp.Program, of []int) { set.write(p, of) }

// Distance returns how far y, the features of the set's Where, is from the set. room
// is memory of the length of y.
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

// numbers returns a Fault if a parameter does not have one number for each feature,
// or if a number is not allowed.
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
