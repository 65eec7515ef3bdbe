package conformance

import (
	"math"

	"maps"

	"github.com/sqlcluster/sqlcluster/framework"
)

// predicting gives the problem the parameters with which new rows are labelled.
func (b *bed) predicting() {
	if len(b.d.Predict) == 0 {
		return
	}
	texts := maps.Clone(b.texts)
	maps.Copy(texts, b.d.Predict)
	params, err := b.d.Resolve(texts)
	if err != nil {
		b.failf("the parameters %v with those of Predict, %v, are refused: %v", b.texts, b.d.Predict, err)
	}
	b.p.Params = params
	b.given("then with the parameters of Predict, %v", b.d.Predict)
}

// predicts makes a clusterer as for new rows, and gives it the model as it is when it
// was stored, without its cache.
func predicts(c *trial, s subject) {
	b := c.bed(s, want{})
	m, _ := b.rounds(2, true)
	fitted := b.distances(m)
	other := *b
	other.predicting()
	other.p = framework.Problem{P: b.p.P, K: b.p.K, Columns: make([]framework.Column, b.p.P), Groups: b.p.Groups, Params: other.p.Params}
	for l, column := range b.p.Columns {
		other.p.Columns[l].Name, other.p.Columns[l].Group = column.Name, column.Group
		if b.d.Missing {
			other.p.Columns[l].Missing = 1
		}
	}
	if err := other.rebind(); err != nil {
		c.failf("New refuses a problem that has only P, K, Columns, Groups and Params: %v", err)
	}
	stored := m.Clone()
	if err := stored.Fits(other.c.Begin()); err != nil {
		c.failf("the model does not fit one that Begin makes for new rows: %v", err)
	}
	other.close(other.distances(stored).Data, fitted.Data, "the distances of predict, and of the fit")
	if b.d.Missing {
		other.newRows(stored)
	}
}

// newRows measures rows that lack cells, the first of them all.
func (b *bed) newRows(m *framework.Model) {
	b.rows.x = b.rows.x.Clone()
	b.lose(b.rows.x)
	for l := range b.p.P {
		b.rows.x.Row(0)[l] = math.NaN()
	}
	if err := b.rebind(); err != nil {
		b.failf("New takes new rows that may lack cells, and then refuses some: %v", err)
	}
	b.given("new rows that lack cells: %v", b.rows.x)
	d := b.distances(m.Clone())
	for i, v := range d.Data {
		if notFinite(v) || v < 0 || i < b.p.K && v != 0 {
			b.failf("of the new rows, row %d, %v, is at distance %v of center %d; missing cells are left out", i/b.p.K,
				b.rows.x.Row(i/b.p.K), v, i%b.p.K)
		}
	}
}
