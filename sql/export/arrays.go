package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// defaultSize is how many bytes of a statement ClickHouse reads unless it is told.
const defaultSize = 1 << 18

// arrays writes for ClickHouse, in which a subquery cannot read the row beside it:
// the centers are an array of arrays.
func (w *writer) arrays() {
	if w.o.As == Query {
		refs := w.refs(w.ofTable)
		w.linef("SELECT t.*,\n  %s AS cluster", w.picked("cluster", refs))
		if w.o.Distance {
			w.linef("  , %s AS distance", w.picked("distance", refs))
		}
		w.linef("FROM %s AS t;", w.o.From)
	} else {
		names := w.refs(w.quoted)
		for _, what := range []string{"cluster", "distance"} {
			if what == "cluster" || w.o.Distance {
				w.linef("CREATE OR REPLACE FUNCTION %s AS (%s) ->\n  %s;", w.Quote(w.o.Name+"_"+what), strings.Join(names, ", "), w.picked(what, names))
			}
		}
	}
	if text := w.text.String(); len(text) > defaultSize {
		w.text.Reset()
		w.linef("-- Before this: SET max_query_size = %d;\n%s", 2*len(text), text)
	}
}

// picked returns the expression of the cluster or of the distance.
func (w *writer) picked(what string, refs []string) string {
	center, distances := w.free("c"), w.free("d")
	x := func(cell int) string { return w.scaled(&w.model.cells[cell], refs[w.model.cells[cell].of]) }
	cast := func(cell int) string { return w.cast(&w.model.cells[cell], refs[w.model.cells[cell].of]) }
	before, after := "", ""
	if w.model.norm {
		before, after = w.normalised(cast)
		cast = func(cell int) string { return fmt.Sprintf("%s[%d]", w.free("x"), cell+1) }
		x = func(cell int) string { return w.fitted(&w.model.cells[cell], cast(cell)) }
	}
	c := func(entry int) string { return fmt.Sprintf("%s[%d]", center, entry+1) }
	rows := make([]string, len(w.model.centers))
	for j, row := range w.model.centers {
		numbers := make([]string, len(row))
		for i, v := range row {
			numbers[i] = w.Number(v)
		}
		rows[j] = "[" + strings.Join(numbers, ", ") + "]"
	}
	pick := fmt.Sprintf("toInt32(indexOf(%s, arrayMin(%s)) - 1)", distances, distances)
	if what == "distance" {
		pick = w.root("arrayMin(" + distances + ")")
	}
	guard := cmp.Or(w.guard(cast), "true")
	const indent = "\n      "
	return before + fmt.Sprintf("CASE WHEN %s THEN arrayMap(%s -> %s, [arrayMap(%s ->%s%s,\n    [%s])])[1] END",
		guard, distances, pick, center, indent, w.formula(x, c, indent), strings.Join(rows, ",\n     ")) + after
}

// normalised returns what stands before and after an expression in which the name x is
// the array of the cells of a row, divided by its length: by the largest number first, so
// that no square overflows.
func (w *writer) normalised(cast func(cell int) string) (before, after string) {
	cells := make([]string, len(w.model.cells))
	for i := range cells {
		cells[i] = cast(i)
	}
	y, v, d, one := w.free("y"), w.free("v"), w.free("d"), w.Number(1)
	divided := func(array, by string) string { // 0: by 1
		return fmt.Sprintf("arrayMap(%s -> arrayMap((%s, %s) -> %s / %s, %s, arrayWithConstant(length(%s), coalesce(nullif(%s, 0), %s))), "+
			"[%s])[1]",
			y, v, d, v, d, y, y, by, one, array)
	}
	text := divided("["+strings.Join(cells, ", ")+"]", fmt.Sprintf("arrayMax(arrayMap(%s -> abs(coalesce(%s, 0)), %s))", v, v, y))
	text = divided(text, fmt.Sprintf("sqrt(arraySum(arrayMap(%s -> coalesce(%s * %s, 0), %s)))", v, v, v, y))
	return fmt.Sprintf("arrayMap(%s -> ", w.free("x")), ", [" + text + "])[1]"
}

// free returns a name that no argument has.
func (w *writer) free(name string) string {
	for slices.Contains(w.model.columns, name) {
		name += "_"
	}
	return name
}
