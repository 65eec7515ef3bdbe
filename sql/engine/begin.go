package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// Begin makes a start by a method of package seeding, in the units of a space
// (fit.Fitted, fit.Raw): its centers are rows.
//
//	kmeans||  as together says: three statements, for all the starts that were foreseen
//	kmeans++  the same: drawn one by one, k rows would need k passes
//	random    k different rows
//	maximin   the row of largest norm, then always the row farthest from those chosen: k statements
//
// A row is drawn by a number that follows from its key, the seed and the restart: the
// same rows have the same start whatever their order, in every engine that writes keys in the same
// way, but for rows that are equally likely but for rounding. Others than these need all rows, and
// are refused.
//
// To draw rows in proportion to u without knowing the sum of all u, each row waits for a
// time −ln(U)/u, with U uniform, and the first come first (Efraimidis and Spirakis 2006, Weighted random sampling with a reservoir,
// https://doi.org/10.1016/j.ipl.2005.11.003).
func (b *Bound) Begin(ctx context.Context, init, space string, seed uint64, restart int) (fit.Beginning, error) {
	if err := seeding.Check(init); err != nil {
		return fit.Beginning{}, err
	}
	d := b.drawing(space, seed, restart)
	var centers framework.Matrix
	var err error
	switch init {
	case "random":
		centers, err = d.random(ctx, b.problem.K, nil)
	case "kmeans++", "kmeans||":
		centers, err = b.starts.take(ctx, b, space, seed, restart)
	case "maximin":
		centers, err = d.maximin(ctx)
	default:
		return fit.Beginning{}, framework.Faultf(framework.Usage, "init-needs-rows",
			"%s measures rows from each other, and these stay in an engine",
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
	space   string
	weights []float64 // of features in distances; nil: all 1
	seed    uint64
	restart int
}

func (b *Bound) drawing(space string, seed uint64, restart int) drawing {
	return drawing{Bound: b, space: space, weights: fit.UnitsOf(b.problem, space), seed: seed, restart: restart}
}

// uniform returns a number between 0 and 1 of each row for a purpose, which is neither:
// with the digest of the key, h,
//
//	U = ((a·(h mod 2³¹−1) + b·(h mod 2³¹−19) + c) mod q + ½) / 2⁵³,   q = 2⁵³ − 111
//
// with a and b from 2²⁹ to 2³⁰ and c < q that follow from purpose, seed and restart, so that no whole number
// overflows, and two starts have numbers of a row that have nothing to do with each other.
func (d *drawing) uniform(purpose string, digest string, at ...uint64) string {
	const q = 1<<53 - 111 // the largest prime number below 2^53; those of 2^31 are, too
	r := framework.Rand(d.seed, "engine-"+purpose, append([]uint64{uint64(d.restart)}, at...)...)
	factor := func() uint64 { return 1<<29 + r.Uint64N(1<<29) }
	a, b, c := factor(), factor(), r.Uint64N(q)
	whole := fmt.Sprintf("(%d * (%s %% 2147483647) + %d * (%s %% 2147483629) + %d) %% %d", a, digest, b, digest, c, uint64(q))
	return "((" + d.rows.Float("("+whole+")") + " + 0.5e0) * 1.1102230246251565e-16)"
}

// digest returns that of the key of each row.
func (d *drawing) digest() string { return d.rows.Digest(d.rows.Text(d.rows.p + "k")) }

// waiting is how long a row waits to be drawn that has the mass u.
func (d *drawing) waiting(uniform, u string) string {
	return "-" + d.rows.Log + "(" + uniform + ") / " + u
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
		rows, err := draw(ctx, d.rows.fitted(), d.waiting(d.uniform("random", d.digest()), d.weight()), "", limit)
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

// ruler returns how starts are measured from so many points.
func (d *drawing) ruler(points int) measure {
	var features []int
	for _, l := range d.all() {
		if d.weights == nil || d.weights[l] != 0 {
			features = append(features, l)
		}
	}
	return d.measureOf(features, d.weights, d.rows.p+d.space, points)
}

// nearest returns the rows with the squared distance f to the nearest of some points.
func (d *drawing) nearest(points [][]float64) layers {
	r, m, l := d.rows, d.ruler(len(points)), list{d.rows, "d", len(points)}
	carried := passed(append(r.carried(), d.cells()...))
	distances := l.values(r.distances(m, matrixOf(points, d.problem.P), r.compared))
	least := l.least()
	if r.roots(m) {
		least = "pow(" + least + ", 2)"
	}
	of := r.fitted().and(r.array(m)...).measured(m, len(points)).over(append(slices.Clip(carried), distances...)...)
	return of.over(append(carried, value{least, r.p + "f"})...)
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
