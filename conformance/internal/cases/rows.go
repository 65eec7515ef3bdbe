// Package cases draws what laws are checked on: rows and their weights, parameters,
// points to project, and constraint rows.
package cases

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// A Sample is rows, cut into blocks of one size.
type Sample struct {
	X         framework.Matrix
	Weights   []float64 // nil: none
	BlockRows int

	Base []float64 // of columns: cells that are it are no entries of sparse rows; nil: rows are dense
}

// Sparse returns the rows by their entries.
func (s Sample) Sparse() *framework.Sparse {
	rows := &framework.Sparse{Base: slices.Clone(s.Base), Start: make([]int64, 1, s.X.Rows+1)}
	for i := range s.X.Rows {
		for l, v := range s.X.Row(i) {
			if v != s.Base[l] {
				rows.Column, rows.Offset = append(rows.Column, int32(l)), append(rows.Offset, v-s.Base[l])
			}
		}
		rows.Start = append(rows.Start, int64(len(rows.Column)))
	}
	return rows
}

// Weight returns the weight of a row.
func (s Sample) Weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// Observed returns the cells that are not missing.
func (s Sample) Observed() []float64 {
	return slices.DeleteFunc(slices.Clone(s.X.Data), func(v float64) bool { return v != v })
}

// GrownSize is the least size of a case with the dimensions of real data.
const GrownSize = 24

// Grown reports whether a case has such dimensions.
func Grown(c *judge.Trial) bool { return c.Size >= GrownSize }

// LifeSize draws dimensions just below, at and above those at which loops are
// unrolled and blocks are cut. One of them is large at a time, so that cases stay
// cheap.
func LifeSize(c *judge.Trial) (n, p, k, block int) {
	pick := func(from ...int) int { return from[c.Index/3%len(from)] }
	n, p, k = c.Between(4, 40), c.Between(1, 4), c.Between(2, 4)
	switch c.Index % 3 {
	case 0:
		p = pick(65, 7, 9, 17, 8)
	case 1:
		k = pick(9, 65, 129)
		n = k + c.Between(0, 2*k)
	default:
		block = pick(512, 1024, 4096) + c.Between(-1, 1)
		return block + c.Between(1, 600), c.Between(1, 3), c.Between(2, 3), block
	}
	return n, p, k, c.Between(1+n/12, n)
}

// Rescale moves some columns far from 0, or gives all cells another magnitude.
func Rescale(c *judge.Trial, x framework.Matrix) {
	if c.Size < GrownSize/2 {
		return
	}
	factor, offset := 1.0, 0.0
	switch c.Rand.IntN(8) {
	case 0:
		factor = 1e9
	case 1:
		factor = 1e-9
	case 2:
		offset = 1e8
	}
	for i := range x.Data {
		x.Data[i] *= factor
		if i%x.Cols == 0 {
			x.Data[i] += offset
		}
	}
}

// Weights draws row weights: whole numbers, fractions, or numbers of very
// different size. Some are 0, at least one is not. Their sums are not rounded, so that
// medians are the same however rows are divided.
func Weights(c *judge.Trial, n int) []float64 {
	w := make([]float64, n)
	kind := c.Rand.IntN(3)
	for i := range w {
		switch kind {
		case 0:
			w[i] = float64(c.Rand.IntN(5)) / 8
		case 1:
			w[i] = math.Ldexp(float64(1+c.Rand.IntN(1<<26)), c.Between(-20, -8)) // 26 bits, up to 2¹⁸
		default:
			w[i] = float64(c.Rand.IntN(4))
		}
	}
	w[c.Rand.IntN(n)] = 2
	return w
}

// Cells draws rows around k points: small whole numbers, so that ties and equal
// rows are frequent, or real numbers.
func Cells(c *judge.Trial, n, p, k int, smooth bool) framework.Matrix {
	x := framework.NewMatrix(n, p)
	if !smooth && c.Rand.IntN(5) < 2 {
		for i := range x.Data {
			x.Data[i] = float64(c.Between(-3, 3))
		}
		return x
	}
	centers := framework.NewMatrix(k, p)
	for i := range centers.Data {
		centers.Data[i] = 2 * c.Rand.NormFloat64()
	}
	spread := 1.0
	if !smooth && c.Rand.IntN(3) == 0 { // rows that are almost equal
		spread = 1e-9
	}
	for i := range n {
		for l := range p {
			x.Row(i)[l] = centers.Row(i % k)[l] + spread*c.Rand.NormFloat64()
		}
	}
	if !smooth && c.Rand.IntN(4) == 0 { // a constant column
		for i := range n {
			x.Row(i)[0] = 0
		}
	}
	return x
}

// Lose makes some cells missing, but leaves one in every row.
func Lose(c *judge.Trial, x framework.Matrix) {
	for i := range x.Rows {
		kept := c.Rand.IntN(x.Cols)
		for l := range x.Cols {
			if l != kept && c.Rand.IntN(5) == 0 {
				x.Row(i)[l] = math.NaN()
			}
		}
	}
}

// ColumnsOf describes the columns of a sample, as if they had been in other units.
func ColumnsOf(rows Sample) []framework.Column {
	columns := make([]framework.Column, rows.X.Cols)
	for l := range columns {
		c := framework.Column{Name: fmt.Sprintf("c%d", l), Group: l, Location: 10 * float64(l%3-1), Scale: float64(1 + l%2),
			Min: math.Inf(1), Max: math.Inf(-1)}
		var sum float64
		each := func(f func(v, w float64)) {
			for i := range rows.X.Rows {
				if v := rows.X.Row(i)[l]; v == v {
					f(v, rows.Weight(i))
				}
			}
		}
		seen := 0
		each(func(v, w float64) {
			seen++
			c.Mass += w
			sum += w * v
			c.Min, c.Max = math.Min(c.Min, v), math.Max(c.Max, v)
		})
		c.Missing = rows.X.Rows - seen
		if seen == 0 {
			c.Min, c.Max = 0, 0
		}
		if c.Mass > 0 {
			c.Mean = sum / c.Mass
		}
		if rows.Base != nil {
			c.Base = rows.Base[l]
		}
		each(func(v, w float64) { c.SumSq += w * (v - c.Mean) * (v - c.Mean) })
		columns[l] = c
	}
	return columns
}
