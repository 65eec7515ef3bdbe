package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// Radius draws the radius of a set, which may be 0.
func Radius(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0, 0.25, 1, 1, 2.5, 7}).Draw(t, "radius")
}

func init() {
	Families["simplex"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.Simplex{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.Simplex)
			b.Radius *= c
			return b
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.Simplex)
			b.Where = turn(b.Where, order)
			return b
		},
		Farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.Simplex)
			return byRow(b.Where, d, func(d []float64) []float64 { // a corner
				y, at := make([]float64, len(d)), 0
				for i, v := range d {
					if v > d[at] {
						at = i
					}
				}
				y[at] = b.Radius
				return y
			})
		},
	}
}

func init() {
	Families["l1_ball"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.L1Ball{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.L1Ball)
			b.Radius *= c
			return b
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.L1Ball)
			b.Where = turn(b.Where, order)
			return b
		},
		Farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.L1Ball)
			return byRow(b.Where, d, func(d []float64) []float64 { // a corner
				y, at := make([]float64, len(d)), 0
				for i, v := range d {
					if math.Abs(v) > math.Abs(d[at]) {
						at = i
					}
				}
				y[at] = math.Copysign(b.Radius, d[at])
				return y
			})
		},
	}
	Families["l2_ball"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.L2Ball{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.L2Ball)
			b.Radius *= c
			return b
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.L2Ball)
			b.Where = turn(b.Where, order)
			return b
		},
		Farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.L2Ball)
			return byRow(b.Where, d, func(d []float64) []float64 {
				var squares float64
				for _, v := range d {
					squares += v * v
				}
				if squares == 0 {
					return d
				}
				return ScaleAll(d, b.Radius/math.Sqrt(squares))
			})
		},
	}
}
