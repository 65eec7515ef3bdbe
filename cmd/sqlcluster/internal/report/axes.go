package report

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// mostCenters bounds the centers of which directions are made: the largest clusters.
const mostCenters = 200

// axes returns the two principal axes of the centers, by the sizes of the clusters,
// and the mean of the centers. Where the centers are in one line, or there is one
// only, an axis is missing: it is that in which the rest of the rows differs most.
func axes(d *model.Drawn, sizes []float64) (first, second, origin []float64) {
	order := byMagnitude(sizes)
	order = order[:min(mostCenters, len(order))]
	origin = make([]float64, d.X.Cols)
	sum := 0.0
	for _, j := range order {
		sum += sizes[j]
		for l, v := range d.Centers.Row(j) {
			origin[l] += sizes[j] * v
		}
	}
	for l := range origin {
		origin[l] /= max(1, sum)
	}
	spread := framework.NewMatrix(len(order), d.X.Cols)
	for i, j := range order {
		for l, v := range d.Centers.Row(j) {
			spread.Row(i)[l] = math.Sqrt(sizes[j]) * (v - origin[l])
		}
	}
	found := principal(spread)
	for len(found) < 2 {
		rest := framework.NewMatrix(d.X.Rows, d.X.Cols)
		for i := range rest.Rows {
			for l, v := range d.X.Row(i) {
				if v == v {
					rest.Row(i)[l] = v - origin[l]
				}
			}
			for _, axis := range found {
				for l, a := range scaled(axis, dot(axis, rest.Row(i))) {
					rest.Row(i)[l] -= a
				}
			}
		}
		found = append(found, longest(rest))
	}
	return found[0], found[1], origin
}

// principal returns the principal axes of few rows, at most two, without those of no
// length.
func principal(rows framework.Matrix) (found [][]float64) {
	n := rows.Rows
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, dot(rows.Row(i), rows.Row(j)))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return nil
	}
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	for a := n - 1; a >= max(0, n-2) && values[a] > 1e-9*values[n-1]; a-- {
		axis := make([]float64, rows.Cols)
		for i := range n {
			for l, v := range rows.Row(i) {
				axis[l] += vectors.At(i, a) * v
			}
		}
		found = append(found, pointed(axis))
	}
	return found
}

// longest returns the direction in which rows are longest: some steps of the power
// method, which is exact enough for a picture.
func longest(rows framework.Matrix) []float64 {
	axis := make([]float64, rows.Cols)
	for i := range rows.Rows {
		for l, v := range rows.Row(i) {
			axis[l] += v * v
		}
	}
	for range 50 {
		next := make([]float64, rows.Cols)
		for i := range rows.Rows {
			at := dot(axis, rows.Row(i))
			for l, v := range rows.Row(i) {
				next[l] += at * v
			}
		}
		axis = pointed(next)
	}
	return axis
}

// pointed returns an axis of length 1 whose largest part is positive.
func pointed(axis []float64) []float64 {
	length := math.Sqrt(dot(axis, axis))
	if length == 0 {
		return axis
	}
	if l := byMagnitude(axis)[0]; axis[l] < 0 {
		length = -length
	}
	return scaled(axis, 1/length)
}

func scaled(axis []float64, by float64) []float64 {
	all := make([]float64, len(axis))
	for l, a := range axis {
		all[l] = a * by
	}
	return all
}

func dot(a, b []float64) (sum float64) {
	for l, v := range a {
		sum += v * b[l]
	}
	return sum
}

// along is how far a row goes along an axis; a missing cell is as the mean.
func along(axis, row, origin []float64) (sum float64) {
	for l, v := range row {
		if v == v {
			sum += axis[l] * (v - origin[l])
		}
	}
	return sum
}

// byMagnitude returns the places of numbers, the largest first.
func byMagnitude(all []float64) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(all[b]), math.Abs(all[a])) })
	return order
}
