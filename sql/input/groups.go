package input

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// Groups are those that the rows of a relation are in: rows that have the same values in
// some columns. They are in the order of the values, the first column first; NULL is a
// value like others, and the last.
type Groups struct {
	Columns []GroupColumn
	Sizes   []int // rows of each group
}

// A GroupColumn is a column by which rows are grouped. Its values have one entry a group.
type GroupColumn struct {
	Name   string
	Values Keys
	Null   []bool // entries that stand for NULL
}

// Parts are the rows of a relation in groups, each of which is a table of its own.
type Parts interface {
	// Groups lists the groups.
	Groups() *Groups
	// Query returns the SQL of a relation that has the rows of a group, and no column
	// by which they are grouped.
	Query(group int) string
	// Whole returns the query of the rows of all groups.
	Whole() string
	// Read returns the table that reading this relation gives. Several goroutines may
	// call it.
	Read(ctx context.Context, spec Spec, group int) (*Table, error)
	// Held reports whether the rows of all groups are in memory: no group is read from a
	// database.
	Held() bool
	// Close frees the rows. The tables of groups stay.
	Close() error
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.Sizes) }

// Names returns the names of the columns.
func (g *Groups) Names() []string {
	return NamesOf(g.Columns, func(c GroupColumn) string { return c.Name })
}

// Value returns the value of a column in a group: nil for NULL, else as Keys.Value.
func (c *GroupColumn) Value(group int) any {
	if c.Null[group] {
		return nil
	}
	return c.Values.Value(group)
}

// Row returns the values of a group, one a column.
func (g *Groups) Row(group int) []any {
	row := make([]any, len(g.Columns))
	for i := range row {
		row[i] = g.Columns[i].Value(group)
	}
	return row
}

// Text names a group: region = north, year = 2025.
func (g *Groups) Text(group int) string {
	all := make([]string, len(g.Columns))
	for i := range all {
		all[i] = g.Columns[i].Name + " = " + g.Columns[i].text(group)
	}
	return strings.Join(all, ", ")
}

func (c *GroupColumn) text(group int) string {
	if c.Null[group] {
		return "NULL"
	}
	return c.Values.Text(group)
}

// Item writes the values of a group as an item list that ParseItem reads: north,2025. NULL
// stands for NULL, and the text NULL is in double quotes, as are values with commas.
func (g *Groups) Item(group int) string {
	all := make([]string, len(g.Columns))
	for i := range all {
		c := &g.Columns[i]
		if all[i] = c.text(group); !c.Null[group] && (all[i] == "NULL" || all[i] == "" || strings.ContainsAny(all[i], `,"`) ||
			strings.TrimSpace(all[i]) != all[i]) {
			all[i] = schema.Quote(all[i])
		}
	}
	return strings.Join(all, ",")
}

// Condition is the SQL that is true of the rows of a group.
func (g *Groups) Condition(group int) string {
	all := make([]string, len(g.Columns))
	for i := range all {
		c := &g.Columns[i]
		all[i] = schema.Quote(c.Name)
		if c.Null[group] {
			all[i] += " IS NULL"
		} else {
			all[i] += " = " + literal(c.Values.Type(), c.Values.Text(group))
		}
	}
	return strings.Join(all, " AND ")
}

// literal is the SQL of a value, whose text is given.
func literal(typ, text string) string {
	if typ == "VARCHAR" || strings.HasPrefix(typ, "ENUM(") {
		return schema.Text(text)
	}
	return fmt.Sprintf("CAST(%s AS %s)", schema.Text(text), typ)
}

// Where is the query of the rows of a group of a relation, whose SQL follows FROM,
// without the columns by which they are grouped.
func (g *Groups) Where(from string, group int) string {
	return fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s WHERE %s", strings.Join(NamesOf(g.Names(), schema.Quote), ", "), from,
		g.Condition(group))
}

// Whole is the query of the rows of all groups, by that of one that Parts has made;
// false if it is not that.
func (g *Groups) Whole(query string, group int) (string, bool) {
	inner := g.Where("(\x00)", group)
	before, after, _ := strings.Cut(inner, "\x00")
	if len(query) < len(before)+len(after) || !strings.HasPrefix(query, before) || !strings.HasSuffix(query, after) {
		return "", false
	}
	return query[len(before) : len(query)-len(after)], true
}
