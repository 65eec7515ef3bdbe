package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// Rounds of k-means||, and rows that a round draws, as a multiple of k.
const (
	rounds       = 5
	oversampling = 2
)

// Begin makes a start by a method of package seeding, in the units of a space
// (fit.Fitted, fit.Raw): its centers are rows.
//
//	kmeans||  one row in proportion to its weight; then in each of 5 rounds 2k rows in
//	          proportion to their weight times their squared distance to the rows that were drawn before;
//	          of these candidates, each of which weighs as much as the rows to which it is the
//	          nearest, k by kmeans++. Seven statements.
//	kmeans++  the same: drawn one by one, k rows would need k passes
//	random    k different rows
//	maximin   the row of largest norm, then always the row farthest from those chosen: k statements
//
// A row is drawn by a number that follows from its key, the seed and the restart: the
// same rows have the same start whatever their order. Others than these need all rows, and
// are refused.
//
// To draw rows in proportion to u without knowing the sum of all u, each row waits for a
// time −ln(U)/u, with U uniform, and the first come first (Efraimidis and Spirakis 2006, Weighted random sampling with a reservoir,
// https://doi.org/10.1016/j.ipl.2005.11.003).
func (b *Bound) Begin(ctx context.Context, init, space string, seed uint64, restart int) (fit.Beginning, error) {
	if err := seeding.Check(init); err != nil {
		return fit.Beginning{}, err
	}
	d := drawing{Bound: b, weights: fit.UnitsOf(b.problem, space), seed: seed, restart: restart}
	var centers framework.Matrix
	var err error
	switch init {
	case "random":
		centers, err = d.random(ctx, b.problem.K, nil)
	case "kmeans++", "kmeans||":
		centers, err = d.parallel(ctx)
	case "maximin":
		centers, err = d.maximin(ctx)
	default:
		return fit.Beginning{}, framework.Faultf(framework.Usage, "init-needs-rows", "%s measures rows from each other, and these stay in an engine",
			framework.SettingTo("init", init)).At("init").WithHint("use %s, kmeans++, random or maximin", framework.SettingTo("init", "kmeans||"))
	}
	if err != nil {
		return fit.Beginning{}, err
	}
	for i, v := range centers.Data {
		if v != v {
			centers.Data[i] = 0 // the origin of the fitted space
		}
	}
	return fit.Beginning{Centers: &centers}, nil
}

// A drawing draws rows of a start.
type drawing struct {
	*Bound
	weights []float64 // of features in distances; nil: all 1
	seed    uint64
	restart int
}

// uniform returns a number of each row for a purpose.
func (d *drawing) uniform(purpose string) string {
	r := d.rows
	return r.Uniform([]string{r.p + "k", r.Literal(fmt.Sprintf("%s %d %d", purpose, d.seed, d.restart))})
}

// waiting is how long a row waits to be drawn that has the mass u.
func (d *drawing) waiting(purpose, u string) string {
	return "-" + d.rows.Log + "(" + d.uniform(purpose) + ") / " + u
}

// weight returns the weight of a row.
func (d *drawing) weight() string {
	if d.rows.weighted() {
		return d.rows.p + "w"
	}
	return d.rows.Number(1)
}

// counting returns a condition of rows, and that they have weight.
func (b *Bound) counting(where string) string {
	if !b.rows.weighted() {
		return where
	}
	if where != "" {
		where += " AND "
	}
	return where + b.rows.p + "w > 0"
}

// first returns the cells of the first rows in an order.
func (d *drawing) first(ctx context.Context, from layers, order, where string, limit int) ([][]float64, error) {
	return d.drawn(ctx, from, order, where, fmt.Sprintf(" ORDER BY %so, %sk LIMIT %d", d.rows.p, d.rows.p, limit))
}

// differing is first for rows of which no two are the same.
func (d *drawing) differing(ctx context.Context, from layers, order, where string, limit int) ([][]float64, error) {
	return d.drawn(ctx, from, order, where, fmt.Sprintf(" GROUP BY %s ORDER BY min(%so), min(%sk) LIMIT %d", strings.Join(d.cells(), ", "),
		d.rows.p, d.rows.p, limit))
}

// drawn returns the cells of rows, with o what they are ordered by.
func (d *drawing) drawn(ctx context.Context, from layers, order, where, rest string) ([][]float64, error) {
	rows, err := d.engine.Query(ctx, from.and(value{order, d.rows.p + "o"}).query(strings.Join(d.cells(), ", "), d.counting(where), rest))
	all := make([][]float64, len(rows))
	for i, row := range rows {
		all[i] = cellsOf(row)
	}
	return all, err
}

// random draws n rows that differ, from each other and from some others.
func (d *drawing) random(ctx context.Context, n int, others [][]float64) (framework.Matrix, error) {
	points := slices.Clone(others)
	limit := 2 * (n + len(others))
	draw := d.first
	for {
		rows, err := draw(ctx, d.rows.fitted(), d.waiting("random", d.weight()), "", limit)
		if err != nil {
			return framework.Matrix{}, err
		}
		if points = distinct(points, rows, n); len(points) >= n || len(rows) < limit {
			break
		}
		draw, limit = d.differing, 8*limit // many rows are the same
	}
	for i := 0; len(points) < n && len(points) > 0; i++ { // there are no more that differ: these clusters stay without rows
		points = append(points, points[i])
	}
	return matrixOf(points, d.problem.P), nil
}

// distinct adds rows to points, up to n, that differ from those before.
func distinct(points, rows [][]float64, n int) [][]float64 {
	for _, row := range rows {
		if len(points) >= n {
			break
		}
		if !slices.ContainsFunc(points, func(p []float64) bool { return sameCells(p, row) }) {
			points = append(points, row)
		}
	}
	return points
}

func matrixOf(rows [][]float64, p int) framework.Matrix {
	m := framework.NewMatrix(len(rows), p)
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}

// parallel is k-means||.
func (d *drawing) parallel(ctx context.Context) (framework.Matrix, error) {
	k := d.problem.K
	candidates, err := d.first(ctx, d.rows.fitted(), d.waiting("kmeans|| 0", d.weight()), "", 1)
	for round := 1; err == nil && round <= rounds && len(candidates) > 0; round++ {
		var rows [][]float64
		u := d.weight() + " * " + d.rows.p + "f"
		rows, err = d.first(ctx, d.nearest(candidates), d.waiting(fmt.Sprint("kmeans|| ", round), "("+u+")"), d.rows.p+"f > 0", oversampling*k)
		if len(rows) == 0 {
			break
		}
		candidates = append(candidates, rows...)
	}
	if err != nil {
		return framework.Matrix{}, err
	}
	if len(candidates) <= k {
		return d.random(ctx, k, candidates)
	}
	shares, err := d.shares(ctx, candidates)
	if err != nil {
		return framework.Matrix{}, err
	}
	return d.reduce(ctx, candidates, shares)
}

// ruler returns how starts are measured from so many points.
func (d *drawing) ruler(points int) measure {
	var features []int
	for _, l := range d.all() {
		if d.weights == nil || d.weights[l] != 0 {
			features = append(features, l)
		}
	}
	return d.measureOf(features, d.weights, d.rows.p+"v", points)
}

// nearest returns the rows with the squared distance f to the nearest of some points.
func (d *drawing) nearest(points [][]float64) layers {
	r, m, l := d.rows, d.ruler(len(points)), list{d.rows, "d", len(points)}
	carried := passed(append(r.carried(), d.cells()...))
	distances := l.values(r.distances(m, matrixOf(points, d.problem.P), r.compared), m.bindable())
	least := l.least()
	if r.roots(m) {
		least = "pow(" + least + ", 2)"
	}
	return r.fitted().and(r.array(m)...).over(append(slices.Clip(carried), distances...)...).over(append(carried, value{least, r.p + "f"})...)
}

// shares returns the weight of the rows to which each point is the nearest.
func (d *drawing) shares(ctx context.Context, points [][]float64) ([]float64, error) {
	r := d.rows
	l := labelling{measure: d.ruler(len(points)), centers: matrixOf(points, d.problem.P), kind: "d"}
	sums, carried := newExact(r.Dialect, d.counted.n), []string(nil)
	if r.weighted() {
		carried = append(carried, r.p+"w")
		sums.add(r.p+"w", d.counted.largest)
	} else {
		sums.plain("count(*)")
		sums.plain("0")
	}
	j := r.p + "j"
	of := r.label(r.fitted(), []labelling{l}, []string{j}, carried)
	rows, err := d.engine.Query(ctx, of.query(j+", "+sums.String(), "", " GROUP BY "+j+" ORDER BY "+j))
	shares := make([]float64, len(points))
	for _, row := range rows {
		a := sums.read(row, 1)
		j := a.int()
		if err := checkPlace(j, len(shares)); err != nil {
			return nil, err
		}
		high, low := a.sum()
		shares[j] = max(0, high+low)
	}
	return shares, err
}

// reduce chooses k of the candidates by kmeans++ among them.
func (d *drawing) reduce(ctx context.Context, candidates [][]float64, shares []float64) (framework.Matrix, error) {
	k := d.problem.K
	with := 0
	for _, s := range shares {
		if s > 0 {
			with++
		}
	}
	if with < k {
		return d.random(ctx, k, candidates[:min(k, len(candidates))])
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

// maximin chooses rows far from each other; of equals, that with the lowest key.
func (d *drawing) maximin(ctx context.Context) (framework.Matrix, error) {
	points := [][]float64{make([]float64, d.problem.P)}
	for j := range d.problem.K {
		from := points
		if j > 0 {
			from = points[1:]
		}
		rows, err := d.first(ctx, d.nearest(from), "-"+d.rows.p+"f", "", 1)
		if err != nil {
			return framework.Matrix{}, err
		}
		points = append(points, rows...)
	}
	return matrixOf(points[1:], d.problem.P), nil
}

// Distinct counts the rows of positive weight that differ, up to most.
func (b *Bound) Distinct(ctx context.Context, most int) (int, error) {
	differing := b.rows.fitted().query("DISTINCT "+strings.Join(b.cells(), ", "), b.counting(""), fmt.Sprintf(" LIMIT %d", most))
	row, err := b.one(ctx, "SELECT count(*) FROM ("+differing+")")
	if err != nil {
		return 0, err
	}
	return (&answer{row: row}).int(), nil
}

// Sample returns up to so many rows of positive weight in fitted space, NaN where a cell is
// missing, and their weights, nil if rows have none: the same ones for the same seed.
func (b *Bound) Sample(ctx context.Context, n int, seed uint64) (framework.Matrix, []float64, error) {
	d := drawing{Bound: b, seed: seed}
	r := b.rows
	rows, err := b.engine.Query(ctx, r.fitted().and(value{d.uniform("sample"), r.p + "o"}).
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
