package skfr

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

var _ framework.Pather = (*clusterer)(nil)

// Grid implements framework.Pather: numbers of features, or of groups where
// there are groups, from all of them down to 1, each number or in even
// proportions.
func (c *clusterer) Grid(_ *framework.Model, n int) []float64 {
	all := float64(c.groups)
	var grid []float64
	for i := range min(n, c.groups) {
		s := all - float64(i)
		if n < c.groups {
			s = math.Round(math.Pow(all, 1-float64(i)/max(1, float64(n-1))))
		}
		if len(grid) == 0 || s < grid[len(grid)-1] {
			grid = append(grid, s)
		}
	}
	return grid
}

// Features implements framework.Selector: one row a feature for scope=global,
// and one a feature and cluster for scope=local. Where nothing is selected, they
// have no ranks.
func (c *clusterer) Features(m *framework.Model) []framework.Feature {
	p := c.Problem.P
	if c.plain {
		return allSelected(m.Gain)
	}
	if !c.sparse.PerCenter {
		return c.rank(nil, -1, m.Selected, m.Gain)
	}
	var all []framework.Feature
	for j := range c.Problem.K {
		all = c.rank(all, j, m.Selected[j*p:(j+1)*p], m.Gain[j*p:(j+1)*p])
	}
	return all
}

// rank appends the features in column order, with their ranks: by the gain of
// their group, which is the sum of those of its features, and within the group by
// their own. Of equal gains the lower group or feature ranks first.
func (c *clusterer) rank(dst []framework.Feature, cluster int, selected []bool, gain []float64) []framework.Feature {
	order, group := make([]int, len(gain)), c.sparse.Groups
	for l := range order {
		order[l] = l
	}
	if group == nil {
		group = order
	}
	sums := make([]float64, c.groups)
	for l, g := range group {
		sums[g] += gain[l]
	}
	ranked := slices.Clone(order)
	slices.SortFunc(ranked, func(a, b int) int {
		return cmp.Or(cmp.Compare(sums[group[b]], sums[group[a]]), cmp.Compare(group[a], group[b]), cmp.Compare(gain[b], gain[a]),
			cmp.Compare(a, b))
	})
	first := len(dst)
	for l := range gain {
		dst = append(dst, framework.Feature{Column: l, Cluster: cluster, Selected: selected[l], Weight: math.NaN(), Gain: gain[l]})
	}
	for r, l := range ranked {
		dst[first+l].Rank = r + 1
	}
	return dst
}
