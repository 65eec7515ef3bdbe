package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
)

// WholePoint draws a small point on an integer grid, where ties are frequent,
// with masses that may be 0.
func WholePoint(t *rapid.T) framework.Point {
	k, p := rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 5).Draw(t, "p")
	x := framework.NewMatrix(k, p)
	for i := range x.Data {
		x.Data[i] = float64(rapid.IntRange(-3, 3).Draw(t, "x"))
	}
	mass := make([]float64, k)
	for j := range mass {
		mass[j] = float64(rapid.IntRange(0, 3).Draw(t, "mass"))
	}
	return framework.Point{X: x, RowMass: mass}
}

// SquaredDistance returns the squared distance of y from a point with row masses.
func SquaredDistance(at framework.Point, y framework.Matrix) float64 {
	var sum float64
	for i, v := range at.X.Data {
		sum += at.RowMass[i/y.Cols] * (v - y.Data[i]) * (v - y.Data[i])
	}
	return sum
}

// BestChoice returns the smallest cost over all allowed choices of what is kept.
func BestChoice(choices int, allowed func(choice int) bool, cost func(choice int) float64) float64 {
	best := math.Inf(1)
	for c := range choices {
		if allowed(c) {
			best = min(best, cost(c))
		}
	}
	return best
}

// Count returns how many bits are set.
func Count(bits uint) (n int) {
	for ; bits > 0; bits &= bits - 1 {
		n++
	}
	return n
}
