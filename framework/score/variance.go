package score

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ExplainedVariance returns the part of the total sum of squares that lies
// between clusters,
//
//	Σ_l w_l Σ_j m_jl (μ_jl − x̄_l)²  /  Σ_l w_l Σ_i (x_il − x̄_l)²
//
// over the observed cells of the rows that have a label, with m_jl their mass.
// weights are of the features, ≥ 0, length p; nil stands for all 1. It is 0 for
// one cluster and where all clusters have the same mean, 1 when every cluster's
// rows are equal, and NaN when all rows are. It is the R² of an analysis of variance; it rises with the number of clusters.
func ExplainedVariance(rows framework.Rows, labels []int32, weights []float64) float64 {
	between, within := averagesOf(rows, labels).squares(rows, labels, weights)
	return between / (between + within)
}

// averages are the means of the observed cells of each cluster. Cells count relative
// to a pivot, the first cell of their cluster and column: the mean of equal cells is
// exact, and a shift of all rows costs no digit.
type averages struct {
	pivot  framework.Matrix // k×p
	mean   framework.Matrix // from the pivot; NaN without a cell
	mass   framework.Matrix // weight of the cells
	square framework.Matrix // mean square from the pivot
	cells  []int            // number of cells, by column
	rows   int              // that count
	broken bool             // the weight of one is not a whole number
}

func averagesOf(rows framework.Rows, labels []int32) averages {
	if len(labels) != rows.Len() {
		panic("score: labels and rows differ in number")
	}
	if rows.Len() == 0 {
		return averages{}
	}
	p, k := rows.Block(0).X.Cols, 0
	for _, j := range labels {
		k = max(k, int(j)+1)
	}
	a := averages{cells: make([]int, p)}
	for _, m := range []*framework.Matrix{&a.pivot, &a.mean, &a.mass, &a.square} {
		*m = framework.NewMatrix(k, p)
	}
	each(rows, labels, func(j int, row []float64, w float64) {
		a.rows, a.broken = a.rows+1, a.broken || w != math.Trunc(w)
		pivot, mean, mass, square := a.pivot.Row(j), a.mean.Row(j), a.mass.Row(j), a.square.Row(j)
		for l, v := range row {
			if v != v {
				continue
			}
			if mass[l] == 0 {
				pivot[l] = v
			}
			d := v - pivot[l]
			mean[l] += float64(w * d)
			square[l] += float64(w * d * d)
			mass[l] += w
			a.cells[l]++
		}
	})
	for i, m := range a.mass.Data {
		a.mean.Data[i] /= m
		a.square.Data[i] /= m
	}
	return a
}

// each calls do for the rows that have a label and a weight.
func each(rows framework.Rows, labels []int32, do func(j int, row []float64, weight float64)) {
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if j, w := labels[b.Row0+r], b.Weight(r); j >= 0 && w > 0 {
				do(int(j), b.X.Row(r), w)
			}
		}
	}
}

// squares returns the sums of squares between and within clusters. Together they are
// the total, column by column, since means are those of the observed cells.
func (a averages) squares(rows framework.Rows, labels []int32, weights []float64) (between, within float64) {
	weight := func(l int) float64 {
		if weights == nil {
			return 1
		}
		return weights[l]
	}
	one := make([]int32, len(labels))
	for i, j := range labels {
		one[i] = min(j, 0)
	}
	all := averagesOf(rows, one)
	for i, m := range a.mass.Data {
		if j, l := i/a.mass.Cols, i%a.mass.Cols; m > 0 {
			d := a.apart(j, all, 0, l)
			between += float64(weight(l) * m * d * d)
		}
	}
	each(rows, labels, func(j int, row []float64, w float64) {
		for l, v := range row {
			if v == v {
				d := a.from(j, l, v)
				within += float64(weight(l) * w * d * d)
			}
		}
	})
	return between, within
}

// from returns how far a cell is from the mean of its cluster.
func (a averages) from(j, l int, v float64) float64 {
	i := j*a.mean.Cols + l
	return v - a.pivot.Data[i] - a.mean.Data[i]
}

// apart returns how far the mean of cluster i in column l is from that of cluster j
// of other; NaN where one has no cells. What may be rounding is 0.
func (a averages) apart(i int, other averages, j, l int) float64 {
	i, j = i*a.mean.Cols+l, j*a.mean.Cols+l
	d := a.pivot.Data[i] - other.pivot.Data[j] + (a.mean.Data[i] - other.mean.Data[j])
	// The mean of n cells is known to n·u of the mean distance from the pivot, which
	// is at most the root of the mean square.
	u := float64(max(a.rows, other.rows)+2) * 0x1p-53
	if d*d <= 4*u*u*(a.square.Data[i]+other.square.Data[j]) {
		return 0
	}
	return d
}
