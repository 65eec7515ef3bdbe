package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
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
	Families["box"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
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
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.Box)
			return constraint.Box{Where: b.Where, Lo: ScaleAll(b.Lo, c), Hi: ScaleAll(b.Hi, c)}
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.Box)
			b.Where = turn(b.Where, order)
			return b
		},
		Farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			b := s.(constraint.Box)
			return byRow(b.Where, d, func(d []float64) []float64 { return corner(d, b.Lo, b.Hi, reach) })
		},
	}
	Families["nonnegative"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.NonNegative{Where: drawWhere(t, k, p)}
		},
		Scaled: func(s framework.Set, _ float64) framework.Set { return s },
		Permuted: func(s framework.Set, order []int) framework.Set {
			return constraint.NonNegative{Where: turn(s.(constraint.NonNegative).Where, order)}
		},
		Farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			return byRow(s.(constraint.NonNegative).Where, d, func(d []float64) []float64 { return corner(d, make([]float64, len(d)), nil, reach) })
		},
	}
	Families["fixed"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			w := drawWhere(t, k, p)
			return constraint.Fixed{Where: w, Values: Numbers(t, widthOf(w, p), "value")}
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			f := s.(constraint.Fixed)
			return constraint.Fixed{Where: f.Where, Values: ScaleAll(f.Values, c)}
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			f := s.(constraint.Fixed)
			f.Where = turn(f.Where, order)
			return f
		},
		Farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			f := s.(constraint.Fixed)
			return byRow(f.Where, d, func([]float64) []float64 { return f.Values })
		},
	}
}
