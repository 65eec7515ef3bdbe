package conformance

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// grownSize is the least size of a case with the dimensions of real data.
const grownSize = 24

func (c *trial) grown() bool { return c.size >= grownSize }

// lifeSize draws dimensions just below, at and above those at which loops are
// unrolled and blocks are cut. One of them is large at a time, so that cases stay
// cheap.
func (c *trial) lifeSize() (n, p, k, block int) {
	pick := func(from ...int) int { return from[c.index/3%len(from)] }
	n, p, k = c.between(4, 40), c.between(1, 4), c.between(2, 4)
	switch c.index % 3 {
	case 0:
		p = pick(65, 7, 9, 17, 8)
	case 1:
		k = pick(9, 65, 129)
		n = k + c.between(0, 2*k)
	default:
		block = pick(512, 1024, 4096) + c.between(-1, 1)
		return block + c.between(1, 600), c.between(1, 3), c.between(2, 3), block
	}
	return n, p, k, c.between(1+n/20, n)
}

// rescale moves some columns far from 0, or gives all cells another magnitude.
func (c *trial) rescale(x framework.Matrix, w want) {
	if w.smooth || c.size < grownSize/2 {
		return
	}
	factor, offset := 1.0, 0.0
	switch c.rand.IntN(8) {
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

// weights draws row weights: whole numbers, fractions, or numbers of very
// different size. Some are 0, at least one is not. Their sums are not rounded, so that
// medians are the same however rows are divided.
func (c *trial) weights(n int) []float64 {
	w := make([]float64, n)
	kind := c.rand.IntN(3)
	for i := range w {
		switch kind {
		case 0:
			w[i] = float64(c.rand.IntN(5)) / 8
		case 1:
			w[i] = math.Ldexp(float64(1+c.rand.IntN(1<<26)), c.between(-20, -8)) // 26 bits, up to 2¹⁸
		default:
			w[i] = float64(c.rand.IntN(4))
		}
	}
	w[c.rand.IntN(n)] = 2
	return w
}

// cells draws rows around k points: small whole numbers, so that ties and equal
// rows are frequent, or real numbers.
func (c *trial) cells(n, p, k int, smooth bool) framework.Matrix {
	x := framework.NewMatrix(n, p)
	if !smooth && c.rand.IntN(5) < 2 {
		for i := range x.Data {
			x.Data[i] = float64(c.between(-3, 3))
		}
		return x
	}
	centers := framework.NewMatrix(k, p)
	for i := range centers.Data {
		centers.Data[i] = 2 * c.rand.NormFloat64()
	}
	spread := 1.0
	if !smooth && c.rand.IntN(3) == 0 { // rows that are almost equal
		spread = 1e-9
	}
	for i := range n {
		for l := range p {
			x.Row(i)[l] = centers.Row(i % k)[l] + spread*c.rand.NormFloat64()
		}
	}
	if !smooth && c.rand.IntN(4) == 0 { // a constant column
		for i := range n {
			x.Row(i)[0] = 0
		}
	}
	return x
}

// lose makes some cells missing, but leaves one in every row.
func (c *trial) lose(x framework.Matrix) {
	for i := range x.Rows {
		kept := c.rand.IntN(x.Cols)
		for l := range x.Cols {
			if l != kept && c.rand.IntN(5) == 0 {
				x.Row(i)[l] = math.NaN()
			}
		}
	}
}

// columnsOf describes the columns of a sample, as if they had been in other units.
func columnsOf(rows sample) []framework.Column {
	columns := make([]framework.Column, rows.x.Cols)
	for l := range columns {
		c := framework.Column{Name: fmt.Sprintf("c%d", l), Group: l, Location: 10 * float64(l%3-1), Scale: float64(1 + l%2),
			Min: math.Inf(1), Max: math.Inf(-1)}
		var sum float64
		each := func(f func(v, w float64)) {
			for i := range rows.x.Rows {
				if v := rows.x.Row(i)[l]; v == v {
					f(v, rows.weight(i))
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
		c.Missing = rows.x.Rows - seen
		if seen == 0 {
			c.Min, c.Max = 0, 0
		}
		if c.Mass > 0 {
			c.Mean = sum / c.Mass
		}
		each(func(v, w float64) { c.SumSq += w * (v - c.Mean) * (v - c.Mean) })
		columns[l] = c
	}
	return columns
}

// extent is the largest absolute value of a cell.
func (b *bed) extent() (most float64) {
	for _, column := range b.p.Columns {
		most = max(most, math.Abs(column.Min), math.Abs(column.Max))
	}
	return most
}
