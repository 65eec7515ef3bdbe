package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// longest is how many terms stand in one chain. Databases bound how deep
// expressions are nested, and a chain is as deep as it is long.
const longest = 250

// scaled returns the value of a column, of which ref is the text, in fitted space.
func (w *writer) scaled(c *column, ref string) string { return w.fitted(c, w.cast(c, ref)) }

// fitted returns the fitted value of a number, or a category, in original units: text.
func (w *writer) fitted(c *column, text string) string {
	switch {
	case c.categorical:
		return text
	case c.location < 0:
		text += " + " + w.Number(-c.location)
	case c.location > 0:
		text += " - " + w.Number(c.location)
	}
	if c.scale == 1 {
		return text
	}
	if c.location != 0 {
		text = "(" + text + ")"
	}
	return text + " / " + w.Number(c.scale)
}

// formula returns the distance, before any root is taken, between a row and a
// center: x is the text of a cell, c that of an entry of the center.
func (w *writer) formula(x func(cell int) string, c func(entry int) string, indent string) string {
	var sums, terms []string
	for i := range w.model.cells {
		of := &w.model.cells[i]
		switch {
		case of.categorical:
			terms = append(terms, w.category(of, x(i), c))
		case of.weight != 0:
			terms = append(terms, w.term(of.weight, fmt.Sprintf("(%s - %s)", x(i), c(of.entry))))
		}
		if len(terms) == longest {
			sums, terms = append(sums, "("+strings.Join(terms, " +"+indent)+")"), nil
		}
	}
	if sums = append(sums, terms...); len(sums) > 0 {
		return strings.Join(sums, " +"+indent)
	}
	return w.Number(0)
}

// squares returns the sum of the squares of numbers; missing ones add nothing.
func squares(numbers []string, indent string) string {
	var sums []string
	for chunk := range slices.Chunk(numbers, longest) {
		terms := make([]string, len(chunk))
		for i, x := range chunk {
			terms[i] = fmt.Sprintf("coalesce(%s * %s, 0)", x, x)
		}
		sums = append(sums, "("+strings.Join(terms, " +"+indent)+")")
	}
	return strings.Join(sums, " +"+indent)
}

// term returns what a difference adds to the distance; a missing cell adds nothing.
func (w *writer) term(weight float64, difference string) string {
	text := ""
	if weight != 1 {
		text = w.Number(weight) + " * "
	}
	if w.model.loss.Squares() {
		text += difference + " * " + difference
	} else {
		text += "abs" + difference
	}
	return "coalesce(" + text + ", 0)"
}

// root returns the distance of a sum of terms.
func (w *writer) root(sum string) string {
	if w.model.loss.Squares() {
		return "sqrt(" + sum + ")"
	}
	return sum
}

// category returns what a category adds to the distance.
func (w *writer) category(of *column, x string, c func(int) string) string {
	null, unseen := "0", "0"
	if of.null >= 0 {
		null = c(of.null)
	}
	if w.o.Unseen == matrix.UnseenNearest {
		unseen = c(of.frequent)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CASE WHEN %s IS NULL THEN %s", x, null)
	for s, level := range of.levels {
		fmt.Fprintf(&b, " WHEN %s = %s THEN %s", x, w.Literal(level), c(of.entry+s))
	}
	return b.String() + " ELSE " + unseen + " END"
}

// guard returns the condition under which a row has a cluster; "" if it always has.
// x is the text of a cell.
func (w *writer) guard(x func(cell int) string) string {
	var needed, present []string
	always := false // there is a cell that tells clusters apart, whatever is in the row
	for i := range w.model.cells {
		c := &w.model.cells[i]
		has := x(i) + " IS NOT NULL"
		if c.categorical {
			known := w.known(c, x(i))
			if w.o.Unseen == "" || w.o.Unseen == matrix.UnseenError {
				needed = append(needed, known)
			}
			switch {
			case w.o.Unseen == matrix.UnseenIgnore && c.null < 0:
				has += " AND " + known
			case w.o.Unseen == matrix.UnseenIgnore:
				has = known
			case c.null >= 0:
				has = ""
			}
		}
		switch {
		case !w.model.observed && has != "":
			needed = append(needed, has)
		case w.model.observed && c.tells && has == "":
			always = true
		case w.model.observed && c.tells:
			present = append(present, has)
		}
	}
	if len(present) > 0 && !always {
		needed = append(needed, "("+strings.Join(present, " OR ")+")")
	}
	return strings.Join(needed, " AND ")
}

// known returns the condition that a cell is NULL or a category of the model.
func (w *writer) known(c *column, x string) string {
	text := "(" + x + " IS NULL"
	for _, level := range c.levels {
		text += " OR " + x + " = " + w.Literal(level)
	}
	return text + ")"
}

// refs returns the columns of the table t, or the arguments of a function.
func (w *writer) refs(ref func(of int, name string) string) []string {
	texts := make([]string, len(w.model.columns))
	for of, name := range w.model.columns {
		texts[of] = ref(of, name)
	}
	return texts
}

// ofTable is the column of the table t of a name.
func (w *writer) ofTable(_ int, name string) string { return "t." + w.Quote(name) }

// quoted is the argument of a function of a name.
func (w *writer) quoted(_ int, name string) string { return w.Quote(name) }
