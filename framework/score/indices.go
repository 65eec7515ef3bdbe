package score

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// CalinskiHarabasz returns the variance ratio criterion,
//
//	(B / (k − 1)) / (W / (n − k))
//
// with the sums of squares between and within the k clusters that have rows, and n
// the sum of the row weights. The higher, the better. Sums are those of
// ExplainedVariance without weights of features: over observed cells. It is +Inf
// where the rows of each cluster are equal, and NaN with less than two clusters, or
// no more rows than clusters.
//
// Source: Caliński and Harabasz (1974), https://doi.org/10.1080/03610927408827101.
func CalinskiHarabasz(rows framework.Rows, labels []int32) float64 {
	c := newClusters(rows, labels)
	if c.count < 2 || c.mass <= float64(c.count) {
		return math.NaN()
	}
	explained := ExplainedVariance(rows, labels, nil)
	return explained / (1 - explained) * (c.mass - float64(c.count)) / float64(c.count-1)
}

// DaviesBouldin returns the mean over the clusters of
//
//	max over other clusters (s_i + s_j) / d_ij
//
// with s the mean distance of the rows of a cluster to its mean, and d the distance
// of two means. The lower, the better; 0 is the least. Distances are Euclidean over
// observed cells. It is NaN with less than two clusters, +Inf where two of them have
// the same mean, unless they have no spread either.
//
// Source: Davies and Bouldin (1979), https://doi.org/10.1109/TPAMI.1979.4766909.
func DaviesBouldin(rows framework.Rows, labels []int32) float64 {
	c := newClusters(rows, labels)
	if c.count < 2 {
		return math.NaN()
	}
	spread := make([]float64, c.mean.Rows)
	each(rows, labels, func(j int, row []float64, w float64) {
		spread[j] += w * math.Sqrt(distance(row, c.mean.Row(j)))
	})
	sum := 0.0
	for i, m := range c.size {
		if m == 0 {
			continue
		}
		largest := 0.0
		for j, other := range c.size {
			if j == i || other == 0 {
				continue
			}
			between := math.Sqrt(distance(c.mean.Row(i), c.mean.Row(j)))
			if both := spread[i]/m + spread[j]/other; both > 0 {
				largest = math.Max(largest, both/between)
			}
		}
		sum += largest
	}
	return sum / float64(c.count)
}

// distance is the squared distance over the cells that both have.
func distance(x, y []float64) (sum float64) {
	for l, v := range x {
		if d := v - y[l]; d == d {
			sum += float64(d * d)
		}
	}
	return sum
}

// clusters are the sizes and means of clusters.
type clusters struct {
	averages
	size  []float64 // by label
	mass  float64   // of all
	count int       // clusters that have mass
}

func newClusters(rows framework.Rows, labels []int32) clusters {
	if len(labels) != rows.Len() {
		panic("score: labels and rows differ in number")
	}
	if rows.Len() == 0 {
		return clusters{}
	}
	p, k := rows.Block(0).X.Cols, 0
	for _, j := range labels {
		k = max(k, int(j)+1)
	}
	c := clusters{averages: newAverages(k, p, firstCells(rows, labels, p)), size: make([]float64, k)}
	each(rows, labels, func(j int, row []float64, w float64) {
		c.add(j, row, w)
		c.size[j] += w
		c.mass += w
	})
	for _, m := range c.size {
		if m > 0 {
			c.count++
		}
	}
	c.divide()
	return c
}
