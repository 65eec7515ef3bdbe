package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// FitPoint returns a Fault if the point is not finite, and panics if dst has
// another shape.
func FitPoint(dst framework.Matrix, at framework.Point) error {
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

// NeedsMeans is the Fault of a point that has gains in place of masses.
func NeedsMeans(kind string) error {
	return framework.Faultf(framework.Data, "set-needs-means",
		"%s ties features together, and is defined for means of complete cells, not for medians or means of observed cells", kind).
		WithHint("use %s, and %s or %s where cells are missing; bounds on single features work with all",
			framework.SettingTo("loss", "l2"), framework.SettingTo("missing", "kpod"), framework.SettingTo("nulls", "drop"))
}
