package score

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ExplainedVariance returns the part of the total sum of squares that lies
// between clusters,
//
//	Σ_l w_l Σ_jl m_jl (μ_jl − x̄_l)²  /  Σ_l w_l Σ_i (x_il − x̄_l)²
//
// over the observed cells of the rows that have a label, with m_jl their mass.
// weights are of the features, ≥ 0, length p; nil stands for all 1. It is 0 for
// one cluster and where all clusters have the same mean, 1 when every cluster's
// rows are equal, and NaN when all rows are. It is the R² of an analysis of variance; it rises with the number of clusters.
func ExplainedVariance(rows framework.Rows, labels []int32, weights []float64) float64 {
	if len(labels) != rows.Len() {
		panic("score: labels and rows differ in number")
	}
	if rows.Len() == 0 {
		return math.NaN()
	}
	p, k := rows.Block(0).X.Cols, 0
	for _, j := range labels {
		k = max(k, int(j)+1)
	}
	pivot := firstCells(rows, labels, p)
	all, own := newAverages(1, p, pivot), newAverages(k, p, pivot)
	observed := 0
	each(rows, labels, func(j int, row []float64, w float64) {
		all.add(0, row, w)
		own.add(j, row, w)
		observed++
	})
	all.divide()
	own.divide()
	var between, within, total, squares float64
	weight := func(l int) float64 {
		if weights == nil {
			return 1
		}
		return weights[l]
	}
	for i, m := range own.mass.Data {
		d := own.mean.Data[i] - all.mean.Data[i%p]
		between += weight(i%p) * m * d * d
	}
	each(rows, labels, func(j int, row []float64, w float64) {
		for l, v := range row {
			if d := v - own.mean.Row(j)[l]; d == d {
				within += weight(l) * w * d * d
			}
			if d := v - all.mean.Data[l]; d == d {
				total += weight(l) * w * d * d
				off := v - pivot[l]
				squares += weight(l) * w * off * off
			}
		}
	})
	// The mean of n cells is known to n·u of the mean distance from the pivot, so
	// that equal means of m rows leave up to 4(n·u)²·Σ(x − pivot)².
	if sum := float64(observed+2) * 0x1p-53; between <= 4*sum*sum*squares {
		between = 0
	}
	if within == 0 || between > total {
		between = total
	}
	return between / total
}

// firstCells returns the first observed cell of each column. Sums are about them:
// then the mean of equal cells is exact.
func firstCells(rows framework.Rows, labels []int32, p int) []float64 {
	pivot := slices.Repeat([]float64{math.NaN()}, p)
	each(rows, labels, func(_ int, row []float64, _ float64) {
		for l, v := range row {
			if pivot[l] != pivot[l] {
				pivot[l] = v
			}
		}
	})
	return pivot
}

// each calls do for the rows that have a label.
func each(rows framework.Rows, labels []int32, do func(j int, row []float64, weight float64)) {
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if j := labels[b.Row0+r]; j >= 0 {
				do(int(j), b.X.Row(r), b.Weight(r))
			}
		}
	}
}

// averages are weighted means of observed cells.
type averages struct {
	mean, mass framework.Matrix
	pivot      []float64
}

func newAverages(k, p int, pivot []float64) averages {
	return averages{framework.NewMatrix(k, p), framework.NewMatrix(k, p), pivot}
}

func (a averages) add(j int, row []float64, w float64) {
	mean, mass := a.mean.Row(j), a.mass.Row(j)
	for l, v := range row {
		if v == v {
			mean[l] += w * (v - a.pivot[l])
			mass[l] += w
		}
	}
}

func (a averages) divide() {
	for i, m := range a.mass.Data {
		if m > 0 {
			a.mean.Data[i] = a.pivot[i%len(a.pivot)] + a.mean.Data[i]/m
		}
	}
}
