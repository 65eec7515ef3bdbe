package intersect

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// costless is embedded in all intersections: sets of centers have no penalty.
type costless struct{}

// Penalty implements framework.Set: there is none.
func (costless) Penalty(framework.Matrix) float64 { return 0 }

// bounds are a box in which every center has bounds of its own.
type bounds struct {
	costless
	lo, hi framework.Matrix
	by     []string // by entry: the last set that bounded it
}

func everything(k, p int) bounds {
	b := bounds{lo: framework.NewMatrix(k, p), hi: framework.NewMatrix(k, p), by: make([]string, k*p)}
	for i := range b.by {
		b.lo.Data[i], b.hi.Data[i] = math.Inf(-1), math.Inf(1)
	}
	return b
}

// narrow makes the box smaller; it returns a Fault if nothing is left.
func (b bounds) narrow(s constraint.RowSet, name string, names Names) error {
	w, p := s.Scope(), b.lo.Cols
	asked := qp.Free(p)
	constraint.Write(s, asked, entriesOf(constraint.Where{Features: w.Features}, 1, p))
	for _, j := range w.Rows(b.lo.Rows) {
		for i := range w.Width(p) {
			l := w.Column(i)
			at := j*p + l
			lo, hi, oldLo, oldHi := asked.Lo[l], asked.Hi[l], b.lo.Data[at], b.hi.Data[at]
			b.lo.Data[at], b.hi.Data[at] = max(lo, oldLo), min(hi, oldHi)
			if b.lo.Data[at] > b.hi.Data[at] {
				return framework.Faultf(framework.Data, "empty-set",
					"%s asks for %s from %.6g to %.6g in cluster %d, but %s asks for %.6g to %.6g",
					name, names.feature(l), names.original(l, lo), names.original(l, hi), j, b.by[at], names.original(l, oldLo), names.original(l, oldHi))
			}
			b.by[at] = name
		}
	}
	return nil
}

// bounded reports whether one of the entries has a bound.
func (b bounds) bounded(entries []int) bool {
	return slices.ContainsFunc(entries, func(i int) bool { return !math.IsInf(b.lo.Data[i], -1) || !math.IsInf(b.hi.Data[i], 1) })
}

// within returns the box of some entries; all others are free.
func (b bounds) within(entries []int) bounds {
	w := everything(b.lo.Rows, b.lo.Cols)
	for _, i := range entries {
		w.lo.Data[i], w.hi.Data[i] = b.lo.Data[i], b.hi.Data[i]
	}
	return w
}

// Properties implements framework.Set.
func (b bounds) Properties() framework.Properties {
	return framework.Properties{Kind: "box", Convex: true, RowWise: true, Separable: true}
}

// Project implements framework.Set.
func (b bounds) Project(dst framework.Matrix, at framework.Point) error {
	if err := constraint.FitPoint(dst, at); err != nil {
		return err
	}
	for i, v := range at.X.Data {
		dst.Data[i] = qp.Clip(v, b.lo.Data[i], b.hi.Data[i])
	}
	return nil
}

// Violation returns the Euclidean distance from the set.
func (b bounds) Violation(y framework.Matrix) float64 {
	off := make([]float64, len(y.Data))
	for i, v := range y.Data {
		off[i] = v - qp.Clip(v, b.lo.Data[i], b.hi.Data[i])
	}
	return qp.Norm(off)
}
