package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

func init() {
	Families["monotone"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			m := constraint.Monotone{Where: drawWhere(t, k, p)}
			n := widthOf(m.Where, p)
			if rapid.Bool().Draw(t, "shifted") {
				m.Location = Numbers(t, n, "location")
			}
			if rapid.Bool().Draw(t, "scaled") {
				m.Scale = make([]float64, n)
				for i := range m.Scale {
					m.Scale[i] = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "scale")
				}
			}
			return m
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			m := s.(constraint.Monotone)
			m.Location = ScaleAll(m.Location, c)
			return m
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			m := s.(constraint.Monotone)
			m.Where = turn(m.Where, order)
			return m
		},
		// The set is a point plus a cone, which is made by the rays that rise
		// once (by as much for all features from some position on), and by the
		// line along which all rise together.
		Farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			m := s.(constraint.Monotone)
			return byRow(m.Where, d, func(d []float64) []float64 {
				y, best, from := make([]float64, len(d)), 0.0, -1
				sign := 1.0
				for i := range d {
					var along float64
					for l := i; l < len(d); l++ {
						along += d[l] / unit(m.Scale, l)
					}
					if along > best || i == 0 && -along > best {
						best, from, sign = math.Abs(along), i, math.Copysign(1, along)
					}
				}
				for l := range d {
					v := 0.0
					if from >= 0 && l >= from {
						v = sign * reach
					}
					if m.Location != nil {
						v -= m.Location[l]
					}
					y[l] = v / unit(m.Scale, l)
				}
				return y
			})
		},
	}
}

func unit(scale []float64, l int) float64 {
	if scale == nil {
		return 1
	}
	return scale[l]
}
