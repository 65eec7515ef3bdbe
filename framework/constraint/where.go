package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// A Where says which centers and which features a set speaks of. All other
// entries are free: a projection leaves them as they are.
type Where struct {
	Clusters []int // centers (rows); nil: every one
	Features []int // columns; nil: all, in their order
}

// A vector is a set of vectors that restricts each of some centers by itself.
type vector interface {
	framework.Set
	where() Where
	check(width int) error              // the parameters; a Fault
	nearest(y, mass []float64)          // replaces y by the nearest point; nil mass: all 1
	distance(y, room []float64) float64 // Euclidean, from the set; room has y's length
	write(p *qp.Program, of []int)      // asks for the set in a program with others, of whose entries it speaks of these
}

func (w Where) where() Where { return w }

// width returns the number of features spoken of, of p.
func (w Where) width(p int) int {
	if w.Features == nil {
		return p
	}
	return len(w.Features)
}

// feature returns the column of the i-th feature spoken of.
func (w Where) feature(i int) int {
	if w.Features == nil {
		return i
	}
	return w.Features[i]
}

// clusters returns the centers spoken of, of k.
func (w Where) clusters(k int) []int {
	if w.Clusters != nil {
		return w.Clusters
	}
	all := make([]int, k)
	for j := range all {
		all[j] = j
	}
	return all
}

// fits returns a Fault if a cluster or feature is not in a k×p matrix, or is
// named twice.
func (w Where) fits(kind string, k, p int) error {
	for _, list := range [...]struct {
		what    string
		indices []int
		below   int
	}{{"cluster", w.Clusters, k}, {"feature", w.Features, p}} {
		seen := make([]bool, list.below)
		for _, i := range list.indices {
			if i < 0 || i >= list.below {
				return framework.Faultf(framework.Data, "bad-set", "%s speaks of %s %d of %d", kind, list.what, i, list.below)
			}
			if seen[i] {
				return framework.Faultf(framework.Data, "bad-set", "%s names %s %d twice", kind, list.what, i)
			}
			seen[i] = true
		}
	}
	return nil
}

// gather copies the entries of row that w speaks of to dst, if that is not row.
func (w Where) gather(dst, row []float64) []float64 {
	if w.Features == nil {
		return append(dst[:0], row...)
	}
	dst = dst[:0]
	for _, l := range w.Features {
		dst = append(dst, row[l])
	}
	return dst
}

// masses returns the column masses of the features spoken of, divided by the
// largest, or nil where they are all equal: a common factor changes nothing.
func (w Where) masses(col []float64) []float64 {
	if col == nil {
		return nil
	}
	return qp.Normal(w.gather(nil, col))
}

// fitPoint returns a Fault if the point is not finite, and panics if dst has
// another shape.
func fitPoint(dst framework.Matrix, at framework.Point) error {
	if dst.Rows != at.X.Rows || dst.Cols != at.X.Cols {
		panic("constraint: dst has another shape than the point")
	}
	return CheckPoint(at)
}

// CheckPoint returns a Fault if a number of the point is not finite, or a mass is
// negative.
func CheckPoint(at framework.Point) error {
	for i, v := range at.X.Data {
		if v-v != 0 { // not finite
			return framework.Faultf(framework.Data, "bad-point", "entry (%d, %d) of the point to project is %g; it must be finite",
				i/at.X.Cols, i%at.X.Cols, v)
		}
	}
	for j, m := range at.RowMass {
		if !(m >= 0) || math.IsInf(m, 0) {
			return framework.Faultf(framework.Data, "bad-point", "row mass %d is %g; it must be finite and not negative", j, m)
		}
	}
	for l, m := range at.ColMass {
		if !(m >= 0) || math.IsInf(m, 0) {
			return framework.Faultf(framework.Data, "bad-point", "column mass %d is %g; it must be finite and not negative", l, m)
		}
	}
	return nil
}

// projectRows is Project of a vector set.
func projectRows(set vector, dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	kind, w := set.Properties().Kind, set.where()
	if err := w.fits(kind, at.X.Rows, at.X.Cols); err != nil {
		return err
	}
	if err := set.check(w.width(at.X.Cols)); err != nil {
		return err
	}
	if at.Gain != nil && !set.Properties().Separable {
		return needsMeans(kind)
	}
	mass := w.masses(at.ColMass)
	dst.CopyFrom(at.X)
	var room []float64
	for _, j := range w.clusters(dst.Rows) {
		row := dst.Row(j)
		if w.Features == nil {
			set.nearest(row, mass)
			continue
		}
		room = w.gather(room, row)
		set.nearest(room, mass)
		for i, l := range w.Features {
			row[l] = room[i]
		}
	}
	return nil
}

// needsMeans is the Fault of a point that has gains in the place of masses.
func needsMeans(kind string) error {
	return framework.Faultf(framework.Data, "set-needs-means",
		"%s ties features together, and is defined for means of complete cells, not for medians or means of observed cells", kind).
		WithHint("use loss=l2, and missing=kpod or --nulls drop where cells are missing; bounds on single features work with all")
}

// violationRows is Violation of a vector set.
func violationRows(set vector, y framework.Matrix) float64 {
	w := set.where()
	if w.fits("", y.Rows, y.Cols) != nil || set.check(w.width(y.Cols)) != nil {
		return math.Inf(1)
	}
	var total, values []float64
	room := make([]float64, w.width(y.Cols))
	for _, j := range w.clusters(y.Rows) {
		values = w.gather(values, y.Row(j))
		total = append(total, set.distance(values, room))
	}
	return qp.Norm(total)
}

// fromNearest is the distance of a set of which it is that of its nearest point.
func fromNearest(set vector, y, room []float64) float64 {
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
