package clusterers

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
)

// sparse compares sparse rows with their cells.
func sparse(c *judge.Trial, s testbed.Subject) {
	d := testbed.Describe(c, s)
	if !d.Sparse {
		c.Skipf("the algorithm takes no sparse rows")
	}
	b := testbed.Draw(c, s, testbed.Want{Smooth: true})
	for name, value := range d.Dense {
		if b.Params[name] == value {
			c.Skipf("with %s=%s the algorithm takes no sparse rows", name, value)
		}
	}
	rows := cases.Sample{X: b.Rows.X.Clone(), Weights: b.Rows.Weights, BlockRows: b.Rows.BlockRows}
	base := make([]float64, b.P)
	for l := range base {
		base[l] = c.Rand.NormFloat64()
	}
	for i := range rows.X.Data {
		if c.Rand.IntN(2) == 0 {
			rows.X.Data[i] = base[i%b.P]
		}
	}
	c.Given("the rows %v, by their cells and, with the base %v, by their entries", judge.RowsOf(rows.X), base)
	dense := b.With(rows)
	rows.Base = base
	entries := b.With(rows)
	m, other := dense.Model(b.Labels), entries.Model(b.Labels)
	dense.Near(other.Centers.Data, m.Centers.Data, "the centers of sparse rows, and of their cells")
	dense.Near(other.FeatureWeights, m.FeatureWeights, "the feature weights of sparse rows, and of their cells")
	dense.Near(entries.Distances(m).Data, dense.Distances(m).Data, "the distances of sparse rows, and of their cells")
	got, want := entries.Update(m, b.Labels).Objective, dense.Update(m, b.Labels).Objective
	if !(math.Abs(got-want) <= 1e-9*(dense.Total()+math.Abs(want))) {
		c.Failf("the objective is %v with sparse rows, and %v with their cells", got, want)
	}
	labels, distances := entries.Assign(m, b.Labels), dense.Distances(m)
	for i, j := range dense.Assign(m, b.Labels) {
		if own := labels[i]; own != j && own >= 0 && j >= 0 && math.Abs(distances.Row(i)[own]-distances.Row(i)[j]) > 1e-9*(1+dense.Extent()) {
			c.Failf("row %d gets the label %d as a sparse row, and %d by its cells", i, own, j)
		}
	}
}
