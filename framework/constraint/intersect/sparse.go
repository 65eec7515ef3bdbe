package intersect

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// sparse returns the intersection of a sparsity with the other sets.
func (b *builder) sparse() (framework.Set, error) {
	if len(b.parts) == 0 {
		if !b.boxed {
			return *b.top, nil
		}
		s := sparseBox{top: *b.top, box: b.box}
		return s, b.enough(s)
	}
	name := b.parts[0].name
	switch {
	case b.top.PerCenter && b.top.Groups != nil:
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"%s ties features together, and groups of features are to be selected: which to keep has no formula", name).
			WithHint("use bounds on single features, or select features instead of groups of them")
	case !b.top.PerCenter:
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"%s ties features together, and the same features for all centers are to be selected: "+
				"the nearest centers for both have no formula", name).
			WithHint("use scope=local, which selects features for each center, or bounds on single features")
	case len(b.parts) > 1:
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"sparsity can be combined with one set that ties features together, not with %s and %s", name, b.parts[1].name)
	case b.boxed:
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"sparsity can be combined with %s or with bounds on features, not with both", name)
	}
	s := sparseRows{top: *b.top, set: b.parts[0].Set}
	switch set := b.parts[0].Set.(type) {
	case constraint.Simplex:
		if s.simplex = true; s.top.S == 0 && set.Radius > 0 {
			return nil, framework.Faultf(framework.Data, "empty-set", "no feature may be kept, and %s asks for a sum of %g", name, set.Radius)
		}
	case constraint.L1Ball, constraint.L2Ball:
	default:
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"sparsity and %s: which features to keep has no formula", name).
			WithHint("sparsity goes with bounds on features, and for scope=local with one simplex, l1_ball or l2_ball on all features")
	}
	w := s.set.(constraint.RowSet).Scope()
	if w.Clusters != nil || w.Features != nil && len(w.Features) < b.p {
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"sparsity and %s, which applies to some features or clusters only: which features to keep has no formula", name)
	}
	return s, nil
}

// sparseBox is a sparsity with bounds, which each center has for itself.
type sparseBox struct {
	costless
	top constraint.Sparsity
	box bounds
}

// Properties implements framework.Set.
func (s sparseBox) Properties() framework.Properties {
	cone := true
	for i, lo := range s.box.lo.Data {
		hi := s.box.hi.Data[i]
		cone = cone && (lo == 0 || math.IsInf(lo, -1)) && (hi == 0 || math.IsInf(hi, 1))
	}
	return framework.Properties{Kind: "intersection", Cone: cone, RowWise: s.top.Properties().RowWise}
}

// Project implements framework.Set. It keeps features whose bounds exclude 0, and
// then those whose value within the bounds gains most over 0:
//
//	m (x² − (x − clip(x))²)
//
// If the point has a Gain, it is taken for m x², as for means of observed cells.
func (s sparseBox) Project(dst framework.Matrix, at framework.Point) error {
	if err := constraint.FitPoint(dst, at); err != nil {
		return err
	}
	gain := constraint.EntryGains(s, at)
	for i := range gain {
		if s.box.must(i) {
			gain[i] = math.Inf(1)
		}
	}
	kept := s.top.Kept(framework.Point{X: at.X, Gain: gain})
	for i, x := range at.X.Data {
		if x = qp.Clip(x, s.box.lo.Data[i], s.box.hi.Data[i]); !kept[i%len(kept)] {
			x = 0
		}
		dst.Data[i] = x
	}
	return nil
}

// must reports whether the bounds of an entry exclude 0.
func (b bounds) must(i int) bool { return b.lo.Data[i] > 0 || b.hi.Data[i] < 0 }

// TakesGains implements constraint.Selector.
func (sparseBox) TakesGains(medians bool) bool { return !medians }

// Held implements constraint.Selector.
func (s sparseBox) Held(x framework.Matrix) []float64 {
	held := make([]float64, len(x.Data))
	for i, v := range x.Data {
		held[i] = qp.Clip(v, s.box.lo.Data[i], s.box.hi.Data[i])
	}
	return held
}

// Violation returns the larger of the distances from the two sets.
func (s sparseBox) Violation(y framework.Matrix) float64 {
	return max(s.top.Violation(y), s.box.Violation(y))
}

// enough returns a Fault if more features must be kept than can be.
func (b *builder) enough(s sparseBox) error {
	must := framework.NewMatrix(b.k, b.p)
	for i := range must.Data {
		if s.box.must(i) {
			must.Data[i] = 1
		}
	}
	if s.top.Violation(must) == 0 {
		return nil
	}
	what := "features have"
	if b.top.Groups != nil {
		what = "groups have features with"
	}
	f := framework.Faultf(framework.Data, "empty-set", "more %s bounds that exclude 0 than may be kept", what).
		WithHint("0 in the fitted space is a feature's mean (with %s, 0 itself): widen bounds to include it, or raise the sparsity",
			framework.SettingTo("scale", "raw"))
	for l := range b.p {
		for j := range b.k {
			if i := j*b.p + l; s.box.must(i) && len(f.Details) < 10 {
				f.Details = append(f.Details, b.names.feature(l)+" must be kept, by "+s.box.by[i])
				break
			}
		}
	}
	return f
}

// sparseRows is a sparsity of each center together with a simplex, L1 ball or L2
// ball on all features.
type sparseRows struct {
	costless
	top     constraint.Sparsity // of each center, without groups
	set     framework.Set
	simplex bool
}

// Properties implements framework.Set.
func (sparseRows) Properties() framework.Properties {
	return framework.Properties{Kind: "intersection", RowWise: true}
}

// Project implements framework.Set. It returns a Fault if column masses differ:
// the rule holds only for equal ones.
func (s sparseRows) Project(dst framework.Matrix, at framework.Point) error {
	if err := constraint.FitPoint(dst, at); err != nil {
		return err
	}
	if at.Gain != nil {
		return constraint.NeedsMeans("an intersection")
	}
	if qp.Normal(slices.Clone(at.ColMass)) != nil {
		return framework.Faultf(framework.Data, "cannot-intersect", "sparsity with %s has no formula where features have weights",
			s.set.Properties().Kind)
	}
	rank := framework.NewMatrix(at.X.Rows, at.X.Cols)
	for i, x := range at.X.Data {
		if rank.Data[i] = math.Abs(x); s.simplex {
			rank.Data[i] = x
		}
	}
	keep := make([]bool, len(rank.Data))
	s.top.Select(keep, rank.Data, rank.Cols)
	dst.CopyFrom(at.X)
	for j := range dst.Rows {
		row, kept := dst.Row(j), keep[j*dst.Cols:]
		var features []int
		for l := range row {
			if kept[l] {
				features = append(features, l)
			} else {
				row[l] = 0
			}
		}
		part := qp.Pick(row, features)
		constraint.Nearest(s.set.(constraint.RowSet), part, nil)
		qp.Put(row, features, part)
	}
	return nil
}

// TakesGains implements constraint.Selector.
func (sparseRows) TakesGains(bool) bool { return false }

// Held implements constraint.Selector: there are no bounds.
func (sparseRows) Held(framework.Matrix) []float64 { return nil }

// Violation returns the larger of the distances from the two sets.
func (s sparseRows) Violation(y framework.Matrix) float64 {
	return max(s.top.Violation(y), s.set.Violation(y))
}
