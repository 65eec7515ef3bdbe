package conformance

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// unlabelled draws labels of which some are −1.
func (b *bed) unlabelled() []int32 {
	labels := b.start()
	for i := range labels {
		if b.rand.IntN(4) == 0 {
			labels[i] = -1
		}
	}
	return labels
}

func collectAdds(c *trial, s subject) {
	b := c.bed(s, want{})
	labels := b.unlabelled()
	want := b.collect(labels)
	twice := b.collectFrom(nil, labels, b.collect(labels))
	doubled := framework.NewStats(b.plan.Stats)
	doubled.Add(want)
	doubled.Add(want)
	b.sameStats(twice, doubled, labels,
		"Collect replaces what it should add to: collecting the labels %v twice does not give twice the statistics", labels)
	zeros := framework.NewStats(b.plan.Stats)
	b.sameStats(b.collect(nobody(b.p.N)), zeros, labels, "rows with the label −1 contribute")
	from := b.collectFrom(nobody(b.p.N), labels, zeros)
	b.sameStats(from, want, labels, "from = −1 for every row is not the same as no from")
}

// nobody returns labels of rows that are in no cluster.
func nobody(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

func movedSums(c *trial, s subject) {
	b := c.bed(s, want{})
	from, to := b.unlabelled(), b.unlabelled()
	for i := range to { // most rows stay, as in a fit
		if c.rand.IntN(2) == 0 {
			to[i] = from[i]
		}
	}
	moved := b.collectFrom(from, to, b.collect(from))
	b.sameStats(moved, b.collect(to), b.labels, "moving from the labels %v to %v does not give the statistics of the new labels", from, to)
}

func merges(c *trial, s subject) {
	b := c.bed(s, want{})
	labels := b.unlabelled()
	whole := b.cut(b.p.N).collect(labels)
	for _, size := range []int{1 + b.p.N/50, 1 + b.p.N/2, b.rows.blockRows} {
		parts := b.cut(size)
		b.sameStats(parts.collect(labels), whole, labels,
			"blocks of %d rows, the last of %d, do not give the statistics of one block of %d", size, lastOf(b.p.N, size), b.p.N)
		backwards := framework.NewStats(b.plan.Stats)
		for i := parts.data.Blocks() - 1; i >= 0; i-- {
			part := framework.NewStats(b.plan.Stats)
			parts.collectBlock(i, nil, labels, part)
			backwards.Add(part)
		}
		b.sameStats(backwards, whole, labels, "blocks of %d rows, taken from the last to the first, do not give the statistics of one block",
			size)
	}
}

// cut returns the same rows in blocks of another size.
func (b *bed) cut(size int) *bed {
	rows := b.rows
	rows.blockRows = size
	return b.with(rows)
}

// lastOf is the number of rows of the last block.
func lastOf(n, size int) int { return n - (n-1)/size*size }

func blocks(c *trial, s subject) {
	b := c.bed(s, want{})
	whole := b.cut(b.p.N)
	m := whole.model(b.labels)
	labels, distances := whole.assign(m, b.labels), whole.distances(m)
	for _, size := range []int{1 + b.p.N/50, 1 + b.p.N/2, b.rows.blockRows} {
		parts := b.cut(size)
		b.sameLabels(parts.assign(m.Clone(), b.labels), labels, "blocks of %d rows, the last of %d, give other labels than one block of %d",
			size, lastOf(b.p.N, size), b.p.N)
		if i := differ(parts.distances(m.Clone()).Data, distances.Data); i >= 0 {
			c.failf("blocks of %d rows give row %d another distance than one block of %d", size, i/b.p.K, b.p.N)
		}
		if m.Selected == nil { // gains that are equal but for rounding select other features
			b.close(parts.model(b.labels).Centers.Data, m.Centers.Data, "the centers of rows in small blocks, and in one")
		}
	}
}

// masses returns the weight of each cluster's rows.
func (b *bed) masses(labels []int32) []float64 {
	mass := make([]float64, b.p.K)
	for i, j := range labels {
		mass[j] += b.rows.weight(i)
	}
	return mass
}

func masses(c *trial, s subject) {
	b := c.bed(s, want{})
	m, want := b.c.Begin(), b.masses(b.labels)
	for range 2 {
		step := b.update(m, b.labels)
		if len(step.Mass) != b.p.K {
			c.failf("Step.Mass has %d numbers for %d clusters", len(step.Mass), b.p.K)
		}
		for j, got := range step.Mass {
			if math.Abs(got-want[j]) > 1e-12*b.p.Mass {
				c.failf("the mass of cluster %d is %v, but its rows weigh %v: Mass is %v, and should be %v", j, got, want[j], step.Mass, want)
			}
		}
		b.project(m, step)
	}
}

// weights compares rows of whole weights with repeated rows.
func weights(c *trial, s subject) {
	b := c.bed(s, want{smooth: true, plain: true})
	rows := sample{b.rows.x, make([]float64, b.p.N), b.rows.blockRows}
	repeated := sample{framework.Matrix{Cols: b.p.P}, nil, b.rows.blockRows}
	var labels []int32
	for i, j := range b.labels {
		w := c.between(0, 3)
		if i == slices.Index(b.labels, j) {
			w = max(w, 1) // so that no cluster is empty
		}
		rows.weights[i] = float64(w)
		for range w {
			repeated.x.Data = append(repeated.x.Data, b.rows.x.Row(i)...)
			labels = append(labels, j)
		}
	}
	repeated.x.Rows = len(labels)
	c.given("weights of the rows %v, against rows that are repeated so often", rows.weights)
	heavy, many := b.with(rows), b.with(repeated)
	m, other := heavy.model(b.labels), many.model(labels)
	b.close(m.Centers.Data, other.Centers.Data, "the centers of weighted rows, and of repeated ones")
	b.close(m.FeatureWeights, other.FeatureWeights, "the feature weights of weighted rows, and of repeated ones")
	got, want := heavy.update(m, b.labels).Objective, many.update(other, labels).Objective
	if math.Abs(got-want) > 1e-9*many.total() {
		c.failf("the objective is %v with weights, and %v with repeated rows", got, want)
	}
}

// parts collects whole rows first: what is remembered of their weights is wrong then.
func parts(c *trial, s subject) {
	if !c.description(s).Trims {
		c.skipf("the algorithm trims no rows")
	}
	b := c.bed(s, want{smooth: true, plain: true, shape: func(c *trial) (int, int, int) {
		return c.between(6, 6+2*c.size), c.between(1, 4), c.between(1, 3)
	}})
	whole := sample{b.rows.x, slices.Repeat([]float64{3}, b.p.N), b.rows.blockRows}
	kept := sample{b.rows.x, slices.Clone(whole.weights), b.rows.blockRows}
	part, out := c.rand.IntN(b.p.N), c.rand.IntN(b.p.N-1)
	if out >= part {
		out++
	}
	kept.weights[part], kept.weights[out] = 1, 0
	labels := slices.Clone(b.labels)
	labels[out] = -1
	c.given("rows of weight 3, of which 1 counts of row %d, and nothing of row %d", part, out)
	trimmed, other := b.with(whole), b.with(kept)
	trimmed.model(b.labels)
	trimmed.part = &framework.Part{Row: part, Weight: 1}
	m, n := trimmed.model(labels), other.model(b.labels)
	b.close(m.Centers.Data, n.Centers.Data, "the centers with a part of a row, and of a row of that weight")
	b.close(m.FeatureWeights, n.FeatureWeights, "the feature weights with a part of a row, and of a row of that weight")
}

// close fails if two lists differ by more than rounding.
func (b *bed) close(got, want []float64, what string) {
	if len(got) != len(want) {
		b.failf("%s: %d and %d numbers", what, len(got), len(want))
	}
	scale := max(largest(want), b.extent())
	for i, v := range got {
		if d := math.Abs(v - want[i]); !(d <= 1e-9*scale) {
			b.failf("%s: entry %d is %v, and %v", what, i, v, want[i])
		}
	}
}

func emptyCluster(c *trial, s subject) {
	b := c.bed(s, want{shape: func(c *trial) (int, int, int) { return c.between(4, 4+2*c.size), c.between(1, 4), c.between(2, 4) }})
	gone := int32(c.rand.IntN(b.p.K))
	labels := slices.Clone(b.labels)
	for i, j := range labels {
		if j == gone {
			labels[i] = (gone + 1) % int32(b.p.K)
		}
	}
	c.given("no row of cluster %d: labels %v", gone, labels)
	m := b.c.Begin()
	for range 3 {
		step := b.update(m, labels)
		if notFinite(step.Objective) {
			c.failf("the objective is %v", step.Objective)
		}
		if len(step.Mass) == b.p.K && step.Mass[gone] != 0 {
			c.failf("the mass of the cluster without rows is %v", step.Mass[gone])
		}
		b.project(m, step)
		if slices.ContainsFunc(m.Centers.Data, notFinite) {
			c.failf("the centers are %v: that of a cluster without rows must be finite", rowsOf(m.Centers))
		}
	}
	b.assign(m, labels)
	b.emptied(labels, gone)
}

// emptied moves the rows of a cluster away, as a driver does. Sums of weights such as
// 0.1 leave a rest then, which is no row.
func (b *bed) emptied(labels []int32, gone int32) {
	rows := b.rows
	rows.weights = make([]float64, b.p.N)
	for i := range rows.weights {
		rows.weights[i] = float64(b.between(1, 9)) / 10
	}
	b.given("the rows of cluster %d are moved away, with the weights %v", gone, rows.weights)
	w := b.with(rows)
	m := w.model(b.labels)
	anew := w.collect(labels)
	moved := w.collectFrom(b.labels, labels, w.collect(b.labels))
	want := w.updateFrom(m, anew, labels)
	if want.At[framework.Centers] == nil {
		return
	}
	x := want.At[framework.Centers].X.Clone()
	got := w.updateFrom(m, moved, labels)
	scale := max(1, largest(b.rows.observed()), largest(x.Data))
	for l, v := range got.At[framework.Centers].X.Row(int(gone)) {
		if d := math.Abs(v - x.Row(int(gone))[l]); !(d <= 1e-6*scale) {
			b.failf("cluster %d has lost its rows, and its point has %v in column %d; it has %v if the statistics are collected anew: "+
				"a rest of rounding is taken for rows", gone, v, l, x.Row(int(gone))[l])
		}
	}
}

// observed returns the cells that are not missing.
func (s sample) observed() []float64 {
	return slices.DeleteFunc(slices.Clone(s.x.Data), func(v float64) bool { return v != v })
}

// massesOff returns how far the row masses of centers are from the weights of the rows
// of each cluster, as a part of all.
func (b *bed) massesOff(m *framework.Model, labels []int32) (off float64) {
	want := make([]float64, b.p.K)
	for i, j := range labels {
		if j >= 0 {
			want[j] += b.rows.weight(i)
		}
	}
	at := b.update(m, labels).At[framework.Centers]
	if at == nil || at.RowMass == nil {
		return 0
	}
	var all, sum float64
	for j, v := range at.RowMass {
		all, sum = all+want[j], sum+v
	}
	for j, v := range at.RowMass {
		off = max(off, math.Abs(v/sum-want[j]/all))
	}
	return off
}

// unlabelledRows gives rows without a label a weight of 0 in their place.
func unlabelledRows(c *trial, s subject) {
	b := c.bed(s, want{smooth: true, plain: true, complete: true, shape: func(c *trial) (int, int, int) {
		return c.between(6, 6+2*c.size), c.between(1, 4), c.between(2, 4)
	}})
	labels := slices.Clone(b.labels)
	left := sample{b.rows.x, slices.Repeat([]float64{1}, b.p.N), b.rows.blockRows}
	seen := map[int32]bool{}
	for i, j := range labels {
		if seen[j] && c.rand.IntN(3) == 0 {
			labels[i], left.weights[i] = -1, 0
		}
		seen[j] = true
	}
	c.given("rows without a label, against rows of weight 0: %v", labels)
	other := *b
	other.rows, other.p.Weighted = left, true
	if err := other.rebind(); err != nil {
		c.skipf("rows of weight 0 are refused: %v", err)
	}
	m, n := b.model(labels), other.model(b.labels)
	b.close(m.Centers.Data, n.Centers.Data, "the centers where some rows have no label, and where these have weight 0")
	b.close(m.FeatureWeights, n.FeatureWeights, "the feature weights where some rows have no label, and where these have weight 0")
	if off := b.massesOff(m, b.labels); off > 1e-9 {
		return // the method weighs centers by other masses
	}
	if off := b.massesOff(m, labels); off > 1e-9 {
		c.failf("where all rows have labels, row masses are as the weights of the clusters' rows; where some have none, they are off by a part of %.3g", off)
	}
}
