package intersect

import (
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// notEmpty returns a Fault if bounds and a set, or two sets, are known to have no
// point in common.
func (b *builder) notEmpty() error {
	for i, p := range b.parts {
		if b.boxed {
			if err := b.boxMeets(p); err != nil {
				return err
			}
		}
		for _, q := range b.parts[:i] {
			if err := meet(q, p); err != nil {
				return err
			}
			if err := meet(p, q); err != nil {
				return err
			}
		}
	}
	return nil
}

func disjoint(a, b, why string, args ...any) error {
	return framework.Faultf(framework.Data, "empty-set", "no center is in both %s and %s: "+why, append([]any{a, b}, args...)...)
}

// boxMeets returns a Fault if no point within the bounds is in the set. Its messages
// are clearer than those of probe, which handles all other kinds.
func (b *builder) boxMeets(p part) error {
	if h, ok := p.Set.(constraint.JointHalfSpace); ok {
		return overBox(p.name, h.AsRow(), b.box.lo.Data, b.box.hi.Data)
	}
	v, ok := p.Set.(constraint.RowSet)
	if !ok {
		return nil // nothing is known of it
	}
	w := v.Scope()
	for _, j := range w.Rows(b.k) {
		lo, hi := w.Gather(nil, b.box.lo.Row(j)), w.Gather(nil, b.box.hi.Row(j))
		var err error
		switch s := p.Set.(type) {
		case constraint.HalfSpace:
			err = overBox(p.name, s, lo, hi)
		case constraint.Simplex:
			err = simplexBox(p.name, s.Radius, lo, hi)
		case constraint.L1Ball:
			if least := qp.SumAbs(smallest(lo, hi)); least > s.Radius*(1+1e-12) {
				err = disjoint("the bounds", p.name, "the absolute values that they allow sum to at least %.6g, above %.6g", least, s.Radius)
			}
		case constraint.L2Ball:
			if least := qp.Norm(smallest(lo, hi)); least > s.Radius*(1+1e-12) {
				err = disjoint("the bounds", p.name, "the norm that they allow is at least %.6g, above %.6g", least, s.Radius)
			}
		case constraint.Monotone:
			err = b.risesInBox(p.name, s, lo, hi)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// smallest returns the point within bounds that is nearest to 0.
func smallest(lo, hi []float64) []float64 {
	y := make([]float64, len(lo))
	for i := range y {
		y[i] = qp.Clip(0, lo[i], hi[i])
	}
	return y
}

func overBox(name string, h constraint.HalfSpace, lo, hi []float64) error {
	least := qp.LeastSum(h.Coef, lo, hi)
	if over := least - h.Bound; over > 1e-12*(math.Abs(least)+math.Abs(h.Bound)) {
		return disjoint("the bounds", name, "the smallest sum that they allow is %.6g above its limit", over)
	}
	return nil
}

func simplexBox(name string, r float64, lo, hi []float64) error {
	var least, most float64
	for i := range lo {
		if hi[i] < 0 {
			return disjoint("the bounds", name, "an upper bound is negative")
		}
		least, most = least+max(lo[i], 0), most+hi[i]
	}
	if least > r*(1+1e-12) || most < r*(1-1e-12) {
		return disjoint("the bounds", name, "they allow sums from %.6g to %.6g, but not %.6g", least, most, r)
	}
	return nil
}

func (b *builder) risesInBox(name string, m constraint.Monotone, lo, hi []float64) error {
	order := qp.Order{Location: m.Location, Scale: m.Scale}
	above, by := math.Inf(-1), 0
	for i := range lo {
		if v := order.Original(i, lo[i]); v > above {
			above, by = v, i
		}
		if v := order.Original(i, hi[i]); v < above {
			return disjoint("the bounds", name, "%s must be at least %.6g, and %s, which comes later, at most %.6g",
				b.names.feature(m.Column(by)), above, b.names.feature(m.Column(i)), v)
		}
	}
	return nil
}

// meet returns a Fault if a is a half-space or simplex that has no point in common
// with b, where both name the same features and share a cluster.
func meet(a, b part) error {
	v, ok := a.Set.(constraint.RowSet)
	w, both := b.Set.(constraint.RowSet)
	if !ok || !both || !slices.Equal(v.Scope().Features, w.Scope().Features) || !share(v.Scope(), w.Scope()) {
		return nil
	}
	var least float64 // the least value in b of the sum that a limits
	switch s := a.Set.(type) {
	case constraint.HalfSpace:
		switch t := b.Set.(type) {
		case constraint.Simplex:
			least = t.Radius * slices.Min(s.Coef)
		case constraint.L1Ball:
			least = -t.Radius * qp.MaxAbs(s.Coef)
		case constraint.L2Ball:
			least = -t.Radius * qp.Norm(s.Coef)
		case constraint.HalfSpace:
			return opposite(a.name, b.name, s, t)
		default:
			return nil
		}
		if over := least - s.Bound; over > 1e-12*(math.Abs(least)+math.Abs(s.Bound)) {
			return disjoint(b.name, a.name, "the smallest sum that it allows is %.6g above the limit", over)
		}
	case constraint.Simplex:
		switch t := b.Set.(type) {
		case constraint.Simplex:
			if math.Abs(s.Radius-t.Radius) > 1e-12*s.Radius {
				return disjoint(b.name, a.name, "one sum cannot be %.6g and %.6g", t.Radius, s.Radius)
			}
		case constraint.L1Ball:
			if s.Radius > t.Radius*(1+1e-12) {
				return disjoint(b.name, a.name, "the absolute values sum to at most %.6g, not to %.6g", t.Radius, s.Radius)
			}
		case constraint.L2Ball:
			if n := float64(max(1, len(w.Scope().Features))); w.Scope().Features != nil && s.Radius > t.Radius*math.Sqrt(n)*(1+1e-12) {
				return disjoint(b.name, a.name, "the sum is at most %.6g, not %.6g", t.Radius*math.Sqrt(n), s.Radius)
			}
		}
	}
	return nil
}

// opposite returns a Fault if two half-spaces face away from each other.
func opposite(first, second string, s, t constraint.HalfSpace) error {
	a, b := qp.MaxAbs(s.Coef), qp.MaxAbs(t.Coef)
	if a == 0 || b == 0 {
		return nil
	}
	for i := range s.Coef {
		if math.Abs(s.Coef[i]/a+t.Coef[i]/b) > 1e-14 {
			return nil
		}
	}
	if gap := -(s.Bound/a + t.Bound/b); gap > 1e-12*(math.Abs(s.Bound/a)+math.Abs(t.Bound/b)) {
		return disjoint(first, second, "one sum would have to be at most %.6g and at least %.6g", s.Bound, -t.Bound*a/b)
	}
	return nil
}

// share reports whether both name a common cluster.
func share(a, b constraint.Where) bool {
	if a.Clusters == nil || b.Clusters == nil {
		return true
	}
	return slices.ContainsFunc(a.Clusters, func(j int) bool { return slices.Contains(b.Clusters, j) })
}

// probe returns a Fault if sets that have no rule of their own have no common
// point. It looks for the point nearest to 0. If there is none, or the search takes
// too long, it moves a point from one set to the next until it comes to rest.
func (t *task) probe() error {
	if t.program == nil {
		return nil
	}
	y := make([]float64, len(t.at))
	err := t.program.Nearest(y, nil)
	if err == nil && t.inAll(y, 1e-11*qp.MaxAbs(y)) == nil {
		return nil
	}
	clear(y)
	unproved := errors.Is(err, qp.ErrWork) || len(y) > qp.Few // near enough will do
	names := make([]string, len(t.pieces))
	for i, p := range t.pieces {
		names[i] = p.name
	}
	return meeting(y, t.steps(nil), names, unproved, func() (string, float64) { return t.farthest(y) })
}

const (
	probes    = 2_000 // rounds of meeting
	probeWork = 2_000_000_000
)

// meeting moves y from one set to the next until it comes to rest, and returns a
// Fault if it is then not in all of them. If near is set, it only has to be near
// them.
func meeting(y []float64, steps []qp.Step, names []string, near bool, farthest func() (string, float64)) error {
	rounds := max(100, min(probes, probeWork/(len(y)*(len(names)+1))))
	name, off, err := qp.Alternate(y, steps, rounds, farthest)
	if err != nil || near && off <= 1e-6*qp.MaxAbs(y) {
		return err
	}
	f := framework.Faultf(framework.Data, "empty-set",
		"no center was found that is in all of the sets that share features; the best one is still %.3g (fitted units) away from %s", off, name).
		WithHint("relax one of them")
	for _, n := range names {
		if !slices.Contains(f.Details, n) {
			f.Details = append(f.Details, n)
		}
	}
	return f
}
