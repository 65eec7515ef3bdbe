package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// corner is the corner of a box farthest in direction d.
func corner(d, lo, hi []float64, reach float64) []float64 {
	y := make([]float64, len(d))
	for i, v := range d {
		from, to := -reach, reach
		if lo != nil {
			from = max(from, lo[i])
		}
		if hi != nil {
			to = min(to, hi[i])
		}
		if y[i] = from; v > 0 {
			y[i] = to
		}
	}
	return y
}

func init() {
	Families["box"] = rowFamily(drawBox,
		func(b *constraint.Box) *constraint.Where { return &b.Where },
		func(b *constraint.Box, c float64) { b.Lo, b.Hi = ScaleAll(b.Lo, c), ScaleAll(b.Hi, c) },
		func(b constraint.Box, d []float64, reach float64) []float64 { return corner(d, b.Lo, b.Hi, reach) })
	Families["nonnegative"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.NonNegative {
			return constraint.NonNegative{Where: drawWhere(t, k, p)}
		},
		func(n *constraint.NonNegative) *constraint.Where { return &n.Where },
		func(*constraint.NonNegative, float64) {},
		func(_ constraint.NonNegative, d []float64, reach float64) []float64 {
			return corner(d, make([]float64, len(d)), nil, reach)
		})
	Families["fixed"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.Fixed {
			w := drawWhere(t, k, p)
			return constraint.Fixed{Where: w, Values: Numbers(t, widthOf(w, p), "value")}
		},
		func(f *constraint.Fixed) *constraint.Where { return &f.Where },
		func(f *constraint.Fixed, c float64) { f.Values = ScaleAll(f.Values, c) },
		func(f constraint.Fixed, _ []float64, _ float64) []float64 { return f.Values })
}

func drawBox(t *rapid.T, k, p int) constraint.Box {
	b := constraint.Box{Where: drawWhere(t, k, p)}
	lo, hi := Numbers(t, widthOf(b.Where, p), "lo"), Numbers(t, widthOf(b.Where, p), "hi")
	for i := range lo {
		lo[i], hi[i] = min(lo[i], hi[i]), max(lo[i], hi[i])
		if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
			lo[i] = math.Inf(-1)
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "sides") {
	case 0:
		b.Lo = lo
	case 1:
		b.Hi = hi
	default:
		b.Lo, b.Hi = lo, hi
	}
	return b
}
