package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// Foreign is a set of K×P centers that a plugin has made. It trusts the set with
// nothing that can be checked: it passes on only valid points, and checks what the
// set returns.
type Foreign struct {
	framework.Set
	Title string // for messages
	K, P  int
	Units float64 // the largest |location / scale|: how large rounding in original units is
}

// Properties implements framework.Set.
func (f Foreign) Properties() framework.Properties {
	p := f.Set.Properties()
	p.Kind, p.Maximize = f.Title, false
	return p
}

// Project implements framework.Set. It returns a Fault of class Plugin if the
// set's own point is not in the set.
func (f Foreign) Project(dst framework.Matrix, at framework.Point) error {
	if err := FitPoint(dst, at); err != nil {
		return err
	}
	if dst.Rows != f.K || dst.Cols != f.P {
		return framework.Faultf(framework.Data, "bad-set", "%s for %d×%d centers is asked for %d×%d", f.Title, f.K, f.P, dst.Rows, dst.Cols)
	}
	if at.Gain != nil && !f.Set.Properties().Separable {
		return NeedsMeans(f.Title)
	}
	scale := max(f.Units, qp.MaxAbs(at.X.Data))
	if err := f.Set.Project(dst, at); err != nil {
		return err
	}
	for _, v := range dst.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return f.Wrong("it projects a point to one that is not finite")
		}
	}
	scale = max(scale, qp.MaxAbs(dst.Data))
	if off := f.Set.Violation(dst); !(off >= 0 && off <= qp.Feasible*scale) {
		if s, ok := f.Set.(interface{ Err() error }); ok && s.Err() != nil {
			return s.Err()
		}
		return f.Wrong("the point that it projects to is, by its own measure, %.3g (fitted units) away from the set", off)
	}
	return nil
}

// Wrong is the Fault of a set that breaks the contract.
func (f Foreign) Wrong(format string, args ...any) error {
	return framework.Faultf(framework.Plugin, "set-broken", "the set %s is wrong: "+format, append([]any{f.Title}, args...)...).
		WithHint("this is a bug in the plugin that serves it; please report it to its author")
}
