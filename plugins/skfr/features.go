package skfr

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

var _ framework.Pather = (*clusterer)(nil)

// Grid implements framework.Pather: numbers of features from p down to 1, all
// of them or in even proportions.
func (c *clusterer) Grid(_ *framework.Model, n int) []float64 {
	p := float64(c.problem.P)
	var grid []float64
	for i := range min(n, c.problem.P) {
		s := p - float64(i)
		if n < c.problem.P {
			s = math.Round(math.Pow(p, 1-float64(i)/max(1, float64(n-1))))
		}
		if len(grid) == 0 || s < grid[len(grid)-1] {
			grid = append(grid, s)
		}
	}
	return grid
}

// Features implements framework.Selector: one row a feature for scope=global,
// and one a feature and cluster for scope=local.
func (c *clusterer) Features(m *framework.Model) []framework.Feature {
	p := c.problem.P
	if !c.local {
		return rank(nil, -1, m.Selected, m.Gain)
	}
	var all []framework.Feature
	for j := range c.problem.K {
		all = rank(all, j, m.Selected[j*p:(j+1)*p], m.Gain[j*p:(j+1)*p])
	}
	return all
}

// rank appends the features in column order, with their ranks by gain; of equal
// gains the lower column ranks first.
func rank(dst []framework.Feature, cluster int, selected []bool, gain []float64) []framework.Feature {
	order := make([]int, len(gain))
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case gain[a] > gain[b]:
			return -1
		case gain[a] < gain[b]:
			return 1
		default:
			return 0
		}
	})
	first := len(dst)
	for l := range gain {
		dst = append(dst, framework.Feature{Column: l, Cluster: cluster, Selected: selected[l], Weight: math.NaN(), Gain: gain[l]})
	}
	for r, l := range order {
		dst[first+l].Rank = r + 1
	}
	return dst
}
