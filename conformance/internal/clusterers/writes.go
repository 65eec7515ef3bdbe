package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// margin is how many entries lie behind the memory that a step may write to.
const margin = 7

func ownRows(c *judge.Trial, s testbed.Subject) {
	if s.Served() {
		c.Skipf("a process cannot write to the memory of its host")
	}
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	b.Prepare(m)
	x, w := b.Data.Matrix().Clone(), slices.Clone(b.Data.Weights())
	for i := range b.Data.Blocks() {
		block := b.Data.Block(i)
		labels := slices.Clone(b.Labels)
		own := labels[block.Row0 : block.Row0+block.X.Rows] // with room behind it: the labels of other blocks
		b.OK(b.Clusterer.Assign(m, block, own, b.Clusterer.Scratch(block.X.Rows)), "Assign")
		for r, j := range labels {
			if outside := r < block.Row0 || r >= block.Row0+block.X.Rows; outside && j != b.Labels[r] {
				c.Failf("Assign of rows %d to %d has changed the label of row %d from %d to %d",
					block.Row0, block.Row0+block.X.Rows-1, r, b.Labels[r], j)
			}
		}
		d := guarded(block.X.Rows*b.K + margin)
		b.OK(b.Clusterer.Distances(m, block, framework.Matrix{Rows: block.X.Rows, Cols: b.K, Data: d[:block.X.Rows*b.K]}), "Distances")
		if !intact(d[block.X.Rows*b.K:]) {
			c.Failf("Distances of block %d writes behind the end of dst", i)
		}
		stats, behind := guardedStats(b.Plan.Stats)
		b.CollectBlock(i, nil, b.Labels, stats)
		for t, v := range behind {
			if !intact(v) {
				c.Failf("Collect of block %d writes behind the end of %q", i, b.Plan.Stats[t].Name)
			}
		}
	}
	if judge.Differ(x.Data, b.Data.Matrix().Data) >= 0 || judge.Differ(w, b.Data.Weights()) >= 0 {
		c.Failf("a step has written to the rows or their weights, which are read-only")
	}
}

// sentinel is a NaN whose bits no computation produces.
var sentinel = math.Float64frombits(0x7ff8_dead_beef_0001)

func guarded(n int) []float64 { return slices.Repeat([]float64{sentinel}, n) }

func intact(v []float64) bool { return judge.Differ(v, guarded(len(v))) < 0 }

func guardedStats(declared []framework.Stat) (stats framework.Stats, behind [][]float64) {
	for _, d := range declared {
		all := guarded(d.Len + margin)
		clear(all[:d.Len])
		stats, behind = append(stats, all[:d.Len]), append(behind, all[d.Len:])
	}
	return stats, behind
}

func projectAlone(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	before := m.Clone()
	unchanged := func(step string) { b.SameModel(before, m, "%s writes to the model, which Project alone does", step) }
	stats := b.Collect(b.Labels)
	unchanged("Collect")
	kept, labels := framework.NewStats(b.Plan.Stats), slices.Clone(b.Labels)
	kept.Add(stats)
	first := b.UpdateFrom(m, stats, labels)
	objective, at := first.Objective, first.At[framework.Centers]
	unchanged("Update")
	for t, v := range stats {
		if i := judge.Differ(kept[t], v); i >= 0 {
			c.Failf("Update writes to the statistics: entry %d of %q is %v and was %v", i, b.Plan.Stats[t].Name, v[i], kept[t][i])
		}
	}
	if !slices.Equal(labels, b.Labels) {
		c.Failf("Update writes to the labels")
	}
	var x framework.Matrix
	if at != nil {
		x = at.X.Clone()
	}
	second := b.UpdateFrom(m, stats, labels)
	if !judge.SameBits(second.Objective, objective) {
		c.Failf("Update gives the objective %v once, and %v another time", objective, second.Objective)
	}
	if at != nil && judge.Differ(x.Data, second.At[framework.Centers].X.Data) >= 0 {
		c.Failf("Update gives the point %v once, and %v another time", judge.RowsOf(x), judge.RowsOf(second.At[framework.Centers].X))
	}
	b.Assign(m, b.Labels)
	unchanged("Assign")
	b.Distances(m)
	unchanged("Distances")
	if selector, ok := framework.As[framework.Selector](b.Clusterer); ok {
		selector.Features(m)
		unchanged("Features")
	}
}
