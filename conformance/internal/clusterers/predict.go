package clusterers

import (
	"maps"
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// predicting gives the problem the parameters with which new rows are labelled.
func predicting(b *testbed.Bed) {
	if len(b.Description.Predict) == 0 {
		return
	}
	texts := maps.Clone(b.Texts)
	maps.Copy(texts, b.Description.Predict)
	params, err := b.Description.Resolve(texts)
	if err != nil {
		b.Failf("the parameters %v with those of Predict, %v, are refused: %v", b.Texts, b.Description.Predict, err)
	}
	b.Params = params
	b.Given("then with the parameters of Predict, %v", b.Description.Predict)
}

// predicts makes a clusterer as for new rows, and gives it the model as it is when it
// was stored, without its cache.
func predicts(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, _ := b.Rounds(2, true)
	fitted := b.Distances(m)
	other := *b
	predicting(&other)
	other.Problem = framework.Problem{P: b.P, K: b.K, Columns: make([]framework.Column, b.P), Groups: b.Groups, Params: other.Params}
	for l, column := range b.Columns {
		other.Columns[l].Name, other.Columns[l].Group = column.Name, column.Group
		if b.Description.Missing {
			other.Columns[l].Missing = 1
		}
	}
	if err := other.Rebind(); err != nil {
		c.Failf("New refuses a problem that has only P, K, Columns, Groups and Params: %v", err)
	}
	stored := m.Clone()
	if err := stored.Fits(other.Clusterer.Begin()); err != nil {
		c.Failf("the model does not fit one that Begin makes for new rows: %v", err)
	}
	other.Near(other.Distances(stored).Data, fitted.Data, "the distances of predict, and of the fit")
	if b.Description.Missing {
		newRows(&other, stored)
	}
}

// newRows measures rows that lack cells, the first of them all.
func newRows(b *testbed.Bed, m *framework.Model) {
	b.Rows.X = b.Rows.X.Clone()
	cases.Lose(b.Trial, b.Rows.X)
	for l := range b.P {
		b.Rows.X.Row(0)[l] = math.NaN()
	}
	if err := b.Rebind(); err != nil {
		b.Failf("New takes new rows that may lack cells, and then refuses some: %v", err)
	}
	b.Given("new rows that lack cells: %v", b.Rows.X)
	d := b.Distances(m.Clone())
	for i, v := range d.Data {
		if judge.NotFinite(v) || v < 0 || i < b.K && v != 0 {
			b.Failf("of the new rows, row %d, %v, is at distance %v of center %d; missing cells are left out", i/b.K,
				b.Rows.X.Row(i/b.K), v, i%b.K)
		}
	}
}
