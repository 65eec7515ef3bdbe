package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

func complete(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Complete: true})
	if !b.Description.Missing {
		c.Skipf("the algorithm takes no missing cells")
	}
	other := *b
	other.Columns = slices.Clone(b.Columns)
	other.Columns[c.Rand.IntN(b.P)].Missing = 1
	if err := other.Rebind(); err != nil {
		c.Skipf("missing cells are refused: %v", err)
	}
	m, n := b.Model(b.Labels), other.Model(b.Labels)
	b.Near(n.Centers.Data, m.Centers.Data, "the centers with a missing cell announced, and without")
	b.Near(n.FeatureWeights, m.FeatureWeights, "the feature weights with a missing cell announced, and without")
	b.Near(other.Distances(n).Data, b.Distances(m).Data, "the distances with a missing cell announced, and without")
}

// observed takes the parameters with which new rows are labelled: a method that
// fills missing cells has other ones there.
func observed(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Missing: true})
	predicting(b)
	if err := b.Rebind(); err != nil {
		c.Skipf("the parameters for new rows are refused: %v", err)
	}
	m := b.Model(b.Labels)
	labels, d := b.Assign(m, testbed.Nobody(b.N)), b.Distances(m)
	if i, near := farther(labels, d, 1e-9); i >= 0 {
		c.Failf("row %d, %v, gets the label %d at distance %v, but over its observed cells center %d is at %v; centers %s",
			i, b.Rows.X.Row(i), labels[i], d.Row(i)[labels[i]], near, slices.Min(d.Row(i)), judge.RowsOf(m.Centers))
	}
}

func missing(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Missing: true})
	m := b.Model(b.Labels)
	rows := b.Rows
	rows.X = rows.X.Clone()
	empty := c.Rand.IntN(b.N)
	for l := range b.P {
		rows.X.Row(empty)[l] = math.NaN()
	}
	other := *b
	other.Rows = rows
	other.Columns = slices.Clone(b.Columns)
	for l, column := range cases.ColumnsOf(rows) {
		other.Columns[l].Missing = column.Missing
	}
	if err := other.Rebind(); err != nil {
		c.Skipf("a row without any cell is refused: %v", err)
	}
	d := other.Distances(m.Clone())
	for j, v := range d.Row(empty) {
		if v != 0 {
			c.Failf("row %d has no cell, but is at distance %v of center %d, %v", empty, v, j, m.Centers.Row(j))
		}
	}
	for i, v := range d.Data {
		if math.IsNaN(v) || v < 0 {
			c.Failf("row %d, %v, is at distance %v of center %d", i/b.K, rows.X.Row(i/b.K), v, i%b.K)
		}
	}
	before := b.Distances(m)
	if b.Plan.Squared {
		losesCell(b, m, before)
	}
	for i := range b.N {
		if i != empty && judge.Differ(before.Row(i), d.Row(i)) >= 0 {
			c.Failf("row %d has the distances %v, and %v when row %d loses its cells", i, before.Row(i), d.Row(i), empty)
		}
	}
}

// losesCell makes one cell missing: a sum of squares without one of them is no larger.
func losesCell(b *testbed.Bed, m *framework.Model, before framework.Matrix) {
	rows := b.Rows
	rows.X = rows.X.Clone()
	i := b.Rand.IntN(b.N)
	l := b.Rand.IntN(b.P)
	rows.X.Row(i)[l] = math.NaN()
	other := *b
	other.Rows = rows
	if err := other.Rebind(); err != nil {
		return
	}
	for j, v := range other.Distances(m.Clone()).Row(i) {
		if was := before.Row(i)[j]; v > was+1e-9*judge.Largest(before.Row(i)) {
			b.Failf("row %d, %v, is at distance %v of center %d, and at %v without cell %d: "+
				"missing cells are left out of the sum, and nothing makes up for them", i, b.Rows.X.Row(i), was, j, v, l)
		}
	}
}
