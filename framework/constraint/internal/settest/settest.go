// Package settest has what tests of sets share: draws of points and of sets
// (Families), and helpers that compare projections.
package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Number draws a coordinate.
func Number(t *rapid.T, name string) float64 { return rapid.Float64Range(-3, 3).Draw(t, name) }

// Numbers draws coordinates, some of which are integers, so that there are ties.
func Numbers(t *rapid.T, n int, name string) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = Number(t, name)
		if rapid.IntRange(0, 4).Draw(t, "round") == 0 {
			v[i] = math.Round(v[i]) // ties
		}
	}
	return v
}

// Masses draws masses, some of which are 0, or nil.
func Masses(t *rapid.T, n int, name string) []float64 {
	if rapid.Bool().Draw(t, name+" absent") {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = rapid.SampledFrom([]float64{0, 0.01, 0.5, 1, 1, 3, 40}).Draw(t, name)
	}
	return v
}

// MassOf is the mass of entry i of a point.
func MassOf(at framework.Point, i int) float64 {
	m := 1.0
	if at.RowMass != nil {
		m = at.RowMass[i/at.X.Cols]
	}
	if at.ColMass != nil {
		m *= at.ColMass[i%at.X.Cols]
	}
	return m
}

// Inner is the inner product of a and b with the masses of the point.
func Inner(at framework.Point, a, b framework.Matrix) (sum float64) {
	for i, v := range a.Data {
		sum += MassOf(at, i) * v * b.Data[i]
	}
	return sum
}

// Minus is a − b.
func Minus(a, b framework.Matrix) framework.Matrix {
	c := a.Clone()
	for i, v := range b.Data {
		c.Data[i] -= v
	}
	return c
}

// Project is the projection of the point onto the set.
func Project(t must.T, set framework.Set, at framework.Point) framework.Matrix {
	dst := framework.NewMatrix(at.X.Rows, at.X.Cols)
	must.Do(t, set.Project(dst, at))
	return dst
}

// SameBits reports whether a and b are equal, entry by entry.
func SameBits(a, b framework.Matrix) bool {
	for i, v := range a.Data {
		if v != b.Data[i] {
			return false
		}
	}
	return true
}
