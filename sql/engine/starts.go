package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

// k-means|| has few rounds: what a start costs are passes.
const (
	rounds       = 2       // of draws
	oversampling = 2       // rows that a round draws, as a multiple of k
	weighedRows  = 1 << 18 // rows, on average, that say how much candidates weigh
	mostNumbers  = 1 << 17 // of the candidates of starts that are made together
)

// starts are those that are made together: one statement draws rows for all of them.
type starts struct {
	mu     sync.Mutex
	spaces []string // by restart: those that will be asked for
	made   map[startOf]framework.Matrix
}

// startOf is what makes a start what it is, beside rows and problem.
type startOf struct {
	space   string
	seed    uint64
	restart int
}

// Foresee says that Begin will be asked for starts in these units, by restart. Starts by k-means|| are
// then made together, as far as their statements are not too long; each is the one that it is by itself.
func (b *Bound) Foresee(spaces []string) {
	b.starts.mu.Lock()
	defer b.starts.mu.Unlock()
	b.starts.spaces = slices.Clone(spaces)
}

// take returns a start by k-means||, and makes it first, with those after it, if need be.
func (s *starts) take(ctx context.Context, b *Bound, space string, seed uint64, restart int) (framework.Matrix, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := startOf{space, seed, restart}
	if centers, ok := s.made[of]; ok {
		return centers.Clone(), nil
	}
	group := []drawing{b.drawing(space, seed, restart)}
	most := max(1, mostNumbers/(rounds*oversampling*b.problem.K*b.problem.P))
	if b.rows.Flat {
		most = 1 // one SELECT with the points of several starts takes longer than several
	}
	for r := restart + 1; r < len(s.spaces) && len(group) < most; r++ {
		group = append(group, b.drawing(s.spaces[r], seed, r))
	}
	all, err := together(ctx, group)
	if err != nil {
		return framework.Matrix{}, err
	}
	if s.made == nil {
		s.made = map[startOf]framework.Matrix{}
	}
	for i, d := range group {
		s.made[startOf{d.space, seed, d.restart}] = all[i]
	}
	return s.made[of].Clone(), nil
}

// together makes starts by k-means||: each draws 2k rows in proportion
// to their weight times their squared distance to the mean of all rows; then 2k in proportion to
// weight times squared distance to those that it has drawn; of these candidates, each of which
// weighs as much as the rows to which it is the nearest, k by kmeans++. Each draw is one statement for all starts,
// and so are the weights, which a sample of the rows is enough for.
//
// Bahmani, Moseley, Vattani, Kumar and Vassilvitskii (2012, Scalable k-means++,
// https://doi.org/10.14778/2180912.2180915) begin with a row at random, and draw in five rounds. The mean
// is nearer to all rows than most of them are, and costs no pass.
func together(ctx context.Context, group []drawing) ([]framework.Matrix, error) {
	b := group[0].Bound
	mean := make([]float64, b.problem.P)
	for l, c := range b.problem.Columns {
		mean[l] = c.Mean
	}
	candidates := make([][][]float64, len(group))
	for round := range rounds {
		from := candidates
		if round == 0 {
			from = slices.Repeat([][][]float64{{mean}}, len(group))
		}
		drawn, err := draw(ctx, group, from, round)
		if err != nil {
			return nil, err
		}
		for i, rows := range drawn {
			candidates[i] = distinct(candidates[i], rows, math.MaxInt)
		}
		if slices.ContainsFunc(candidates, func(points [][]float64) bool { return len(points) == 0 }) {
			break // all rows are the same
		}
	}
	shares, err := weigh(ctx, group, candidates)
	if err != nil {
		return nil, err
	}
	centers := make([]framework.Matrix, len(group))
	for i := range group {
		if centers[i], err = group[i].reduce(ctx, candidates[i], shares[i]); err != nil {
			return nil, err
		}
	}
	return centers, nil
}

// draw draws 2k rows for each start, in proportion to their weight times their squared distance to
// the nearest of its points. A statement returns the rows that come first to any start; those that have not got
// theirs then are asked for more.
func draw(ctx context.Context, group []drawing, from [][][]float64, round int) ([][][]float64, error) {
	most := oversampling * group[0].problem.K
	all := make([][][]float64, len(group))
	lack := make([]int, len(group))
	for i := range lack {
		lack[i] = i
	}
	for more := 2; len(lack) > 0; more *= 2 {
		some, points, limit := make([]drawing, len(lack)), make([][][]float64, len(lack)), most
		for i, s := range lack {
			some[i], points[i] = group[s], from[s]
		}
		if len(lack) > 1 {
			limit = len(lack) * (most + 4) * more
		}
		rows, err := group[0].engine.Query(ctx, drawn(some, points, round, limit))
		if err != nil {
			return nil, err
		}
		var still []int
		for i, s := range lack {
			mine, whole := firstOf(rows, i, len(lack), most, len(rows) == limit)
			if all[s] = mine; !whole {
				still = append(still, s)
			}
		}
		lack = still
	}
	return all, nil
}

// firstOf returns the cells of the rows that come first to a start, up to most, and whether they
// are all that it has to have. The rows of a statement that was cut are only those that come to
// some start before the last row.
func firstOf(rows [][]any, start, starts, most int, cut bool) ([][]float64, bool) {
	last := math.Inf(1)
	if cut {
		last = 0
		for _, v := range rows[len(rows)-1][:starts] {
			if t := numberOf(v, math.Inf(1)); last == 0 || t < last {
				last = t
			}
		}
	}
	type arrival struct {
		at  float64
		row []any
	}
	var mine []arrival
	for _, row := range rows {
		if t := numberOf(row[start], math.Inf(1)); t <= last && !math.IsInf(t, 1) {
			mine = append(mine, arrival{t, row[starts:]})
		}
	}
	slices.SortStableFunc(mine, func(a, b arrival) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	whole := !cut || math.IsInf(last, 1) || len(mine) >= most // rows that never come are behind all that do
	cells := make([][]float64, min(len(mine), most))
	for i := range cells {
		cells[i] = cellsOf(mine[i].row)
	}
	return cells, whole
}

// drawn returns the statement of the first rows that come to any of some starts: when they come
// to each, and their cells. Starts that measure the same points in the same way do it once.
func drawn(group []drawing, from [][][]float64, round, limit int) string {
	d := &group[0]
	r, cells, h, o := d.rows, d.cells(), d.rows.p+"h", d.rows.p+"o"
	carried := append(r.carried(), cells...)
	points := 0
	for _, p := range from {
		points += len(p)
	}
	var arrays []value
	measured, least := []value{{d.digest(), h}}, []value(nil)
	squares := make([]string, len(group)) // the alias of the weighted square of each start
	for i := range group {
		if same := sameSquare(group[:i], from, group[i]); same >= 0 {
			squares[i] = squares[same]
			continue
		}
		m, l := group[i].ruler(points), list{r, fmt.Sprintf("d%d_", i), len(from[i])}
		for _, a := range r.array(m) {
			if !slices.Contains(arrays, a) {
				arrays = append(arrays, a)
			}
		}
		measured = append(measured, l.values(r.distances(m, matrixOf(from[i], d.problem.P), r.compared))...)
		f := l.least()
		if r.roots(m) {
			f = "pow(" + f + ", 2)"
		}
		if r.weighted() {
			f = r.p + "w * " + f
		}
		squares[i] = r.name("f", i)
		least = append(least, value{f, squares[i]})
	}
	waits, times := []value(nil), make([]string, len(group))
	for i, f := range squares {
		times[i] = r.name("o", i)
		u := group[i].uniform("kmeans||", h, uint64(round))
		wait := d.waiting(u, f) + " * " + r.Number(group[i].spread())
		waits = append(waits, value{fmt.Sprintf("CASE WHEN %s > 0 THEN %s ELSE %s END", f, wait, r.Infinity), times[i]})
	}
	over := func(of layers, names []string, values ...value) layers {
		return of.over(append(passed(names), values...)...)
	}
	rows := r.fitted().and(arrays...)
	for i := range group {
		rows = rows.measured(group[i].ruler(points), len(from[i]))
	}
	of := over(rows, carried, measured...)
	of = over(of, append(slices.Clip(carried), h), least...)
	of = over(of, carried, waits...).and(value{r.Least(times), o})
	// There is no condition that they come at all: 18.16 does not share out what is ordered by other columns, then.
	return of.query(strings.Join(slices.Concat(times, cells), ", "), "", fmt.Sprintf(" ORDER BY %s, %sk LIMIT %d", o, r.p, limit))
}

// spread is the squared distance of all rows from their mean, by which times of starts in different
// units are of one size.
func (d *drawing) spread() float64 {
	sum := 0.0
	for l, c := range d.problem.Columns {
		if d.weights == nil {
			sum += c.SumSq
		} else {
			sum += d.weights[l] * c.SumSq
		}
	}
	if sum > 0 && !math.IsInf(sum, 0) {
		return sum
	}
	return 1
}

// sameSquare returns the start before another one that measures the same points in the same way; −1: there is none.
func sameSquare(before []drawing, from [][][]float64, d drawing) int {
	mine := from[len(before)]
	for i, other := range before {
		if other.space == d.space && len(mine) == 1 && len(from[i]) == 1 && sameCells(from[i][0], mine[0]) {
			return i
		}
	}
	return -1
}
