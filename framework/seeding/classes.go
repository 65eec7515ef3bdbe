package seeding

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Classes returns the k×p centers of a start from rows of which some have a class, from 0 to
// classes−1 (−1: none): first the means of the rows of each class, then rows that are as far from all centers
// before them as possible, rows without a class first. k must be at least classes. A column of which a class has no cell has the mean of
// all rows there.
//
// Source: Basu, Banerjee and Mooney (2002), Semi-supervised clustering by seeding,
// https://dl.acm.org/doi/10.5555/645531.656012.
func Classes(rows framework.Rows, class []int32, classes, k, p int) framework.Matrix {
	centers, mass := framework.NewMatrix(k, p), framework.NewMatrix(k, p)
	means, weight := make([]float64, p), make([]float64, p) // of all rows, for columns that a class has no cell of
	eachRow(rows, func(i int, x []float64, w float64) {
		for f, v := range x {
			if v != v {
				continue
			}
			means[f] += float64(w * v)
			weight[f] += w
			if c := class[i]; c >= 0 {
				centers.Row(int(c))[f] += float64(w * v)
				mass.Row(int(c))[f] += w
			}
		}
	})
	for c := range classes {
		for f := range means {
			switch {
			case mass.Row(c)[f] > 0:
				centers.Row(c)[f] /= mass.Row(c)[f]
			case weight[f] > 0:
				centers.Row(c)[f] = means[f] / weight[f]
			}
		}
	}
	nearest := slices.Repeat([]float64{math.Inf(1)}, len(class))
	for c := range k {
		at, most := -1, -1.0
		if c >= classes {
			all := !slices.Contains(class, -1) // rows have a class
			for i, d := range nearest {
				if (all || class[i] < 0) && d > most {
					at, most = i, d
				}
			}
			eachRow(rows, func(i int, x []float64, _ float64) {
				for f, v := range x {
					if i == at && v == v {
						centers.Row(c)[f] = v
					}
				}
			})
		}
		eachRow(rows, func(i int, x []float64, _ float64) {
			d := 0.0
			for f, v := range x {
				if off := v - centers.Row(c)[f]; off == off {
					d += float64(off * off)
				}
			}
			nearest[i] = min(nearest[i], d)
		})
	}
	return centers
}

// eachRow hands over the cells and the weight of each row; they are valid during the call
// only.
func eachRow(rows framework.Rows, use func(i int, x []float64, w float64)) {
	for n := range rows.Blocks() {
		b := rows.Block(n)
		room := make([]float64, b.X.Cols)
		for t := range b.X.Rows {
			x, w := room, 1.0
			if b.Sparse != nil {
				b.Sparse.Cells(room, t)
			} else {
				x = b.X.Row(t)
			}
			if b.RowWeight != nil {
				w = b.RowWeight[t]
			}
			use(b.Row0+t, x, w)
		}
	}
}
