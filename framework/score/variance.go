package score

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ExplainedVariance returns the part of the total sum of squares that lies
// between clusters,
//
//	Σ_l w_l Σ_jl m_jl (μ_jl − x̄_l)²  /  Σ_l w_l Σ_i (x_il − x̄_l)²
//
// over the observed cells of the rows that have a label, with m_jl their mass.
// weights are of the features, ≥ 0, length p; nil stands for all 1. It is 0 for
// one cluster, 1 when every cluster's rows are equal, and NaN when all rows are.
// It is the R² of an analysis of variance; it rises with the number of clusters.
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
	all, own := newAverages(1, p), newAverages(k, p)
	each(rows, labels, func(j int, row []float64, w float64) {
		all.add(0, row, w)
		own.add(j, row, w)
	})
	all.divide()
	own.divide()
	var between, total float64
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
	each(rows, labels, func(_ int, row []float64, w float64) {
		for l, v := range row {
			if d := v - all.mean.Data[l]; d == d {
				total += weight(l) * w * d * d
			}
		}
	})
	return between / total
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
type averages struct{ mean, mass framework.Matrix }

func newAverages(k, p int) averages {
	return averages{framework.NewMatrix(k, p), framework.NewMatrix(k, p)}
}

func (a averages) add(j int, row []float64, w float64) {
	mean, mass := a.mean.Row(j), a.mass.Row(j)
	for l, v := range row {
		if v == v {
			mean[l] += w * v
			mass[l] += w
		}
	}
}

func (a averages) divide() {
	for i, m := range a.mass.Data {
		if m > 0 {
			a.mean.Data[i] /= m
		}
	}
}
