package conformance

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

func labelled(c *trial, s subject) {
	b := c.bed(s, want{})
	m := b.model(b.labels)
	b.assign(m, nobody(b.p.N)) // checks labels
	b.assign(m, b.labels)
}

func nearest(c *trial, s subject) {
	b := c.bed(s, want{})
	m := b.model(b.labels)
	labels, d := b.assign(m, b.labels), b.distances(m)
	scale := largest(d.Data)
	for i, j := range labels {
		if slices.ContainsFunc(b.rows.x.Row(i), math.IsNaN) {
			continue
		}
		least := slices.Min(d.Row(i))
		if over := d.Row(i)[j] - least; over > 1e-9*scale {
			c.failf("row %d has the label %d at distance %v, but center %d is at %v; centers %s",
				i, j, d.Row(i)[j], slices.Index(d.Row(i), least), least, rowsOf(m.Centers))
		}
	}
}

// tied makes clusters of equal rows, so that their centers are equal.
func tied(c *trial, s subject) {
	b := c.bed(s, want{shape: func(c *trial) (int, int, int) {
		if c.grown() {
			return 70, c.between(1, 4), c.between(3, 65)
		}
		return c.between(2, 2+c.size), c.between(1, 4), c.between(1, 2)
	}, plain: true})
	n := b.p.N
	rows := sample{framework.NewMatrix(2*n, b.p.P), nil, c.between(1, 2*n)}
	labels := make([]int32, 2*n)
	for i := range n {
		copy(rows.x.Row(2*i), b.rows.x.Row(i))
		copy(rows.x.Row(2*i+1), b.rows.x.Row(i))
		first := b.labels[i]
		labels[2*i], labels[2*i+1] = first, first+int32(b.p.K)
	}
	twins := *b
	twins.p.K *= 2
	if err := twins.bind(rows); err != nil {
		c.skipf("the algorithm refuses twice the clusters: %v", err)
	}
	c.given("each row given twice, in blocks of %d, with the labels %v", rows.blockRows, labels)
	m := twins.model(labels)
	got, d := twins.assign(m, labels), twins.distances(m)
	seen := false
	for i, j := range got {
		for other := range int(j) {
			if slices.Equal(m.Centers.Row(other), m.Centers.Row(int(j))) {
				c.failf("row %d goes to center %d, though center %d is equal, %v, and has the lower index (distances %v)",
					i, j, other, m.Centers.Row(other), d.Row(i))
			}
		}
		for other := range twins.p.K {
			seen = seen || other != int(j) && slices.Equal(m.Centers.Row(other), m.Centers.Row(int(j)))
		}
	}
	if !seen {
		c.skipf("clusters of equal rows do not get equal centers")
	}
}

// margin is how many entries lie behind the memory that a step may write to.
const margin = 7

func ownRows(c *trial, s subject) {
	if s.served() {
		c.skipf("a process cannot write to the memory of its host")
	}
	b := c.bed(s, want{})
	m := b.model(b.labels)
	b.prepare(m)
	x, w := b.data.Matrix().Clone(), slices.Clone(b.data.Weights())
	for i := range b.data.Blocks() {
		block := b.data.Block(i)
		labels := slices.Clone(b.labels)
		own := labels[block.Row0 : block.Row0+block.X.Rows] // with room behind it: the labels of other blocks
		b.ok(b.c.Assign(m, block, own, b.c.Scratch(block.X.Rows)), "Assign")
		for r, j := range labels {
			if outside := r < block.Row0 || r >= block.Row0+block.X.Rows; outside && j != b.labels[r] {
				c.failf("Assign of rows %d to %d has changed the label of row %d from %d to %d",
					block.Row0, block.Row0+block.X.Rows-1, r, b.labels[r], j)
			}
		}
		d := guarded(block.X.Rows*b.p.K + margin)
		b.ok(b.c.Distances(m, block, framework.Matrix{Rows: block.X.Rows, Cols: b.p.K, Data: d[:block.X.Rows*b.p.K]}), "Distances")
		if !intact(d[block.X.Rows*b.p.K:]) {
			c.failf("Distances of block %d writes behind the end of dst", i)
		}
		stats, behind := guardedStats(b.plan.Stats)
		b.collectBlock(i, nil, b.labels, stats)
		for t, v := range behind {
			if !intact(v) {
				c.failf("Collect of block %d writes behind the end of %q", i, b.plan.Stats[t].Name)
			}
		}
	}
	if differ(x.Data, b.data.Matrix().Data) >= 0 || differ(w, b.data.Weights()) >= 0 {
		c.failf("a step has written to the rows or their weights, which are read-only")
	}
}

// sentinel is a NaN whose bits no computation produces.
var sentinel = math.Float64frombits(0x7ff8_dead_beef_0001)

func guarded(n int) []float64 { return slices.Repeat([]float64{sentinel}, n) }

func intact(v []float64) bool { return differ(v, guarded(len(v))) < 0 }

func guardedStats(declared []framework.Stat) (stats framework.Stats, behind [][]float64) {
	for _, d := range declared {
		all := guarded(d.Len + margin)
		clear(all[:d.Len])
		stats, behind = append(stats, all[:d.Len]), append(behind, all[d.Len:])
	}
	return stats, behind
}

func rowsAlone(c *trial, s subject) {
	b := c.bed(s, want{})
	m := b.model(b.labels)
	labels := b.assign(m, b.labels)
	for range 3 {
		i := c.rand.IntN(b.p.N)
		present := b.unlabelled()
		present[i] = b.labels[i]
		if got := b.assign(m.Clone(), present); got[i] != labels[i] {
			c.failf("row %d gets the label %d when other rows have the labels %v, and %d when they have the start's", i, got[i], present, labels[i])
		}
	}
	order := c.rand.Perm(b.p.N)
	rows := sample{framework.NewMatrix(b.p.N, b.p.P), slices.Clone(b.rows.weights), b.rows.blockRows}
	present := make([]int32, b.p.N)
	for to, from := range order {
		copy(rows.x.Row(to), b.rows.x.Row(from))
		present[to] = b.labels[from]
		if rows.weights != nil {
			rows.weights[to] = b.rows.weights[from]
		}
	}
	shuffled := *b
	shuffled.rows = rows // but the same columns: their sums would be rounded differently
	shuffled.c, shuffled.data = nil, nil
	if err := shuffled.rebind(); err != nil {
		c.failf("New refuses the rows in another order: %v", err)
	}
	got := shuffled.assign(m.Clone(), present)
	for to, from := range order {
		if got[to] != labels[from] {
			c.failf("row %d has label %d, and %d when it is row %d: the label depends on its place or its neighbours",
				from, labels[from], got[to], to)
		}
	}
}

func projectAlone(c *trial, s subject) {
	b := c.bed(s, want{})
	m := b.model(b.labels)
	before := m.Clone()
	unchanged := func(step string) { b.sameModel(before, m, "%s writes to the model, which Project alone does", step) }
	stats := b.collect(b.labels)
	unchanged("Collect")
	kept, labels := framework.NewStats(b.plan.Stats), slices.Clone(b.labels)
	kept.Add(stats)
	first := b.updateFrom(m, stats, labels)
	objective, at := first.Objective, first.At[framework.Centers]
	unchanged("Update")
	for t, v := range stats {
		if i := differ(kept[t], v); i >= 0 {
			c.failf("Update writes to the statistics: entry %d of %q is %v and was %v", i, b.plan.Stats[t].Name, v[i], kept[t][i])
		}
	}
	if !slices.Equal(labels, b.labels) {
		c.failf("Update writes to the labels")
	}
	var x framework.Matrix
	if at != nil {
		x = at.X.Clone()
	}
	second := b.updateFrom(m, stats, labels)
	if !sameBits(second.Objective, objective) {
		c.failf("Update gives the objective %v once, and %v another time", objective, second.Objective)
	}
	if at != nil && differ(x.Data, second.At[framework.Centers].X.Data) >= 0 {
		c.failf("Update gives the point %v once, and %v another time", rowsOf(x), rowsOf(second.At[framework.Centers].X))
	}
	b.assign(m, b.labels)
	unchanged("Assign")
	b.distances(m)
	unchanged("Distances")
	if selector, ok := framework.As[framework.Selector](b.c); ok {
		selector.Features(m)
		unchanged("Features")
	}
}

func missing(c *trial, s subject) {
	b := c.bed(s, want{missing: true})
	m := b.model(b.labels)
	rows := b.rows
	rows.x = rows.x.Clone()
	empty := c.rand.IntN(b.p.N)
	for l := range b.p.P {
		rows.x.Row(empty)[l] = math.NaN()
	}
	other := *b
	other.rows = rows
	other.p.Columns = slices.Clone(b.p.Columns)
	for l, column := range columnsOf(rows) {
		other.p.Columns[l].Missing = column.Missing
	}
	if err := other.rebind(); err != nil {
		c.skipf("a row without any cell is refused: %v", err)
	}
	d := other.distances(m.Clone())
	for j, v := range d.Row(empty) {
		if v != 0 {
			c.failf("row %d has no cell, but is at distance %v of center %d, %v", empty, v, j, m.Centers.Row(j))
		}
	}
	for i, v := range d.Data {
		if math.IsNaN(v) || v < 0 {
			c.failf("row %d, %v, is at distance %v of center %d", i/b.p.K, rows.x.Row(i/b.p.K), v, i%b.p.K)
		}
	}
	before := b.distances(m)
	if b.plan.Squared {
		b.losesCell(m, before)
	}
	for i := range b.p.N {
		if i != empty && differ(before.Row(i), d.Row(i)) >= 0 {
			c.failf("row %d has the distances %v, and %v when row %d loses its cells", i, before.Row(i), d.Row(i), empty)
		}
	}
}

// losesCell makes one cell missing: a sum of squares without one of them is no larger.
func (b *bed) losesCell(m *framework.Model, before framework.Matrix) {
	rows := b.rows
	rows.x = rows.x.Clone()
	i := b.rand.IntN(b.p.N)
	l := b.rand.IntN(b.p.P)
	rows.x.Row(i)[l] = math.NaN()
	other := *b
	other.rows = rows
	if err := other.rebind(); err != nil {
		return
	}
	for j, v := range other.distances(m.Clone()).Row(i) {
		if was := before.Row(i)[j]; v > was+1e-9*largest(before.Row(i)) {
			b.failf("row %d, %v, is at distance %v of center %d, and at %v without cell %d: missing cells are left out of the sum, and nothing makes up for them",
				i, b.rows.x.Row(i), was, j, v, l)
		}
	}
}

// finite looks at a model some rounds after the start. Its centers are near the
// rows, where a square that is computed in expanded form can fall below 0.
func finite(c *trial, s subject) {
	b := c.bed(s, want{})
	m, labels := b.rounds(someRounds, true)
	step := b.update(m, labels)
	if notFinite(step.Objective) {
		c.failf("the objective is %v", step.Objective)
	}
	for _, v := range slices.Concat(m.Centers.Data, m.FeatureWeights, m.Gain) {
		if notFinite(v) {
			c.failf("the model has the number %v: centers %v, feature weights %v, gains %v", v, rowsOf(m.Centers), m.FeatureWeights, m.Gain)
		}
	}
	for i, v := range b.distances(m).Data {
		if !(v >= 0) || math.IsInf(v, 0) {
			c.failf("row %d, %v, is at distance %v of center %d", i/b.p.K, b.rows.x.Row(i/b.p.K), v, i%b.p.K)
		}
	}
}
