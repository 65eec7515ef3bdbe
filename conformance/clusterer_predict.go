package conformance

import (
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
}
