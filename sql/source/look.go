package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A look says what the values of a column of text are like. NULLs are not values.
type look struct {
	values   int // that are not NULL
	distinct int // of them
	plain    int // are numbers
	decimal  int // have a decimal comma: 3,14 or 1.234,5
	grouped  int // have commas between thousands: 1,234 or 1,234.5
	comma    int // are one of both
	dots     int // have a decimal comma and dots between thousands
	points   int // are numbers with a dot that cannot stand between thousands: 3.5

	odd      []oddValue // the most frequent values that are not numbers
	oddKinds int        // how many such there are
	oddCount int        // and in how many rows
}

// An oddValue is a value that is not a number, with the number of its rows.
type oddValue struct {
	text string
	rows int
}

// Patterns of numbers with commas. A value such as 1,234 is both; whether a column
// has decimal commas or thousands is said by its other values.
const (
	decimalComma  = `[+-]?[0-9]+(\.[0-9]{3})*,[0-9]+([eE][+-]?[0-9]+)?`
	groupedCommas = `[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?`
	groupedDots   = `[+-]?[0-9]{1,3}\.[0-9]{3}`
)

// thousands reports whether commas part thousands: all of them can.
func (l *look) thousands() bool { return l.grouped > 0 && l.grouped == l.comma }

// unclear reports whether dots stand between thousands in some values, and before
// decimals in others. Then no query makes numbers of all.
func (l *look) unclear() bool { return !l.thousands() && l.dots > 0 && l.points > 0 }

// numbers is how many values are numbers, commas included.
func (l *look) numbers() int {
	if l.thousands() {
		return l.plain + l.grouped
	}
	return l.plain + l.decimal
}

// meant reports whether the column is meant to hold numbers: most values are.
func (l *look) meant() bool { return l != nil && 2*l.numbers() > l.values }

// conditions returns the SQL that is true for numbers, for decimal commas and for
// commas between thousands.
func conditions(c *Column) (plain, decimal, grouped string) {
	name := schema.Quote(c.Name)
	match := func(pattern string) string { return "regexp_full_match(trim(" + name + "), '" + pattern + "')" }
	return "coalesce(isfinite(TRY_CAST(" + name + " AS DOUBLE)), false)", match(decimalComma), match(groupedCommas)
}

// look reads what columns of text are like. Only of VARCHAR can values be numbers.
func (db *DB) look(ctx context.Context, r *Relation, columns []*Column) (map[*Column]*look, error) {
	const counts = 8
	var list []string
	for _, c := range columns {
		name := schema.Quote(c.Name)
		list = append(list, "count("+name+")", "count(DISTINCT "+name+")")
		if c.Type != "VARCHAR" {
			list = append(list, "0", "0", "0", "0", "0", "0")
			continue
		}
		plain, decimal, grouped := conditions(c)
		dot := " AND contains(" + name + ", '.')"
		point := plain + dot + " AND NOT regexp_full_match(trim(" + name + "), '" + groupedDots + "')"
		for _, condition := range []string{plain, decimal, grouped, decimal + " OR " + grouped, decimal + dot, point} {
			list = append(list, "count_if("+condition+")")
		}
	}
	for i := range list {
		list[i] = fmt.Sprintf("CAST(%s AS BIGINT)", list[i])
	}
	rows, err := db.Rows(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+r.From)
	if err != nil {
		return nil, err
	}
	looks := map[*Column]*look{}
	for i, c := range columns {
		var n [counts]int
		for j := range n {
			v, _ := rows[0][i*counts+j].(int64)
			n[j] = int(v)
		}
		l := &look{values: n[0], distinct: n[1], plain: n[2], decimal: n[3], grouped: n[4], comma: n[5], dots: n[6], points: n[7]}
		if l.meant() {
			if err := db.lookAtOdd(ctx, r, c, l); err != nil {
				return nil, err
			}
		}
		looks[c] = l
	}
	return looks, nil
}

// lookAtOdd reads the values that are not numbers, in a column that is meant to
// hold numbers.
func (db *DB) lookAtOdd(ctx context.Context, r *Relation, c *Column, l *look) error {
	if l.oddCount = l.values - l.numbers(); l.oddCount == 0 {
		return nil
	}
	plain, decimal, grouped := conditions(c)
	with := decimal
	if l.thousands() {
		with = grouped
	}
	name := schema.Quote(c.Name)
	sql := fmt.Sprintf("SELECT %s, count(*), CAST(count(*) OVER () AS BIGINT) FROM %s WHERE %s IS NOT NULL AND NOT %s AND NOT %s "+
		"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %d", name, r.From, name, plain, with, input.ShownLimit)
	rows, err := db.Rows(ctx, sql)
	for _, row := range rows {
		text, _ := row[0].(string)
		n, _ := row[1].(int64)
		kinds, _ := row[2].(int64)
		l.odd, l.oddKinds = append(l.odd, oddValue{text, int(n)}), int(kinds)
	}
	return err
}

// String says what is not a number in a column that is meant to hold numbers.
func (l *look) String() string {
	const shown = 5
	var parts []string
	of := func(n int, one, several string) string {
		return fmt.Sprintf("%d of %s %s", n, input.Plural(l.values, "value"), input.Agreed(n, one, several))
	}
	switch {
	case l.thousands():
		parts = append(parts, of(l.grouped, "has", "have")+" commas between thousands")
	case l.decimal > 0:
		parts = append(parts, of(l.decimal, "has", "have")+" a decimal comma")
		if l.unclear() {
			parts = append(parts, of(l.points, "has", "have")+" a decimal point")
		}
	}
	if l.oddCount > 0 {
		var texts []string
		for _, o := range l.odd[:min(shown, len(l.odd))] {
			texts = append(texts, fmt.Sprintf("%q (%d)", o.text, o.rows))
		}
		if l.oddKinds > shown {
			texts = append(texts, fmt.Sprintf("and %d more", l.oddKinds-shown))
		}
		parts = append(parts, of(l.oddCount, "is not a number", "are not numbers")+": "+strings.Join(texts, ", "))
	}
	if parts == nil {
		return "all values are numbers, but stored as text"
	}
	return strings.Join(parts, "; ")
}

// auto says whether --categorical auto makes categories of a column of text: of one
// that has few values, each of two rows and more on average, and that is not meant
// to be of numbers.
func (l *look) auto() bool { return !l.meant() && l.distinct <= MaxAuto && 2*l.distinct < l.values }
