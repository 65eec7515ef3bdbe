package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// Distinct counts the rows of positive weight that differ, up to most: among few of them first,
// which are enough if rows differ at all.
func (b *Bound) Distinct(ctx context.Context, most int) (int, error) {
	few := fmt.Sprintf(" LIMIT %d", 1000+10*most)
	for {
		cells := strings.Join(b.cells(), ", ")
		text := b.rows.fitted().query("DISTINCT "+cells, b.counting(""), fmt.Sprintf(" LIMIT %d", most))
		if few != "" {
			text = fmt.Sprintf("SELECT DISTINCT %s FROM (%s) LIMIT %d", cells, b.rows.fitted().query(cells, b.counting(""), few), most)
		}
		row, err := b.one(ctx, "SELECT count(*) FROM ("+text+")")
		if err != nil {
			return 0, err
		}
		if n := (&answer{row: row}).int(); n >= most || few == "" {
			return n, nil
		}
		few = ""
	}
}

// Sample returns up to so many rows of positive weight in fitted space, NaN where a cell is
// missing, and their weights, nil if rows have none: the same ones for the same seed.
func (b *Bound) Sample(ctx context.Context, n int, seed uint64) (framework.Matrix, []float64, error) {
	d := b.drawing(fit.Fitted, seed, 0)
	r := b.rows
	rows, err := b.engine.Query(ctx, r.fitted().and(value{d.uniform("sample", d.digest()), r.p + "o"}).
		query(d.weight()+", "+strings.Join(b.cells(), ", "), b.counting(""), fmt.Sprintf(" ORDER BY %so, %sk LIMIT %d", r.p, r.p, n)))
	x := framework.NewMatrix(len(rows), b.problem.P)
	var weights []float64
	for i, row := range rows {
		copy(x.Row(i), cellsOf(row[1:]))
		if r.weighted() {
			weights = append(weights, numberOf(row[0], 1))
		}
	}
	return x, weights, err
}
