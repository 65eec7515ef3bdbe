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
// rows are equal, and NaN when all rows are. It is the R² of an analysis of variance;
// it rises with the number of clusters.
func ExplainedVariance(rows framework.Rows, labels []int32, weights []float64) float64 {
	return SumsOfSquares(rows, labels).Explained(weights)
}

// Squares are sums of squares of each feature. Together they are the total, since
// means are those of the observed cells.
type Squares struct{ Between, Within []float64 }

// Explained returns the explained variance that sums of squares amount to, with
// weights of the features as those of ExplainedVariance.
func (s Squares) Explained(weights []float64) float64 {
	var between, within float64
	for l := range s.Between {
		w := 1.0
		if weights != nil {
			w = weights[l]
		}
		between += float64(w * s.Between[l])
		within += float64(w * s.Within[l])
	}
	return between / (between + within)
}

// SumsOfSquares returns the sums of squares between and within clusters, over the
// observed cells of the rows that have a label. Row weights are frequencies.
func SumsOfSquares(rows framework.Rows, labels []int32) Squares {
	return averagesOf(rows, labels).squares(rows, labels)
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
		p := len(row) // tells the compiler that indices are in range
		pivot, mean, mass, square, cells := a.pivot.Row(j)[:p], a.mean.Row(j)[:p], a.mass.Row(j)[:p], a.square.Row(j)[:p], a.cells[:p]
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
			cells[l]++
		}
	})
	a.divide()
	return a
}

// divide makes averages of sums.
func (a averages) divide() {
	for i, m := range a.mass.Data {
		a.mean.Data[i] /= m
		a.square.Data[i] /= m
	}
}

// each calls do for the rows that have a label and a weight.
func each(rows framework.Rows, labels []int32, do func(j int, row []float64, weight float64)) {
	var room []float64 // for a sparse row
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if j, w := labels[b.Row0+r], b.Weight(r); j >= 0 && w > 0 {
				if b.Sparse != nil && room == nil {
					room = make([]float64, b.X.Cols)
				}
				do(int(j), b.Cells(r, room), w)
			}
		}
	}
}

func (a averages) squares(rows framework.Rows, labels []int32) Squares {
	k, p := a.mean.Rows, a.mean.Cols
	s := Squares{make([]float64, p), make([]float64, p)}
	all := a.together()
	for j := range k {
		for l, m := range a.mass.Row(j) {
			if m > 0 {
				d := a.apart(j, all, 0, l)
				s.Between[l] += float64(m * d * d)
			}
		}
	}
	each(rows, labels, func(j int, row []float64, w float64) {
		pivot, mean, within := a.pivot.Row(j)[:len(row)], a.mean.Row(j)[:len(row)], s.Within[:len(row)]
		for l, v := range row {
			if v == v {
				d := v - pivot[l] - mean[l]
				within[l] += float64(w * d * d)
			}
		}
	})
	return s
}

// together returns the averages of all clusters as one.
func (a averages) together() averages {
	p := a.mean.Cols
	all := averages{rows: a.rows}
	for _, m := range []*framework.Matrix{&all.pivot, &all.mean, &all.mass, &all.square} {
		*m = framework.NewMatrix(1, p)
	}
	for i, m := range a.mass.Data {
		l := i % p
		if m == 0 {
			continue
		}
		if all.mass.Data[l] == 0 {
			all.pivot.Data[l] = a.pivot.Data[i]
		}
		off := a.pivot.Data[i] - all.pivot.Data[l]
		all.mean.Data[l] += float64(m * (off + a.mean.Data[i]))
		all.square.Data[l] += float64(2 * m * (off*off + a.square.Data[i])) // at least that of the cells
		all.mass.Data[l] += m
	}
	all.divide()
	return all
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
