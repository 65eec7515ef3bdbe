package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// untold returns the condition that a row has no cell in any of the features that tell the
// centers of a model apart: nothing but the order of the clusters would choose its own. "": no row is so.
func (b *Bound) untold(l labelling) string {
	if l.trivial() {
		return ""
	}
	var nulls []string
	for _, f := range append(slices.Clone(l.whole), l.parts...) {
		if !b.missing[f] {
			return ""
		}
		nulls = append(nulls, b.rows.name("x", f)+" IS NULL")
	}
	return strings.Join(nulls, " AND ")
}

// labelled returns rows with their label j, −1 where it is untold, and all of carried.
func (b *Bound) labelled(m *framework.Model, carried []string, also ...value) layers {
	r := b.rows
	l := b.labelling(m, "d")
	list := carried
	untold := b.untold(l)
	if untold != "" {
		for _, f := range l.parts {
			if x := r.name("x", f); !slices.Contains(list, x) {
				list = append(list[:len(list):len(list)], x)
			}
		}
	}
	if untold == "" {
		return r.label(r.fitted(also...), []labelling{l}, []string{r.p + "j"}, list)
	}
	of := r.label(r.fitted(also...), []labelling{l}, []string{r.p + "h"}, list) // no alias has the name of what it is made of
	return of.over(append(passed(carried), value{"CASE WHEN " + untold + " THEN -1 ELSE " + r.p + "h END", r.p + "j"})...)
}

// Summarise says what is in each cluster that a model makes. Rows of weight 0 are in Untold alone.
func (b *Bound) Summarise(ctx context.Context, m *framework.Model) (result.Summary, error) {
	r, k, p := b.rows, b.problem.K, b.problem.P
	all := b.measureOf(b.all(), b.formula.Distance(m).Weights, r.p+"v", k)
	carried := append(r.carried(), b.cells()...)
	values := append(passed(append(carried, r.p+"j")), value{r.own(all, m.Centers), r.p + "f"})
	sums := newExact(r.Dialect, b.counted.n)
	by := func(value string) string { return value }
	heaviest, counts, group := 1.0, "1", r.p+"j"
	if r.weighted() {
		heaviest, counts, group = b.counted.largest, r.p+"u", r.p+"j, "+r.p+"u"
		values = append(values, value{"CASE WHEN " + r.p + "w > 0 THEN 1 ELSE 0 END", counts})
		by = func(value string) string { return r.p + "w * " + value }
		sums.add(r.p+"w", heaviest)
	}
	sums.add(by(r.p+"f"), heaviest*b.farthestSquare(all, m.Centers))
	for l := range p {
		x, most := r.name("x", l), b.most(l, 0)
		sums.add(by(x), heaviest*most)
		sums.add(by(x)+" * "+x, heaviest*most*most)
		if b.missing[l] {
			if r.weighted() {
				sums.add("CASE WHEN "+x+" IS NOT NULL THEN "+r.p+"w END", heaviest)
			} else {
				sums.plain("count(" + x + ")")
			}
		}
	}
	rows, err := b.engine.Query(ctx, b.labelled(m, carried).and(r.array(all)...).measured(all, k).over(values...).
		query(fmt.Sprintf("%sj, %s, count(*), %s", r.p, counts, sums), "", " GROUP BY "+group+" ORDER BY "+group))
	if err != nil {
		return result.Summary{}, err
	}
	s, err := b.summary(rows, sums)
	if err != nil {
		return s, err
	}
	n := s.Untold
	for _, size := range s.Sizes {
		n += size
	}
	return s, b.count(n)
}

// own returns the squared distance of a row from the center of its label j.
func (r *rows) own(m measure, centers framework.Matrix) string {
	return r.choose(r.p+"j", r.distances(m, centers, r.squared))
}

// farthestSquare is a bound of the squared distances of rows from centers.
func (b *Bound) farthestSquare(m measure, centers framework.Matrix) float64 {
	square := 0.0
	for l := range centers.Cols {
		far := 0.0
		for j := range centers.Rows {
			far = max(far, b.most(l, centers.Row(j)[l]))
		}
		square += m.weight(l) * far * far
	}
	return square * (1 + 0x1p-40)
}

// summary reads the answer of Summarise.
func (b *Bound) summary(rows [][]any, sums *exact) (result.Summary, error) {
	r, k, p := b.rows, b.problem.K, b.problem.P
	s := result.Summary{Sizes: make([]int, k), Mass: make([]float64, k), Inertia: make([]float64, k), Sum: framework.NewMatrix(k, p),
		Square: make([]float64, p)}
	if slices.Contains(b.missing, true) {
		s.CellMass = framework.NewMatrix(k, p)
	}
	for _, row := range rows {
		a := sums.read(row, 3)
		both := func() float64 { high, low := a.sum(); return high + low }
		j, counts, n := a.int(), a.int() > 0, a.int()
		if j < 0 {
			s.Untold += n
			continue
		}
		if err := checkPlace(j, k); err != nil {
			return s, err
		}
		if s.Sizes[j] += n; !counts {
			continue
		}
		if s.Mass[j] = float64(n); r.weighted() {
			s.Mass[j] = both()
		}
		s.Inertia[j] = both()
		for l := range p {
			s.Sum.Row(j)[l] = both()
			s.Square[l] += both()
			switch {
			case s.CellMass.Data == nil:
			case !b.missing[l]:
				s.CellMass.Row(j)[l] = s.Mass[j]
			case r.weighted():
				s.CellMass.Row(j)[l] = both()
			default:
				s.CellMass.Row(j)[l] = a.number()
			}
		}
	}
	return s, nil
}

// Crosstab counts the rows by their clusters in two models: k of a × k of b.
func (b *Bound) Crosstab(ctx context.Context, x, y *framework.Model) ([][]int, error) {
	r := b.rows
	i, j := r.p+"i", r.p+"j"
	both := i + ", " + j
	of := r.label(r.fitted(), []labelling{b.labelling(x, "d"), b.labelling(y, "e")}, []string{i, j}, nil)
	rows, err := b.engine.Query(ctx, of.query(both+", count(*)", "", " GROUP BY "+both+" ORDER BY "+both))
	if err != nil {
		return nil, err
	}
	table := make([][]int, x.Centers.Rows)
	for i := range table {
		table[i] = make([]int, y.Centers.Rows)
	}
	for _, row := range rows {
		a := &answer{row: row}
		i, j := a.int(), a.int()
		if err := errors.Join(checkPlace(i, len(table)), checkPlace(j, y.Centers.Rows)); err != nil {
			return nil, err
		}
		table[i][j] = a.int()
	}
	return table, nil
}

// Classes counts the rows by the values of a column, NULL being no class, and by their clusters. Classes
// have the order of the lowest key that has each.
func (b *Bound) Classes(ctx context.Context, m *framework.Model, column string) ([]input.TruthCell, error) {
	at, err := b.from.column(column, "truth")
	if err != nil {
		return nil, err
	}
	r := b.rows
	v := r.p + "t"
	of := b.labelled(m, []string{r.p + "k", v}, value{r.Text(r.Quote(b.from.Columns[at].Name)), v})
	rows, err := b.engine.Query(ctx, of.query(fmt.Sprintf("%s, %sj, count(*)", v, r.p), "",
		fmt.Sprintf(" GROUP BY %s, %sj ORDER BY min(%sk), %sj", v, r.p, r.p, r.p)))
	if err != nil {
		return nil, err
	}
	var cells []input.TruthCell
	number := map[string]int32{}
	for _, row := range rows {
		class := int32(-1)
		if row[0] != nil {
			known, ok := number[textOf(row[0])]
			if !ok {
				known = int32(len(number))
				number[textOf(row[0])] = known
			}
			class = known
		}
		cells = append(cells, input.TruthCell{Class: class, Cluster: int32(numberOf(row[1], -1)), Rows: int(numberOf(row[2], 0))})
	}
	return cells, nil
}
