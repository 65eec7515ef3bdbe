package engine

import (
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A witness remembers what the passes of a table have read. Sums of exact are whole
// multiples of a grid whatever the labels are by which they are split up, so that all
// passes over the same rows have the same totals, bit for bit: other totals are those of other rows.
// (Rows that have only exchanged cells of a feature are not told.)
type witness struct {
	mu     sync.Mutex
	totals map[string][]float64 // by the text of the aggregates
}

// count refuses an answer of another number of rows than the first statement has counted.
func (t *Table) count(rows int) error {
	if rows == t.counted.n {
		return nil
	}
	return changed("a statement has read %s, and the first one %s", input.Plural(rows, "row"), input.Plural(t.counted.n, "row"))
}

// agree refuses totals that differ from those of an earlier statement with the same aggregates.
func (t *Table) agree(aggregates string, totals []float64) error {
	w := &t.witness
	w.mu.Lock()
	defer w.mu.Unlock()
	before, ok := w.totals[aggregates]
	if !ok {
		if w.totals == nil {
			w.totals = map[string][]float64{}
		}
		w.totals[aggregates] = totals
		return nil
	}
	if slices.Equal(before, totals) {
		return nil
	}
	return changed("the sums of two statements differ")
}

// changed is the fault of rows that are not the same in all statements.
func changed(format string, args ...any) error {
	return framework.Faultf(framework.Data, "rows-changed", "the rows have changed while they were read: "+format, args...).At("relation").
		WithHint("name rows that stay as they are: a copy of the table, or a query without random numbers, and without LIMIT " +
			"where the order is open")
}

// total adds the aggregates of a row of an answer to those of others, but for sums that depend on the order
// of the rows. The row is one that read has returned, at the first of them.
func (x *exact) total(totals []float64, a answer) []float64 {
	if totals == nil {
		totals = make([]float64, len(x.list))
	}
	for i, of := range x.list {
		if v := a.number(); !of.rounded {
			totals[i] += v
		}
	}
	return totals
}
