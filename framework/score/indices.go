package score

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// CalinskiHarabasz returns the variance ratio criterion,
//
//	(B / (k − 1)) / (W / (n − k))
//
// with the sums of squares B between and W within the k clusters, and n the weight of
// the rows, which are those with a label. The higher, the better. It is NaN with less
// than two clusters, and where each row is a cluster; +Inf where the rows of each
// cluster are equal, unless all rows are: NaN.
//
// Sums of squares are over observed cells, column by column, and so are their degrees
// of freedom. Column l, with n_l cells in k_l clusters, has k_l − 1 between and
// n_l − k_l within, and
//
//	(B / Σ_l (k_l − 1)) / (W / Σ_l (n_l − k_l))
//
// is the criterion where no cell is missing. With cells missing at random and no
// clusters, its two parts have the same mean: the variance of a cell. With n in the
// place of cells, W would be too small, and the criterion too high.
//
// Row weights are frequencies. Where one of them is not a whole number they count no
// rows, and each cell counts once in n_l, so that equal weights of any size change
// nothing.
//
// Source: Caliński and Harabasz (1974), https://doi.org/10.1080/03610927408827101.
func CalinskiHarabasz(rows framework.Rows, labels []int32) float64 {
	a := averagesOf(rows, labels)
	var over, under float64 // degrees of freedom between and within
	for l := range a.mass.Cols {
		var clusters, mass float64
		for j := range a.mass.Rows {
			if m := a.mass.Row(j)[l]; m > 0 {
				clusters, mass = clusters+1, mass+m
			}
		}
		if a.broken {
			mass = float64(a.cells[l])
		}
		if clusters > 0 {
			over, under = over+clusters-1, under+mass-clusters
		}
	}
	if over <= 0 || under <= 0 {
		return math.NaN()
	}
	var between, within float64
	s := a.squares(rows, labels)
	for l := range s.Between {
		between, within = between+s.Between[l], within+s.Within[l]
	}
	return between / over / (within / under)
}

// DaviesBouldin returns the mean over the clusters of
//
//	max over other clusters (s_i + s_j) / d_ij
//
// with s the mean distance of the rows of a cluster to its mean, and d the distance
// of two means. The lower, the better; 0 is the least. It is NaN with less than two
// clusters, and +Inf where two have the same mean, unless both have no spread, which
// counts as 0. Rows without a label are left out; row weights are frequencies.
//
// Distances are Euclidean. Where only q of the p cells of a row are observed, its
// squared distance is p/q times their sum: their mean stands for the missing ones.
// Else a row would be the nearer to its mean the fewer cells it has. For two means, q
// is the number of columns in which both clusters have cells. Rows without any cell
// are left out, and so are pairs of clusters without a common column.
//
// Source: Davies and Bouldin (1979), https://doi.org/10.1109/TPAMI.1979.4766909.
func DaviesBouldin(rows framework.Rows, labels []int32) float64 {
	a := averagesOf(rows, labels)
	k, p := a.mean.Rows, a.mean.Cols
	spread, mass := make([]float64, k), make([]float64, k)
	from := a.from
	if a.rest.Data != nil {
		from = a.fromEntries()
	}
	each(rows, labels, func(j int, b framework.Block, i int, w float64) {
		if d := from(j, b, i); d == d {
			spread[j] += float64(w * d)
			mass[j] += w
		}
	})
	worst := slices.Repeat([]float64{math.NaN()}, k)
	for i := range k {
		for j := range i {
			d := distance(p, func(l int) float64 { return a.apart(i, a, j, l) })
			if d != d {
				continue
			}
			ratio := spread[i]/mass[i] + spread[j]/mass[j]
			if ratio > 0 {
				ratio /= d
			}
			for _, of := range []int{i, j} {
				if !(worst[of] >= ratio) {
					worst[of] = ratio
				}
			}
		}
	}
	var sum, count float64
	for _, ratio := range worst {
		if ratio == ratio {
			sum, count = sum+ratio, count+1
		}
	}
	return sum / count
}

// distance is Euclidean, of differences some of which are NaN: the others stand for
// them.
func distance(p int, difference func(l int) float64) float64 {
	sum, observed := 0.0, 0
	for l := range p {
		if d := difference(l); d == d {
			sum, observed = sum+float64(d*d), observed+1
		}
	}
	return math.Sqrt(sum * (float64(p) / float64(observed)))
}
