package clusterers

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

func features(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	if c.Index%4 == 0 { // equal columns, more than a sort by insertion takes
		b = twins(b, c.Between(2, 20))
	}
	selector, ok := framework.As[framework.Selector](b.Clusterer)
	if !ok {
		c.Skipf("the algorithm selects no features")
	}
	m := b.Model(b.Labels)
	all := selector.Features(m)
	first := slices.Clone(all)
	selector.Features(b.Model(b.Start()))
	for i, f := range all {
		if f.Column != first[i].Column || f.Rank != first[i].Rank || f.Selected != first[i].Selected || !judge.SameBits(f.Gain, first[i].Gain) {
			c.Failf("entry %d of the features is %+v, and was %+v before those of another model were asked for", i, f, first[i])
		}
	}
	if len(all) != b.P && len(all) != b.K*b.P {
		c.Failf("%d features for %d columns and %d clusters", len(all), b.P, b.K)
	}
	consistent(b, m, all)
	if !slices.ContainsFunc(all, func(f framework.Feature) bool { return f.Rank != 0 || !f.Selected }) {
		c.Skipf("the algorithm selects no features, and says only what they gain")
	}
	for from := 0; from < len(all); from += b.P {
		ranked := make([]*framework.Feature, b.P)
		for l := range b.P {
			f := &all[from+l]
			cluster := from / b.P
			if len(all) == b.P && f.Cluster == -1 {
				cluster = -1
			}
			if f.Column != l || f.Cluster != cluster {
				c.Failf("entry %d is column %d of cluster %d; it must be column %d of cluster %d", from+l, f.Column, f.Cluster, l, cluster)
			}
			if f.Rank < 1 || f.Rank > b.P || ranked[f.Rank-1] != nil {
				c.Failf("the rank %d of column %d is out of 1 to %d, or there twice", f.Rank, l, b.P)
			}
			ranked[f.Rank-1] = f
		}
		countsDown(b, ranked)
	}
}

// twins returns the problem with a column given several times.
func twins(b *testbed.Bed, times int) *testbed.Bed {
	rows := b.Rows
	rows.X = framework.NewMatrix(b.N, b.P+times)
	for i := range b.N {
		copy(rows.X.Row(i), b.Rows.X.Row(i))
		for t := range times {
			rows.X.Row(i)[b.P+t] = b.Rows.X.Row(i)[0]
		}
	}
	b.Given("column 0 is given %d times more", times)
	return b.With(rows)
}

// countsDown fails unless gains fall as ranks grow. With groups, that holds within
// each group, whose features must have consecutive ranks.
func countsDown(b *testbed.Bed, ranked []*framework.Feature) {
	group := func(f *framework.Feature) int {
		if b.Groups == nil {
			return 0
		}
		return b.Columns[f.Column].Group
	}
	seen := map[int]bool{group(ranked[0]): true}
	for r := 1; r < len(ranked); r++ {
		before, f := ranked[r-1], ranked[r]
		switch {
		case group(before) != group(f):
			if seen[group(f)] {
				b.Failf("rank %d is of group %d, and rank %d of another, but a rank before is of that group too", r+1, group(f), r)
			}
			seen[group(f)] = true
		case f.Gain > before.Gain:
			b.Failf("rank %d has the gain %v, and rank %d the larger %v", r, before.Gain, r+1, f.Gain)
		case judge.SameBits(f.Gain, before.Gain) && f.Column < before.Column && (f.Weight != f.Weight || judge.SameBits(f.Weight, before.Weight)):
			b.Failf("columns %d and %d have the gain %v, but the later one has rank %d, and the earlier one %d", f.Column, before.Column,
				f.Gain, r, r+1)
		}
	}
}

// consistent holds features against each other and against the model.
func consistent(b *testbed.Bed, m *framework.Model, all []framework.Feature) {
	for i, f := range all {
		if judge.NotFinite(f.Gain) || math.IsInf(f.Weight, 0) || math.IsNaN(f.Weight) != (m.FeatureWeights == nil) {
			b.Failf("entry %d of the features has the gain %v and the weight %v; a weight is NaN where the method has none, and finite elsewhere",
				i, f.Gain, f.Weight)
		}
		if l := i % b.P; m.FeatureWeights != nil && !judge.SameBits(f.Weight, m.FeatureWeights[l]) {
			b.Failf("column %d has the weight %v, and %v in the model", l, f.Weight, m.FeatureWeights[l])
		}
		if len(m.Selected) == len(all) && f.Selected != m.Selected[i] {
			b.Failf("entry %d of the features says Selected: %v, and the model %v", i, f.Selected, m.Selected[i])
		}
		for j := range b.K {
			theta := m.Centers.Row(j)[i%b.P]
			if !f.Selected && theta != 0 && m.FeatureWeights == nil && (f.Cluster < 0 || f.Cluster == j) {
				b.Failf("column %d is not selected, but is %v in center %d", i%b.P, theta, j)
			}
		}
	}
}

func grids(c *judge.Trial, s testbed.Subject) {
	d := testbed.Describe(c, s)
	if d.Path == "" {
		c.Skipf("the algorithm has no path")
	}
	b := testbed.Draw(c, s, testbed.Want{})
	pather, ok := framework.As[framework.Pather](b.Clusterer)
	if !ok {
		c.Failf("the description says that %s has a path, but the clusterer is not a framework.Pather", d.Path)
	}
	param, _ := d.Param(d.Path)
	count := c.Between(1, 12)
	grid := pather.Grid(b.Model(b.Labels), count)
	if len(grid) == 0 || len(grid) > count {
		c.Failf("the grid of at most %d values of %s is %v", count, d.Path, grid)
	}
	for i, v := range grid {
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if _, err := param.Parse(text); err != nil {
			c.Failf("value %d of the grid %v is no value of %s: %v", i, grid, d.Path, err)
		}
		if i > 0 && (d.Looser == framework.Up && v > grid[i-1] || d.Looser == framework.Down && v < grid[i-1]) {
			c.Failf("the grid %v of %s does not go from the least sparse value to the sparsest: the looser ones are %s",
				grid, d.Path, fmt.Sprintf("those further %s", d.Looser))
		}
	}
}
