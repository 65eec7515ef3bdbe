package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// weigh returns for each start the weight of the rows to which each of its candidates is the nearest,
// of about weighedRows rows if there are more. A candidate weighs as much as one row at least.
func weigh(ctx context.Context, group []drawing, candidates [][][]float64) ([][]float64, error) {
	d := &group[0]
	r := d.rows
	points := 0
	for _, c := range candidates {
		points += len(c)
	}
	share := 1.0
	if d.counted.n > weighedRows {
		share = weighedRows / float64(d.counted.n)
		some, one := *r, d.drawing(fit.Fitted, d.seed, 0)
		condition := one.uniform("weigh", r.Digest(r.Text(r.Quote(r.selected.key.Name)))) + " < " + r.Number(share)
		if some.keep != "" {
			condition = some.keep + " AND " + condition
		}
		some.keep, r = condition, &some
	}
	shares, ls, as, numbers := make([][]float64, len(group)), []labelling(nil), []string(nil), []string(nil)
	for i, c := range candidates {
		shares[i] = make([]float64, len(c))
		if len(c) < 2 {
			continue
		}
		as = append(as, r.name("j", i))
		numbers = append(numbers, r.Integer(fmt.Sprintf("%s + %d", r.name("j", i), at(candidates, i))))
		ls = append(ls, labelling{measure: group[i].ruler(points), centers: matrixOf(c, d.problem.P), kind: fmt.Sprintf("a%d_", i)})
	}
	if ls == nil {
		return shares, nil
	}
	sums, carried := newExact(r.Dialect, d.counted.n), []string(nil)
	if r.weighted() {
		carried = append(carried, r.p+"w")
		sums.add(r.p+"w", d.counted.largest)
	} else {
		sums.plain("count(*)")
		sums.plain("0")
	}
	j := r.p + "j"
	of := r.label(r.fitted(), ls, as, carried).over(append(passed(carried), value{r.Each("[" + strings.Join(numbers, ", ") + "]"), j})...)
	rows, err := d.engine.Query(ctx, of.query(j+", "+sums.String(), "", " GROUP BY "+j+" ORDER BY "+j))
	if err != nil {
		return nil, err
	}
	flat := make([]float64, points)
	for _, row := range rows {
		a := sums.read(row, 1)
		j := a.int()
		if err := checkPlace(j, points); err != nil {
			return nil, err
		}
		high, low := a.sum()
		flat[j] = (high + low) / share
	}
	least := d.problem.Mass / float64(d.problem.N)
	for i := range shares {
		for j := range shares[i] {
			shares[i][j] = max(least, flat[at(candidates, i)+j])
		}
	}
	return shares, nil
}

// at returns how many candidates those before a start have.
func at(candidates [][][]float64, start int) int {
	n := 0
	for _, c := range candidates[:start] {
		n += len(c)
	}
	return n
}

// reduce chooses k of the candidates by kmeans++ among them. Where there are no more than k, rows at random are the rest.
func (d *drawing) reduce(ctx context.Context, candidates [][]float64, shares []float64) (framework.Matrix, error) {
	k := d.problem.K
	if len(candidates) <= k {
		return d.random(ctx, k, candidates)
	}
	builder, err := matrix.BuilderOf(matrixOf(candidates, d.problem.P), shares, matrix.Options{})
	if err != nil {
		return framework.Matrix{}, err
	}
	data, err := builder.Seal()
	if err != nil {
		return framework.Matrix{}, err
	}
	defer func() { _ = data.Close() }()
	s, err := seeding.New("kmeans++", data, seeding.Options{K: k, Seed: d.seed, Restarts: 1, Space: d.weights, Threads: 1})
	if err != nil {
		return framework.Matrix{}, err
	}
	centers, _, err := s.Centers(ctx, d.restart, 1)
	return centers, err
}
