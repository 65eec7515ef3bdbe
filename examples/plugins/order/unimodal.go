package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Unimodal is a kind of sets of centers whose features do not fall before a peak and
// do not rise after it: sales over the months of a year, for example. Each row names
// a feature, with its place in the order as value; hi, in at least one row, is the
// place of the peak. Rows without a cluster apply to all. Features that no row names
// are free.
type Unimodal struct{}

// Describe implements framework.SetKind.
func (Unimodal) Describe() framework.SetDescription {
	row := func(feature string, place float64) framework.ConstraintRow {
		return framework.ConstraintRow{Kind: "unimodal", Name: "year", Feature: &feature, Value: &place}
	}
	d := framework.SetDescription{
		Kind: "unimodal", Version: "1.0.0",
		Summary: "features rise up to a peak, and fall after it",
		Source:  "Pardalos and Xue (1999), Algorithms for a class of isotonic regression problems, Algorithmica 23, 211-222",
		Uses:    []string{"cluster", "feature", "value", "hi"},
		Example: []framework.ConstraintRow{row("f2", 1), row("f5", 2), row("f1", 3), row("f3", 4)},
	}
	d.Example[0].Hi = new(3.0) // the peak is f1
	of1 := func(feature string, value float64) framework.ConstraintRow {
		r := row(feature, value)
		r.Cluster = new(1)
		return r
	}
	d.More = [][]framework.ConstraintRow{{of1("f4", 1), of1("f2", 2), of1("f5", 3)}} // of one cluster
	d.More[0][1].Hi = new(2.0)
	return d
}

// Make implements framework.SetKind.
func (Unimodal) Make(rows []framework.ConstraintRow, k int, columns []framework.Column) (framework.Set, error) {
	s := set{columns: columns}
	for j := range k {
		var mine []framework.ConstraintRow
		for _, r := range rows {
			if r.Cluster == nil || *r.Cluster == j {
				mine = append(mine, r)
			}
		}
		o, err := orderOf(mine, columns)
		if err != nil {
			return nil, err
		}
		s.orders = append(s.orders, o)
	}
	return s, nil
}

// An order is the features of one center, up to its peak and after it.
type order struct {
	up, down []int // columns; down begins at the far end, so that both rise
	peak     int   // the column of the largest value; −1: the center is free
}

func wrong(format string, args ...any) error {
	return framework.Faultf(framework.Data, "bad-order", format, args...)
}

// orderOf reads the rows of one center.
func orderOf(rows []framework.ConstraintRow, columns []framework.Column) (order, error) {
	o := order{peak: -1}
	if len(rows) == 0 {
		return o, nil
	}
	place := map[int]float64{}
	var peak *float64
	for _, r := range rows {
		if r.Feature == nil || r.Value == nil {
			return o, wrong("each row needs a feature, and its place in the order as value")
		}
		l := slices.IndexFunc(columns, func(c framework.Column) bool { return c.Name == *r.Feature })
		if _, twice := place[l]; twice {
			return o, wrong("feature %s has two places", *r.Feature)
		}
		place[l] = *r.Value
		switch {
		case r.Hi == nil:
		case peak != nil && *peak != *r.Hi:
			return o, wrong("hi, the place of the peak, is %g in one row and %g in another", *peak, *r.Hi)
		default:
			peak = r.Hi
		}
	}
	if peak == nil {
		return o, wrong("hi is NULL in all rows: which place is the peak?")
	}
	err := o.arrange(place, *peak)
	return o, err
}

// arrange puts columns on the two sides of the peak, each in rising order.
func (o *order) arrange(place map[int]float64, peak float64) error {
	at := map[float64]bool{}
	for l, v := range place {
		switch {
		case at[v]:
			return wrong("two features have the place %g", v)
		case v < peak:
			o.up = append(o.up, l)
		case v > peak:
			o.down = append(o.down, l)
		default:
			o.peak = l
		}
		at[v] = true
	}
	if o.peak < 0 {
		return wrong("hi, the place of the peak, is %g, where there is no feature", peak)
	}
	slices.SortFunc(o.up, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	slices.SortFunc(o.down, func(a, b int) int { return cmp.Compare(place[b], place[a]) })
	return nil
}

// set has an order for each center.
type set struct {
	columns []framework.Column
	orders  []order
}

// Properties implements framework.Set. The set is a cone if the fitted space and
// original units have the same origin.
func (s set) Properties() framework.Properties {
	p := framework.Properties{Kind: "unimodal", Convex: true, Cone: true, RowWise: true}
	for _, o := range s.orders {
		for _, l := range o.columns() {
			p.Cone = p.Cone && s.columns[l].Location == 0
		}
	}
	return p
}

// columns lists the columns in the order.
func (o order) columns() []int {
	if o.peak < 0 {
		return nil
	}
	return append(slices.Concat(o.up, o.down), o.peak)
}

// Project implements framework.Set. Row masses change nothing, since each center is
// projected by itself.
func (s set) Project(dst framework.Matrix, at framework.Point) error {
	if at.X.Rows != len(s.orders) || at.X.Cols != len(s.columns) {
		return framework.Faultf(framework.Internal, "bad-point", "%d×%d centers for a set of %d×%d",
			at.X.Rows, at.X.Cols, len(s.orders), len(s.columns))
	}
	for _, numbers := range [][]float64{at.X.Data, at.RowMass, at.ColMass} {
		for _, v := range numbers {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return framework.Faultf(framework.Internal, "bad-point", "the point has the number %g", v)
			}
		}
	}
	for _, masses := range [][]float64{at.RowMass, at.ColMass} {
		for _, m := range masses {
			if m < 0 {
				return framework.Faultf(framework.Internal, "bad-point", "a mass is %g", m)
			}
		}
	}
	dst.CopyFrom(at.X)
	for j, o := range s.orders {
		s.nearest(dst.Row(j), o, at.ColMass)
	}
	return nil
}

// Violation returns the Euclidean distance from the set.
func (s set) Violation(y framework.Matrix) float64 {
	off := 0.0
	for j, o := range s.orders {
		nearest := slices.Clone(y.Row(j))
		s.nearest(nearest, o, nil)
		for l, v := range nearest {
			off = math.Hypot(off, v-y.Row(j)[l])
		}
	}
	return off
}

// Penalty implements framework.Set.
func (set) Penalty(framework.Matrix) float64 { return 0 }
