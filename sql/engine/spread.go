package engine

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Spread returns for each cluster that a model makes Σ weight · distance of its rows to a
// point of its own (k × p), over all features alike; nil where cells are missing.
func (b *Bound) Spread(ctx context.Context, m *framework.Model, points framework.Matrix) ([]float64, error) {
	if slices.Contains(b.missing, true) {
		return nil, nil
	}
	r := b.rows
	all := b.measureOf(b.all(), nil, r.p+"v", points.Rows)
	of := b.labelled(m, append(r.carried(), b.cells()...)).and(r.array(all)...).measured(all, points.Rows)
	distance, heaviest := "sqrt("+r.own(all, points)+")", 1.0
	if r.weighted() {
		distance, heaviest = r.p+"w * "+distance, b.counted.largest
	}
	sums := newExact(r.Dialect, b.counted.n)
	sums.add(distance, heaviest*(1+b.farthestSquare(all, points)))
	j := r.p + "j"
	rows, err := b.engine.Query(ctx, of.query(j+", "+sums.String(), "", " GROUP BY "+j+" ORDER BY "+j))
	if err != nil {
		return nil, err
	}
	spread := make([]float64, points.Rows)
	for _, row := range rows {
		a := sums.read(row, 1)
		j := a.int()
		high, low := a.sum()
		if j >= 0 && j < len(spread) {
			spread[j] = high + low
		}
	}
	return spread, nil
}
