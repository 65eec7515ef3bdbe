// Package median finds weighted medians.
package median

import "slices"

// A Cell is an observed value with its row's weight, which is not negative.
type Cell struct{ Value, Weight float64 }

// Of sorts the cells and returns the value with half of the weight on either
// side: the midpoint of two neighbours when the halves are equal. A cell of
// weight 2 counts like the cell given twice. There must be at least one cell of
// positive weight, and no NaN. No product is fused with a sum, so that all
// processors give the same bits.
func Of(cells []Cell) float64 {
	slices.SortFunc(cells, func(a, b Cell) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		default:
			return 0
		}
	})
	var total, below float64
	for _, c := range cells {
		total += c.Weight
	}
	for i, c := range cells {
		below += c.Weight
		if 2*below == total && i+1 < len(cells) {
			return c.Value + float64((cells[i+1].Value-c.Value)/2)
		}
		if 2*below > total {
			return c.Value
		}
	}
	return cells[len(cells)-1].Value
}
