package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// longestCure is how many characters a relation may have that is proposed.
const longestCure = 180

// cure returns a relation in which columns that are meant to hold numbers are
// numbers, as a word for the shell; "" if there is none that fits a line and works.
// Each proposal is tried: DuckDB says of which types its columns would be.
func (db *DB) cure(ctx context.Context, r *Relation, looks map[*Column]*look) string {
	var meant []*Column
	for i := range r.Columns {
		if c := &r.Columns[i]; looks[c].meant() {
			meant = append(meant, c)
		}
	}
	var proposals []string
	if text, ok := csvCure(r, meant, looks); ok {
		proposals = append(proposals, text)
	}
	for _, quote := range []func(string) string{func(name string) string { return name }, schema.Quote} {
		proposals = append(proposals, replaceCure(r, meant, looks, quote))
	}
	for _, text := range proposals {
		if word := framework.ShellWord(text); len(word) <= longestCure && !strings.Contains(word, "\n") && db.cures(ctx, r, text, meant) {
			return word
		}
	}
	return ""
}

// cures reports whether a query has the columns of a relation, those that are
// meant to be numbers as numbers, and the others as they are.
func (db *DB) cures(ctx context.Context, r *Relation, query string, meant []*Column) bool {
	cured, err := db.describe(ctx, query)
	if err != nil || len(cured) != len(r.Columns) {
		return false
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		before, _ := classify(c.Type)
		after, _ := classify(cured[i].Type)
		if cured[i].Name != c.Name || slices.Contains(meant, c) && after != number || before == number && after != number {
			return false
		}
	}
	return true
}

// csvCure reads a CSV file anew, with what is not a number as NULL. That there are few
// such values is what makes them marks of missing ones.
func csvCure(r *Relation, meant []*Column, looks map[*Column]*look) (string, bool) {
	const most, longest = 8, 20
	if !r.isCSV() {
		return "", false
	}
	marks := []string{""} // which stays NULL
	comma := false
	for _, c := range meant {
		l := looks[c]
		if l.thousands() || l.oddKinds > len(l.odd) {
			return "", false
		}
		comma = comma || l.decimal > 0
		for _, o := range l.odd {
			if len(o.text) > longest {
				return "", false
			}
			if !slices.Contains(marks, o.text) {
				marks = append(marks, o.text)
			}
		}
	}
	if len(marks) > most {
		return "", false
	}
	text := "FROM read_csv(" + schema.Text(r.text)
	if len(marks) > 1 {
		text += ", nullstr=[" + strings.Join(input.NamesOf(marks, schema.Text), ", ") + "]"
	}
	if comma {
		text += ", decimal_separator=','"
	}
	return text + ")", true
}

// replaceCure reads each column with what is not a number as NULL.
func replaceCure(r *Relation, meant []*Column, looks map[*Column]*look, quote func(string) string) string {
	parts := make([]string, len(meant))
	for i, c := range meant {
		name := quote(c.Name)
		parts[i] = fmt.Sprintf("%s AS %s", looks[c].asNumber(name), name)
	}
	return "SELECT * REPLACE (" + strings.Join(parts, ", ") + ") FROM " + r.within()
}

// asNumber returns the SQL that makes numbers of a column of text.
func (l *look) asNumber(name string) string {
	switch {
	case l.thousands():
		name = "replace(" + name + ", ',', '')"
	case l.dots > 0:
		name = "replace(replace(" + name + ", '.', ''), ',', '.')"
	case l.decimal > 0:
		name = "replace(" + name + ", ',', '.')"
	}
	return "TRY_CAST(" + name + " AS DOUBLE)"
}

var plainTable = pattern.New(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)?$`)

// within returns the SQL of a relation, to be shown as part of a query.
func (r *Relation) within() string {
	switch {
	case strings.HasPrefix(r.Label, "file "):
		return schema.Text(r.text)
	case r.Label != "the query" && plainTable().MatchString(r.text):
		return r.text
	case r.Label != "the query":
		return r.From
	case strings.Contains(r.source, "--"):
		return "(\n" + r.source + "\n)"
	}
	return "(" + r.source + ")"
}
