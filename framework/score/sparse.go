package score

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// addSparse adds up the entries of sparse rows. What the cells without one amount to
// follows from the weight of the rows: all of them are the base.
func (a *averages) addSparse(rows framework.Rows, labels []int32) {
	k, p := a.mean.Rows, a.mean.Cols
	missing, entered := framework.NewMatrix(k, p), framework.NewMatrix(k, p) // weight of missing cells, and of those with an entry
	mass, gaps := make([]float64, k), make([]int, p)
	each(rows, labels, func(j int, b framework.Block, i int, w float64) {
		a.rows, a.broken = a.rows+1, a.broken || w != math.Trunc(w)
		columns, offsets := b.Sparse.Row(i)
		for e, l := range columns {
			at, v := j*p+int(l), offsets[e]
			entered.Data[at] += w
			if v != v {
				missing.Data[at] += w
				gaps[l]++
				continue
			}
			if missing.Data[at] == mass[j] { // all rows before have no cell; another one has the base
				a.pivot.Data[at] = v
			}
			d := v - a.pivot.Data[at]
			a.mean.Data[at] += float64(w * d)
			a.square.Data[at] += float64(w * d * d)
		}
		mass[j] += w
	})
	for at, pivot := range a.pivot.Data {
		whole := mass[at/p]
		// The weights of all rows, added in the same order, leave exactly nothing.
		rest := max(0, whole-entered.Data[at])
		a.mass.Data[at] = max(0, whole-missing.Data[at])
		a.mean.Data[at] -= float64(rest * pivot)
		a.square.Data[at] += float64(rest * pivot * pivot)
		entered.Data[at] = rest
	}
	a.rest = entered
	for l, n := range gaps {
		a.cells[l] = a.rows - n
	}
}

// addSparseSquares adds the squares of sparse rows about the means of their clusters.
func (a averages) addSparseSquares(within []float64, rows framework.Rows, labels []int32) {
	p := a.mean.Cols
	each(rows, labels, func(j int, b framework.Block, i int, w float64) {
		columns, offsets := b.Sparse.Row(i)
		for e, l := range columns {
			if v := offsets[e]; v == v {
				d := v - a.pivot.Data[j*p+int(l)] - a.mean.Data[j*p+int(l)]
				within[l] += float64(w * d * d)
			}
		}
	})
	for at, rest := range a.rest.Data {
		if rest > 0 {
			d := a.pivot.Data[at] + a.mean.Data[at]
			within[at%p] += float64(rest * d * d)
		}
	}
}

// fromEntries returns from for sparse rows.
func (a averages) fromEntries() func(j int, b framework.Block, i int) float64 {
	p := a.mean.Cols
	rulers := make([]*kernel.Ruler, a.mean.Rows)
	for j := range rulers {
		var columns []int32
		var offsets []float64
		for l, m := range a.mean.Row(j) {
			if m += a.pivot.Row(j)[l]; m != 0 {
				columns, offsets = append(columns, int32(l)), append(offsets, m)
			}
		}
		rulers[j] = kernel.NewRuler(p, nil)
		rulers[j].Set(columns, offsets)
	}
	return func(j int, b framework.Block, i int) float64 {
		columns, offsets := b.Sparse.Row(i)
		observed := p // where the cluster has no cell, the row has none
		for _, v := range offsets {
			if v != v {
				observed--
			}
		}
		return math.Sqrt(rulers[j].Square(columns, offsets) * (float64(p) / float64(observed)))
	}
}

// A sparseRow is a row by its entries.
type sparseRow struct {
	columns []int32
	offsets []float64
}

// sparseRows returns some rows, which ascend, in the memory of to.
func (d *distances) sparseRows(to []sparseRow, rows []int) []sparseRow {
	to = to[:0]
	d.each(rows, func(_ int, block framework.Block, i int) {
		columns, offsets := block.Sparse.Row(i)
		to = append(to, sparseRow{columns, offsets})
	})
	return to
}

// sparseSquares is denseSquares of sparse rows.
func (d *distances) sparseSquares(squares []float64, of []int) {
	d.near = d.sparseRows(d.near, of)
	for c, own := range d.own {
		d.ruler.Set(own.columns, own.offsets)
		for t, row := range d.near {
			squares[t*len(d.own)+c] = d.ruler.Square(row.columns, row.offsets)
		}
	}
}
