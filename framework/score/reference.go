package score

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Limits of a silhouette that does not take long.
const (
	affordable = 2e10 // products: some seconds on one core
	rootCost   = 16   // the square root of a distance takes as long as so many products
	leastDrawn = 30   // rows of each cluster
)

// Reference returns the number of rows that each of sample rows can be measured
// against without taking long, where there are n rows of p features in k
// clusters; 0 if that is all of them.
func Reference(sample, n, p, k int) int {
	most := max(affordable/float64(sample)/float64(p+rootCost), float64(leastDrawn*k))
	if float64(n) <= most {
		return 0
	}
	return int(most)
}

// draw replaces the reference by about so many random rows of it: the same
// number of each cluster, and all of those that have fewer.
func (s *silhouette) draw(rows int, seed uint64) {
	of := make([][]int, len(s.mass))
	for _, i := range s.reference {
		of[s.labels[i]] = append(of[s.labels[i]], i)
	}
	share := evenShare(of, rows)
	random := framework.Rand(seed, "silhouette-reference")
	s.reference, s.drawn = nil, make([]float64, len(s.mass))
	for j, list := range of {
		if len(list) > share {
			for i := range share { // the first steps of a shuffle
				other := i + random.IntN(len(list)-i)
				list[i], list[other] = list[other], list[i]
			}
			list = list[:share]
		}
		for _, i := range list {
			s.drawn[j] += s.weight[i]
		}
		s.reference = append(s.reference, list...)
	}
	slices.Sort(s.reference)
}

// evenShare returns the number of rows, at least 2, that each list gives so that
// they are so many together; those that have fewer give all.
func evenShare(lists [][]int, rows int) int {
	var sizes []int
	for _, list := range lists {
		if len(list) > 0 {
			sizes = append(sizes, len(list))
		}
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		share := rows / (len(sizes) - i)
		if size > share {
			return max(2, share)
		}
		rows -= size
	}
	return sizes[len(sizes)-1]
}
