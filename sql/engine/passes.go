package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// Assign implements fit.Passes.
func (b *Bound) Assign(ctx context.Context, m, before *framework.Model) (fit.Pass, error) {
	statement, sums := b.assign(m, before)
	rows, err := b.engine.Query(ctx, statement)
	if err != nil {
		return fit.Pass{}, err
	}
	return b.pass(rows, sums, before == nil)
}

// assign returns the statement of a pass: a row for each label and each of rows with and
// without weight, which has the label, whether there is weight, how many rows there are, how
// many of them had another label before, and their sums.
func (b *Bound) assign(m, before *framework.Model) (string, *exact) {
	r := b.rows
	ls, as := []labelling{b.labelling(m, "d")}, []string{r.p + "j"}
	if before != nil && !sameLabels(m, before) {
		ls, as = append(ls, b.labelling(before, "e")), append(as, r.p+"i")
		if ls[1].sameArray(ls[0].measure) {
			ls[1].array = ls[0].array
		}
	}
	sums := newExact(r.Dialect, b.counted.n)
	carried, above := b.summands(sums)
	of := r.label(r.fitted().and(above...), ls, as, carried)
	moved := "0"
	if len(ls) > 1 {
		moved = r.Count(as[0] + " <> " + as[1])
	}
	group, weight := r.p+"j", "1"
	if r.weighted() {
		group, weight = group+", "+r.p+"u", r.p+"u"
	}
	return of.query(r.p+"j, "+weight+", count(*), "+moved+", "+sums.String(), "", " GROUP BY "+group+" ORDER BY "+group), sums
}

// sameLabels reports whether two models are known to give all rows the same labels.
func sameLabels(a, b *framework.Model) bool {
	return a == b || slices.Equal(a.Centers.Data, b.Centers.Data) && slices.Equal(a.FeatureWeights, b.FeatureWeights) &&
		len(a.Aux) == 0 && len(b.Aux) == 0
}

// summands adds the sums of a pass, and returns the aliases that they read, and the list
// of those that fitted rows do not have.
func (b *Bound) summands(sums *exact) (carried []string, above []value) {
	r, s := b.rows, b.formula.Sums
	w := r.p + "w"
	if r.weighted() {
		carried = append(carried, w, r.p+"u")
		above = append(above, value{"CASE WHEN " + w + " > 0 THEN 1 ELSE 0 END", r.p + "u"})
		sums.add(w, b.counted.largest)
	}
	for l := range s.P {
		x, o := r.name("x", l), s.Origin(l)
		if o != 0 {
			above = append(above, value{r.less(x, o), r.name("y", l)})
			x = r.name("y", l)
		}
		carried = append(carried, x)
		most := b.most(l, o)
		sums.add(x, most)
		if r.weighted() {
			sums.add(w+" * "+x, most*b.counted.largest)
		}
		if s.Missing {
			if !b.missing[l] {
				continue
			}
			sums.plain("count(" + x + ")")
			if r.weighted() {
				sums.add("CASE WHEN "+x+" IS NOT NULL THEN "+w+" END", b.counted.largest)
			}
		}
	}
	return carried, above
}

// most returns how far a cell of a feature may be from a number.
func (b *Bound) most(l int, from float64) float64 {
	return math.Max(math.Abs(b.ranges[l][0]-from), math.Abs(b.ranges[l][1]-from)) * (1 + 0x1p-50)
}

// pass reads the answer of a pass.
func (b *Bound) pass(rows [][]any, sums *exact, first bool) (fit.Pass, error) {
	s := b.formula.Sums
	z := s.NewSummed()
	z.Low = make([]float64, len(z.Sum))
	p := fit.Pass{Sizes: make([]int, s.K)}
	both := func(a *answer) float64 { high, low := a.sum(); return high + low }
	var totals []float64
	all := 0
	for _, row := range rows {
		a := sums.read(row, 4)
		j, counts, n := a.int(), a.int() > 0, a.number()
		if err := checkPlace(j, s.K); err != nil {
			return p, err
		}
		p.Moved += a.int()
		if first {
			p.Moved += int(n)
		}
		if all += int(n); !counts {
			continue
		}
		totals = sums.total(totals, *a)
		z.Rows[j] = n
		p.Sizes[j] = int(n)
		if s.Weighted {
			z.Mass[j] = both(a)
		}
		for l := range s.P {
			i := j*s.P + l
			z.Sum[i], z.Low[i] = a.sum()
			if s.Weighted {
				z.WeightedSum[i] = both(a)
			}
			if !s.Missing {
				continue
			}
			if z.Cells[i] = n; b.missing[l] {
				z.Cells[i] = a.number()
			}
			if !s.Weighted {
				continue
			}
			if z.CellMass[i] = z.Mass[j]; b.missing[l] {
				z.CellMass[i] = both(a)
			}
		}
	}
	p.Stats = s.Stats(z)
	if err := b.count(all); err != nil {
		return p, err
	}
	return p, b.agree(sums.String(), totals)
}

// Farthest implements fit.Passes. Of rows that are equally far, those with the lowest keys
// come first.
func (b *Bound) Farthest(ctx context.Context, m, by *framework.Model, count int) ([]fit.FarRow, error) {
	if by == nil {
		return nil, framework.Faultf(framework.Internal, "engine-labels", "rows of an engine have no labels of a start")
	}
	of, weight, where := b.far(m, by)
	p, cells := b.rows.p, strings.Join(b.cells(), ", ")
	limit := 2 * count
	rows, err := b.engine.Query(ctx, of.query(p+"j, "+weight+", "+cells, where, fmt.Sprintf(" ORDER BY %sf DESC, %sk LIMIT %d", p, p, limit)))
	if err != nil {
		return nil, err
	}
	if far := b.farRows(rows, count); len(far) == count || len(rows) < limit {
		return far, nil
	}
	if b.rows.weighted() { // many rows have the same cells: one of each
		weight = b.rows.At(weight, p+"k")
	}
	rows, err = b.engine.Query(ctx, of.query("min("+p+"j), "+weight+", "+cells, where,
		fmt.Sprintf(" GROUP BY %s ORDER BY max(%sf) DESC, min(%sk) LIMIT %d", cells, p, p, limit)))
	return b.farRows(rows, count), err
}

// far returns rows that are not at the centers of their labels, with the label j, the key, the distance f and the
// cells; what their weight is, and the condition.
func (b *Bound) far(m, by *framework.Model) (of layers, weight, where string) {
	r := b.rows
	own := b.labelling(by, "d")
	carried := append(r.carried(), b.cells()...)
	all := b.measureOf(b.all(), b.formula.Distance(m).Weights, r.p+"v", m.Centers.Rows)
	of = r.label(r.fitted(), []labelling{own}, []string{r.p + "j"}, carried).and(r.array(all)...).measured(all, m.Centers.Rows)
	distance := r.choose(r.p+"j", r.distances(all, m.Centers, r.compared))
	of = of.over(append(passed(append(carried, r.p+"j")), value{distance, r.p + "f"})...)
	weight, where = r.Number(1), r.p+"f > 0"
	if r.weighted() {
		weight, where = r.p+"w", where+" AND "+r.p+"w > 0"
	}
	return of, weight, where
}

// cells returns the aliases of the cells of all features.
func (b *Bound) cells() []string {
	names := make([]string, b.problem.P)
	for l := range names {
		names[l] = b.rows.name("x", l)
	}
	return names
}

// farRows reads up to count rows with different cells.
func (b *Bound) farRows(rows [][]any, count int) []fit.FarRow {
	var far []fit.FarRow
	for _, row := range rows {
		a := &answer{row: row}
		f := fit.FarRow{Label: int32(a.int()), Weight: a.number(), Cells: cellsOf(row[2:])}
		if !slices.ContainsFunc(far, func(other fit.FarRow) bool { return sameCells(other.Cells, f.Cells) }) {
			if far = append(far, f); len(far) == count {
				break
			}
		}
	}
	return far
}

// cellsOf reads the cells of a row; NaN is a missing one.
func cellsOf(values []any) []float64 {
	cells := make([]float64, len(values))
	for l, v := range values {
		cells[l] = numberOf(v, math.NaN())
	}
	return cells
}

// sameCells reports whether two rows have the same cells.
func sameCells(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}
