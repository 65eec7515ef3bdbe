package matrix

import (
	"math"
	"slices"
)

// weighted is an observed value with its row's weight.
type weighted struct{ value, weight float64 }

// columnsAtOnce is how many columns one pass over the rows gathers.
const columnsAtOnce = 8

// medianAndDeviation returns the weighted median of each column's observed
// cells and, if asked for, the median of the distances from it.
func medianAndDeviation(b *Builder, deviation bool) (medians, deviations []float64) {
	medians, deviations = make([]float64, b.cols), make([]float64, b.cols)
	values := b.Values()
	gathered := make([][]weighted, columnsAtOnce)
	for first := 0; first < b.cols; first += columnsAtOnce {
		width := min(columnsAtOnce, b.cols-first)
		for t := range gathered {
			gathered[t] = gathered[t][:0]
		}
		for i := range b.rows {
			w := 1.0
			if b.weights != nil {
				w = b.weights[i]
			}
			if w == 0 {
				continue
			}
			for t, v := range values.Row(i)[first : first+width] {
				if v == v {
					gathered[t] = append(gathered[t], weighted{v, w})
				}
			}
		}
		for t := range width {
			cells := gathered[t]
			if len(cells) == 0 {
				continue
			}
			m := median(cells)
			medians[first+t] = m
			if deviation {
				for i := range cells {
					cells[i].value = math.Abs(cells[i].value - m)
				}
				deviations[first+t] = median(cells)
			}
		}
	}
	return medians, deviations
}

// median sorts the cells, and returns the value with half of the weight on
// either side: the midpoint of two when the halves are equal.
func median(cells []weighted) float64 {
	slices.SortFunc(cells, func(a, b weighted) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	var total, below float64
	for _, c := range cells {
		total += c.weight
	}
	for i, c := range cells {
		below += c.weight
		if 2*below == total && i+1 < len(cells) {
			return c.value + (cells[i+1].value-c.value)/2
		}
		if 2*below > total {
			return c.value
		}
	}
	return cells[len(cells)-1].value
}
