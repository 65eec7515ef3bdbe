package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// rows write the rows of a relation, layer by layer, each a subquery of the next. All
// aliases begin with the prefix p, which no column of the relation does:
//
//	raw     k the key, w the weight, c0, c1, … the sources: numbers, or the places of
//	        categories among the features of the source
//	fitted  k, w, x0, x1, … the cells of the features in fitted space, NULL where missing
type rows struct {
	dialect.Dialect
	from     string
	p        string
	selected *selection
	keep     string // condition of the rows that are read; "": all are
	left     string // condition of those that are left out; "": none is
	recipe   matrix.Recipe
	unseen   matrix.Unseen
}

// name returns an alias.
func (r *rows) name(kind string, i int) string { return fmt.Sprintf("%s%s%d", r.p, kind, i) }

// column returns the SQL of a source in the relation.
func (r *rows) column(s source) string {
	if s.absent {
		return "NULL"
	}
	return r.Quote(s.Name)
}

// leave says which rows are left out: those with NULLs (drop), or without any cell (blank).
func (r *rows) leave(drop, blank bool) {
	var nulls, cells []string
	for _, s := range r.selected.sources {
		switch {
		case s.nullLevel && !drop && !s.absent:
			return // the row has a cell in any case
		case s.nullLevel, s.absent, !s.Nullable && drop:
		case !s.Nullable:
			return
		default:
			nulls, cells = append(nulls, r.column(s)+" IS NULL"), append(cells, r.column(s)+" IS NOT NULL")
		}
	}
	switch {
	case nulls == nil:
	case drop:
		r.left = "(" + strings.Join(nulls, " OR ") + ")"
		r.keep = "(" + strings.Join(cells, " AND ") + ")"
	case blank:
		r.left = "(" + strings.Join(nulls, " AND ") + ")"
		r.keep = "(" + strings.Join(cells, " OR ") + ")"
	}
}

// raw returns the rows as they are; also is what is read beside.
func (r *rows) raw(also ...value) layers { return r.cells("c", also) }

// cells returns the rows as they are, with aliases of a kind.
func (r *rows) cells(kind string, also []value) layers {
	values := []value{{r.Quote(r.selected.key.Name), r.p + "k"}}
	if r.selected.weight != nil {
		values = append(values, value{r.Float(r.Quote(r.selected.weight.Name)), r.p + "w"})
	}
	for t, s := range r.selected.sources {
		values = append(values, value{r.cell(t, s), r.name(kind, t)})
	}
	return layers{rows: r}.over(append(values, also...)...)
}

// cell returns a source as a number: a number, or the place of its category, NULL if the
// cell is missing, −1 if the category has no feature.
func (r *rows) cell(t int, s source) string {
	if !s.category {
		return r.Float(r.column(s))
	}
	column, null, unseen := r.Text(r.column(s)), "NULL", "-1"
	var when strings.Builder
	for place, f := range r.features(t) {
		if f.Null {
			null = fmt.Sprint(place)
			continue
		}
		fmt.Fprintf(&when, " WHEN %s = %s THEN %d", column, r.Literal(f.Category), place)
	}
	if null == "NULL" && s.nullLevel {
		null = "-1"
	}
	switch r.unseen {
	case matrix.UnseenIgnore:
		unseen = "NULL"
	case matrix.UnseenNearest:
		unseen = fmt.Sprint(mostFrequent(r.features(t)))
	}
	return r.Float("CASE WHEN " + r.column(s) + " IS NULL THEN " + null + when.String() + " ELSE " + unseen + " END")
}

// mostFrequent returns the place of the category that most of the row weight has.
func mostFrequent(of []matrix.Feature) int {
	most := 0
	for place, f := range of {
		if f.Share > of[most].Share {
			most = place
		}
	}
	return most
}

// features returns those of a source, which are next to each other.
func (r *rows) features(t int) []matrix.Feature {
	first := 0
	for s := range t {
		first += r.width(s, first)
	}
	return r.recipe.Features[first : first+r.width(t, first)]
}

// width returns how many features a source has, the first of which is this one.
func (r *rows) width(t, first int) int {
	s := r.selected.sources[t]
	if !s.category {
		return 1
	}
	n := first
	for n < len(r.recipe.Features) && r.recipe.Features[n].Source == s.Name {
		n++
	}
	return n - first
}

// fitted returns the rows in fitted space.
func (r *rows) fitted(also ...value) layers {
	values := passed(r.carried(also...))
	at := 0
	for t := range r.selected.sources {
		for place := range r.features(t) {
			values = append(values, value{r.scaled(t, at, place), r.name("x", at)})
			at++
		}
	}
	return r.normalised(also).over(values...)
}

// carried returns the key, the weight and the aliases of what is read beside.
func (r *rows) carried(also ...value) []string {
	list := []string{r.p + "k"}
	if r.weighted() {
		list = append(list, r.p+"w")
	}
	for _, a := range also {
		list = append(list, a.name)
	}
	return list
}

func (r *rows) weighted() bool { return r.selected.weight != nil }

// scaled returns the cell of a feature.
func (r *rows) scaled(t, feature, place int) string {
	c, f := r.name("c", t), r.recipe.Features[feature]
	if f.IsCategory() {
		one, zero := r.recipe.Fitted(feature, 1), r.recipe.Fitted(feature, 0)
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL WHEN %s = %d THEN %s ELSE %s END", c, c, place, r.Number(one), r.Number(zero))
	}
	return r.over(r.less(c, f.Location), f.Scale)
}

// less returns a value less a number.
func (r *rows) less(value string, number float64) string {
	switch {
	case number > 0:
		return "(" + value + " - " + r.Number(number) + ")"
	case number < 0:
		return "(" + value + " + " + r.Number(-number) + ")"
	}
	return value
}

func (r *rows) over(value string, by float64) string {
	if by == 1 {
		return value
	}
	return value + " / " + r.Number(by)
}

// greatest returns the largest of numbers, none of which is NULL.
func (r *rows) greatest(values []string) string {
	negative := make([]string, len(values))
	for i, v := range values {
		negative[i] = "-" + v
	}
	return "-" + r.Least(negative)
}

// longest is how many terms stand in one chain: databases bound how deep expressions are
// nested.
const longest = 200

// sum returns the sum of values, from the left.
func (r *rows) sum(values []string) string {
	if len(values) == 0 {
		return r.Number(0)
	}
	var sums []string
	for chunk := range slices.Chunk(values, longest) {
		text := strings.Join(chunk, " + ")
		if len(values) > longest {
			text = "(" + text + ")"
		}
		sums = append(sums, text)
	}
	return strings.Join(sums, " + ")
}
