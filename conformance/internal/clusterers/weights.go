package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// splitRows divides every row into two that share its weight.
func splitRows(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Plain: true})
	n := b.N
	whole := cases.Sample{X: b.Rows.X, Weights: cases.Weights(c, n), BlockRows: b.Rows.BlockRows}
	for i, w := range whole.Weights { // no cluster is empty
		if w == 0 {
			whole.Weights[i] = 0.5
		}
	}
	halves := cases.Sample{X: framework.NewMatrix(2*n, b.P), Weights: make([]float64, 2*n), BlockRows: b.Rows.BlockRows}
	labels := slices.Concat(b.Labels, b.Labels)
	for i := range n {
		part := whole.Weights[i] * float64(c.Between(1, 7)) / 8
		halves.Weights[i], halves.Weights[n+i] = part, whole.Weights[i]-part
		copy(halves.X.Row(i), b.Rows.X.Row(i))
		copy(halves.X.Row(n+i), b.Rows.X.Row(i))
	}
	c.Given("weights of the rows %v, and then row i divided into rows i and %d + i of the weights %v", whole.Weights, n, halves.Weights)
	one, two := b.With(whole), b.With(halves)
	m, other := one.Model(b.Labels), two.Model(labels)
	one.Near(other.Centers.Data, m.Centers.Data, "the centers of divided rows, and of whole ones")
	one.Near(other.FeatureWeights, m.FeatureWeights, "the feature weights of divided rows, and of whole ones")
	one.Near(other.Gain, m.Gain, "the gains of divided rows, and of whole ones")
	got, want := two.Update(other, labels).Objective, one.Update(m, b.Labels).Objective
	if !(math.Abs(got-want) <= 1e-9*(one.Total()+math.Abs(want))) {
		c.Failf("the objective is %v with divided rows, and %v with whole ones", got, want)
	}
}

// weights compares rows of whole weights with repeated rows.
func weights(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Plain: true})
	rows := cases.Sample{X: b.Rows.X, Weights: make([]float64, b.N), BlockRows: b.Rows.BlockRows}
	repeated := cases.Sample{X: framework.Matrix{Cols: b.P}, BlockRows: b.Rows.BlockRows}
	var labels []int32
	for i, j := range b.Labels {
		w := c.Between(0, 3)
		if i == slices.Index(b.Labels, j) {
			w = max(w, 1) // so that no cluster is empty
		}
		rows.Weights[i] = float64(w)
		for range w {
			repeated.X.Data = append(repeated.X.Data, b.Rows.X.Row(i)...)
			labels = append(labels, j)
		}
	}
	repeated.X.Rows = len(labels)
	c.Given("weights of the rows %v, against rows that are repeated so often", rows.Weights)
	heavy, many := b.With(rows), b.With(repeated)
	m, other := heavy.Model(b.Labels), many.Model(labels)
	b.Near(m.Centers.Data, other.Centers.Data, "the centers of weighted rows, and of repeated ones")
	b.Near(m.FeatureWeights, other.FeatureWeights, "the feature weights of weighted rows, and of repeated ones")
	got, want := heavy.Update(m, b.Labels).Objective, many.Update(other, labels).Objective
	if math.Abs(got-want) > 1e-9*many.Total() {
		c.Failf("the objective is %v with weights, and %v with repeated rows", got, want)
	}
}

// parts collects whole rows first: what is remembered of their weights is wrong then.
func parts(c *judge.Trial, s testbed.Subject) {
	if !testbed.Describe(c, s).Trims {
		c.Skipf("the algorithm trims no rows")
	}
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Plain: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(6, 6+2*c.Size), c.Between(1, 4), c.Between(1, 3)
	}})
	whole := cases.Sample{X: b.Rows.X, Weights: slices.Repeat([]float64{3}, b.N), BlockRows: b.Rows.BlockRows}
	kept := cases.Sample{X: b.Rows.X, Weights: slices.Clone(whole.Weights), BlockRows: b.Rows.BlockRows}
	part, out := c.Rand.IntN(b.N), c.Rand.IntN(b.N-1)
	if out >= part {
		out++
	}
	kept.Weights[part], kept.Weights[out] = 1, 0
	labels := slices.Clone(b.Labels)
	labels[out] = -1
	c.Given("rows of weight 3, of which 1 counts of row %d, and nothing of row %d", part, out)
	trimmed, other := b.With(whole), b.With(kept)
	trimmed.Model(b.Labels)
	trimmed.Part = &framework.Part{Row: part, Weight: 1}
	m, n := trimmed.Model(labels), other.Model(b.Labels)
	b.Near(m.Centers.Data, n.Centers.Data, "the centers with a part of a row, and of a row of that weight")
	b.Near(m.FeatureWeights, n.FeatureWeights, "the feature weights with a part of a row, and of a row of that weight")
}

// massesOff returns how far the row masses of centers are from the weights of the rows
// of each cluster, as a part of all.
func massesOff(b *testbed.Bed, m *framework.Model, labels []int32) (off float64) {
	want := make([]float64, b.K)
	for i, j := range labels {
		if j >= 0 {
			want[j] += b.Rows.Weight(i)
		}
	}
	at := b.Update(m, labels).At[framework.Centers]
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
func unlabelledRows(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Plain: true, Complete: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(6, 6+2*c.Size), c.Between(1, 4), c.Between(2, 4)
	}})
	labels := slices.Clone(b.Labels)
	left := cases.Sample{X: b.Rows.X, Weights: slices.Repeat([]float64{1}, b.N), BlockRows: b.Rows.BlockRows}
	seen := map[int32]bool{}
	for i, j := range labels {
		if seen[j] && c.Rand.IntN(3) == 0 {
			labels[i], left.Weights[i] = -1, 0
		}
		seen[j] = true
	}
	c.Given("rows without a label, against rows of weight 0: %v", labels)
	other := *b
	other.Rows, other.Weighted = left, true
	if err := other.Rebind(); err != nil {
		c.Skipf("rows of weight 0 are refused: %v", err)
	}
	m, n := b.Model(labels), other.Model(b.Labels)
	b.Near(m.Centers.Data, n.Centers.Data, "the centers where some rows have no label, and where these have weight 0")
	b.Near(m.FeatureWeights, n.FeatureWeights, "the feature weights where some rows have no label, and where these have weight 0")
	if off := massesOff(b, m, b.Labels); off > 1e-9 {
		return // the method weighs centers by other masses
	}
	if off := massesOff(b, m, labels); off > 1e-9 {
		c.Failf("where all rows have labels, row masses are as the weights of the clusters' rows; "+
			"where some have none, they are off by a part of %.3g", off)
	}
}
