package cases

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Wide are numbers of columns around those at which loops are unrolled and words end.
var Wide = []int{7, 8, 9, 17, 33, 64, 65, 70, 130}

// Point draws a point: of small whole numbers, so that ties are frequent, or of
// real numbers of several scales; with or without masses, some of which are 0.
func Point(c *judge.Trial, rows, cols int) framework.Point {
	at := framework.Point{X: framework.NewMatrix(rows, cols)}
	Fill(c, at.X)
	masses := func(n int, draw func() float64) (masses []float64) {
		for range n {
			masses = append(masses, draw())
		}
		return masses
	}
	positive := func() float64 { return 0.1 + 3*c.Rand.Float64() }
	switch c.Rand.IntN(3) {
	case 0:
	case 1:
		at.RowMass = masses(rows, func() float64 { return float64(c.Rand.IntN(4)) })
	default:
		at.RowMass = masses(rows, positive)
	}
	switch c.Rand.IntN(8) {
	case 0, 1:
		at.ColMass = masses(cols, positive)
	case 2, 3:
		at.ColMass = masses(cols, func() float64 { return float64(c.Rand.IntN(3)) })
	}
	return at
}

// Fill draws the entries of a point.
func Fill(c *judge.Trial, x framework.Matrix) {
	if c.Rand.IntN(3) == 0 {
		for i := range x.Data {
			x.Data[i] = float64(c.Between(-3, 3))
		}
		return
	}
	scale, offset := []float64{1, 1, 1, 1e-6, 1e4}[c.Rand.IntN(5)], 0.0
	if c.Large() && c.Rand.IntN(3) == 0 {
		scale = []float64{1e-9, 1, 1e9}[c.Rand.IntN(3)]
		offset = []float64{0, 1e8}[c.Rand.IntN(2)]
	}
	for i := range x.Data {
		x.Data[i] = offset + scale*c.Rand.NormFloat64()
	}
}

// Junk is a matrix of NaN, which a step must overwrite.
func Junk(rows, cols int) framework.Matrix {
	return framework.Matrix{Rows: rows, Cols: cols, Data: slices.Repeat([]float64{math.NaN()}, rows*cols)}
}

// Draft draws centers.
func Draft(c *judge.Trial, clusters, columns int) framework.Matrix {
	x := framework.NewMatrix(clusters, columns)
	Fill(c, x)
	c.Given("X = %v", x)
	return x
}
