package conformance

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
)

func features(c *trial, s subject) {
	b := c.bed(s, want{})
	if c.index%4 == 0 { // equal columns, more than a sort by insertion takes
		b = b.twins(c.between(2, 20))
	}
	selector, ok := framework.As[framework.Selector](b.c)
	if !ok {
		c.skipf("the algorithm selects no features")
	}
	m := b.model(b.labels)
	all := selector.Features(m)
	first := slices.Clone(all)
	selector.Features(b.model(b.start()))
	for i, f := range all {
		if f.Column != first[i].Column || f.Rank != first[i].Rank || f.Selected != first[i].Selected || !sameBits(f.Gain, first[i].Gain) {
			c.failf("entry %d of the features is %+v, and was %+v before those of another model were asked for", i, f, first[i])
		}
	}
	if len(all) != b.p.P && len(all) != b.p.K*b.p.P {
		c.failf("%d features for %d columns and %d clusters", len(all), b.p.P, b.p.K)
	}
	b.consistent(m, all)
	if !slices.ContainsFunc(all, func(f framework.Feature) bool { return f.Rank != 0 || !f.Selected }) {
		c.skipf("the algorithm selects no features, and says only what they gain")
	}
	for from := 0; from < len(all); from += b.p.P {
		ranked := make([]*framework.Feature, b.p.P)
		for l := range b.p.P {
			f := &all[from+l]
			cluster := from / b.p.P
			if len(all) == b.p.P && f.Cluster == -1 {
				cluster = -1
			}
			if f.Column != l || f.Cluster != cluster {
				c.failf("entry %d is column %d of cluster %d; it must be column %d of cluster %d", from+l, f.Column, f.Cluster, l, cluster)
			}
			if f.Rank < 1 || f.Rank > b.p.P || ranked[f.Rank-1] != nil {
				c.failf("the rank %d of column %d is out of 1 to %d, or there twice", f.Rank, l, b.p.P)
			}
			ranked[f.Rank-1] = f
		}
		b.countsDown(ranked)
	}
}

// twins returns the problem with a column given several times.
func (b *bed) twins(times int) *bed {
	rows := b.rows
	rows.x = framework.NewMatrix(b.p.N, b.p.P+times)
	for i := range b.p.N {
		copy(rows.x.Row(i), b.rows.x.Row(i))
		for t := range times {
			rows.x.Row(i)[b.p.P+t] = b.rows.x.Row(i)[0]
		}
	}
	b.given("column 0 is given %d times more", times)
	return b.with(rows)
}

// countsDown fails unless gains fall as ranks grow. With groups, that holds within
// each group, whose features must have consecutive ranks.
func (b *bed) countsDown(ranked []*framework.Feature) {
	group := func(f *framework.Feature) int {
		if b.p.Groups == nil {
			return 0
		}
		return b.p.Columns[f.Column].Group
	}
	seen := map[int]bool{group(ranked[0]): true}
	for r := 1; r < len(ranked); r++ {
		before, f := ranked[r-1], ranked[r]
		switch {
		case group(before) != group(f):
			if seen[group(f)] {
				b.failf("rank %d is of group %d, and rank %d of another, but a rank before is of that group too", r+1, group(f), r)
			}
			seen[group(f)] = true
		case f.Gain > before.Gain:
			b.failf("rank %d has the gain %v, and rank %d the larger %v", r, before.Gain, r+1, f.Gain)
		case sameBits(f.Gain, before.Gain) && f.Column < before.Column && (f.Weight != f.Weight || sameBits(f.Weight, before.Weight)):
			b.failf("columns %d and %d have the gain %v, but the later one has rank %d, and the earlier one %d", f.Column, before.Column,
				f.Gain, r, r+1)
		}
	}
}

// consistent holds features against each other and against the model.
func (b *bed) consistent(m *framework.Model, all []framework.Feature) {
	for i, f := range all {
		if notFinite(f.Gain) || math.IsInf(f.Weight, 0) || math.IsNaN(f.Weight) != (m.FeatureWeights == nil) {
			b.failf("entry %d of the features has the gain %v and the weight %v; a weight is NaN where the method has none, and finite elsewhere",
				i, f.Gain, f.Weight)
		}
		if l := i % b.p.P; m.FeatureWeights != nil && !sameBits(f.Weight, m.FeatureWeights[l]) {
			b.failf("column %d has the weight %v, and %v in the model", l, f.Weight, m.FeatureWeights[l])
		}
		if len(m.Selected) == len(all) && f.Selected != m.Selected[i] {
			b.failf("entry %d of the features says Selected: %v, and the model %v", i, f.Selected, m.Selected[i])
		}
		for j := range b.p.K {
			theta := m.Centers.Row(j)[i%b.p.P]
			if !f.Selected && theta != 0 && m.FeatureWeights == nil && (f.Cluster < 0 || f.Cluster == j) {
				b.failf("column %d is not selected, but is %v in center %d", i%b.p.P, theta, j)
			}
		}
	}
}

func grids(c *trial, s subject) {
	d := c.description(s)
	if d.Path == "" {
		c.skipf("the algorithm has no path")
	}
	b := c.bed(s, want{})
	pather, ok := framework.As[framework.Pather](b.c)
	if !ok {
		c.failf("the description says that %s has a path, but the clusterer is not a framework.Pather", d.Path)
	}
	param, _ := d.Param(d.Path)
	count := c.between(1, 12)
	grid := pather.Grid(b.model(b.labels), count)
	if len(grid) == 0 || len(grid) > count {
		c.failf("the grid of at most %d values of %s is %v", count, d.Path, grid)
	}
	for i, v := range grid {
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if _, err := param.Parse(text); err != nil {
			c.failf("value %d of the grid %v is no value of %s: %v", i, grid, d.Path, err)
		}
		if i > 0 && (d.Looser == framework.Up && v > grid[i-1] || d.Looser == framework.Down && v < grid[i-1]) {
			c.failf("the grid %v of %s does not go from the least sparse value to the sparsest: the looser ones are %s",
				grid, d.Path, fmt.Sprintf("those further %s", d.Looser))
		}
	}
}
