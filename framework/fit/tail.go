package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Tail returns for each of some weights, which ascend, the largest distance that rows of
// more than this weight have at least. It ends before the first weight that all rows
// together do not exceed. Rows without a distance (NaN) are none.
func Tail(rows framework.Rows, distance, weights []float64) (tail []float64) {
	if len(weights) == 0 {
		return nil
	}
	most := weights[len(weights)-1]
	if !weighted(rows) && most < float64(len(distance)) {
		return tailOfOnes(rows, distance, weights)
	}
	beyond := 0.0 // the weight of the present row and of those before
	for _, f := range Farthest(rows, distance, math.Nextafter(max(most, 0)*(1+1e-9), math.Inf(1))) {
		beyond += f.Weight
		for len(tail) < len(weights) && beyond > weights[len(tail)] {
			tail = append(tail, f.Distance)
		}
	}
	return tail
}

// weighted reports whether rows have weights.
func weighted(rows framework.Rows) bool { return rows.Blocks() > 0 && rows.Block(0).RowWeight != nil }

// tailOfOnes is Tail of rows that weigh 1 each: the distances at some ranks, which are
// found without sorting all. Each weight is less than the number of rows.
func tailOfOnes(rows framework.Rows, distance, weights []float64) (tail []float64) {
	most := weights[len(weights)-1]
	needed := int(max(most, 0)) + 1
	far := atLeast(distance, guess(rows, distance, float64(needed)))
	if len(far) < needed {
		far = atLeast(distance, math.Inf(-1))
	}
	var ranks []int // from 0, the farthest
	for _, w := range weights {
		if rank := int(max(w, 0)); rank < len(far) {
			ranks = append(ranks, rank)
		}
	}
	rank(far, ranks)
	for _, r := range ranks {
		tail = append(tail, far[r])
	}
	return tail
}

// atLeast returns the distances that are at least so large.
func atLeast(distance []float64, least float64) []float64 {
	count := 0
	for _, d := range distance {
		if d >= least {
			count++
		}
	}
	all := make([]float64, 0, count)
	for _, d := range distance {
		if d >= least {
			all = append(all, d)
		}
	}
	return all
}

// rank puts at some places, which ascend, what descending order would put there. It
// divides the values about one of them, as quicksort does, and goes on only with the
// parts that have such places.
func rank(values []float64, places []int) { rankWithin(values, places, 0, 2*64) }

// rankWithin is rank of values the first of which is at place from. It sorts what so
// many divisions have not made small.
func rankWithin(values []float64, places []int, from, divisions int) {
	for len(places) > 0 {
		if len(values) <= 64 || divisions == 0 {
			slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
			return
		}
		divisions--
		larger, least := divide(values, middle(values))
		before, _ := slices.BinarySearch(places, from+larger)
		after, _ := slices.BinarySearch(places, from+least)
		rankWithin(values[:larger], places[:before], from, divisions)
		values, places, from = values[least:], places[after:], from+least
	}
}

// middle returns the median of three values.
func middle(values []float64) float64 {
	a, b, c := values[0], values[len(values)/2], values[len(values)-1]
	return max(min(a, b), min(max(a, b), c))
}

// divide puts values that are larger than one of them first, those that are equal next,
// and returns where these begin and end.
func divide(values []float64, by float64) (larger, least int) {
	end := len(values)
	for i := 0; i < end; {
		switch v := values[i]; {
		case v > by:
			values[larger], values[i] = v, values[larger]
			larger++
			i++
		case v < by:
			end--
			values[i], values[end] = values[end], v
		default:
			i++
		}
	}
	return larger, end
}
