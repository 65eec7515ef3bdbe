package tune

import "math"

// Jaccards says how well each of k clusters is found again in some of the rows: the
// largest Jaccard coefficient of its drawn rows with a cluster of the draw,
//
//	|A ∩ B| / |A ∪ B|
//
// labels are those of all rows, found those of the rows of the draw, which are
// numbered by rows (nil: all of them). match is that cluster, of several the first;
// −1: none has a row of it. A cluster of which no row is drawn has NaN.
// Rows without a cluster (−1) in one of the two count as rows of no cluster there.
//
// Source: Hennig (2007), Cluster-wise assessment of cluster stability,
// https://doi.org/10.1016/j.csda.2006.11.025, section 2.
func Jaccards(k int, labels []int32, rows, found []int32) (best []float64, match []int) {
	most := 0
	for _, j := range found {
		most = max(most, int(j)+1)
	}
	both := make([]int, k*most)
	size, other := make([]int, k), make([]int, most)
	for t, j := range found {
		i := t
		if rows != nil {
			i = int(rows[t])
		}
		own := labels[i]
		if own >= 0 {
			size[own]++
		}
		if j >= 0 {
			other[j]++
		}
		if own >= 0 && j >= 0 {
			both[int(own)*most+int(j)]++
		}
	}
	best, match = make([]float64, k), make([]int, k)
	for own, n := range size {
		match[own] = -1
		if n == 0 {
			best[own] = math.NaN()
			continue
		}
		for j, m := range other {
			common := both[own*most+j]
			if v := float64(common) / float64(n+m-common); v > best[own] {
				best[own], match[own] = v, j
			}
		}
	}
	return best, match
}
