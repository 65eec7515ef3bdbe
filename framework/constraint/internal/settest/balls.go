package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// Radius draws the radius of a set, which may be 0.
func Radius(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0, 0.25, 1, 1, 2.5, 7}).Draw(t, "radius")
}

// most returns the index of the largest value, the first of equals.
func most(d []float64, value func(float64) float64) (at int) {
	for i, v := range d {
		if value(v) > value(d[at]) {
			at = i
		}
	}
	return at
}

func init() {
	Families["simplex"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.Simplex {
			return constraint.Simplex{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		func(s *constraint.Simplex) *constraint.Where { return &s.Where },
		func(s *constraint.Simplex, c float64) { s.Radius *= c },
		func(s constraint.Simplex, d []float64, _ float64) []float64 { // a corner
			y := make([]float64, len(d))
			y[most(d, func(v float64) float64 { return v })] = s.Radius
			return y
		})
	Families["l1_ball"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.L1Ball {
			return constraint.L1Ball{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		func(b *constraint.L1Ball) *constraint.Where { return &b.Where },
		func(b *constraint.L1Ball, c float64) { b.Radius *= c },
		func(b constraint.L1Ball, d []float64, _ float64) []float64 { // a corner
			y, at := make([]float64, len(d)), most(d, math.Abs)
			y[at] = math.Copysign(b.Radius, d[at])
			return y
		})
	Families["l2_ball"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.L2Ball {
			return constraint.L2Ball{Where: drawWhere(t, k, p), Radius: Radius(t)}
		},
		func(b *constraint.L2Ball) *constraint.Where { return &b.Where },
		func(b *constraint.L2Ball, c float64) { b.Radius *= c },
		func(b constraint.L2Ball, d []float64, _ float64) []float64 {
			var squares float64
			for _, v := range d {
				squares += v * v
			}
			if squares == 0 {
				return d
			}
			return ScaleAll(d, b.Radius/math.Sqrt(squares))
		})
}
