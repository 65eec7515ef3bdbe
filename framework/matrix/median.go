package matrix

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework/internal/median"
)

// columnsAtOnce is how many columns one pass over the rows gathers.
const columnsAtOnce = 8

// medianAndDeviation returns the weighted median of each column's observed
// cells and, if asked for, the median of the distances from it.
func medianAndDeviation(b *Builder, deviation bool) (medians, deviations []float64) {
	medians, deviations = make([]float64, b.cols), make([]float64, b.cols)
	values := b.Cells()
	gathered := make([][]median.Cell, columnsAtOnce)
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
					gathered[t] = append(gathered[t], median.Cell{Value: v, Weight: w})
				}
			}
		}
		for t := range width {
			cells := gathered[t]
			if len(cells) == 0 {
				continue
			}
			m := median.Of(cells)
			medians[first+t] = m
			if deviation {
				for i := range cells {
					cells[i].Value = math.Abs(cells[i].Value - m)
				}
				deviations[first+t] = median.Of(cells)
			}
		}
	}
	return medians, deviations
}
