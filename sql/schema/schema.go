// Package schema has the result tables: one commented .sql file for each. The
// files are what is run, and what the documents are made from.
//
// In a file, {table} stands for the quoted name of the table, and {key} and
// {key_type} for the name and type of the row key.
package schema

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed *.sql
var files embed.FS

// The result tables. A table of run NAME is called NAME_ and one of these.
const (
	Assignments = "assignments"
	Centers     = "centers"
	Features    = "features"
	Clusters    = "clusters"
	Trace       = "trace"
	Violations  = "violations"
	Fit         = "fit"
	Run         = "run"

	Path            = "path"
	PathFeatures    = "path_features"
	PathAssignments = "path_assignments"

	Tune      = "tune"
	TuneFolds = "tune_folds"

	Suggestions = "suggestions" // no table of a run: it has the name that the user gives it
)

// OfFit lists the tables of a fit in the order in which they are written. Fits
// without pairs have no Violations.
func OfFit() []string {
	return []string{Assignments, Centers, Features, Clusters, Trace, Violations, Fit, Run}
}

// OfPath lists the tables of a path in the order in which they are written; the
// assignments are there only when they were asked for.
func OfPath() []string { return []string{Path, PathFeatures, PathAssignments, Fit, Run} }

// Names lists all tables that a run may have.
func Names() []string {
	return []string{Assignments, Centers, Features, Clusters, Trace, Violations, Path, PathFeatures, PathAssignments, Tune, TuneFolds, Fit, Run}
}

// A Table describes a result table.
type Table struct {
	Name    string
	Comment string
	Columns []Column
}

// A Column describes a column of a result table. The row key has the name
// {key} and the type {key_type}.
type Column struct {
	Name, Type, Comment string
}

// Tables describes all result tables, in the order of Names, and the
// suggestions.
var Tables = sync.OnceValue(func() []Table {
	names := append(Names(), Suggestions)
	tables := make([]Table, 0, len(names))
	for _, name := range names {
		tables = append(tables, describe(name, source(name)))
	}
	return tables
})

// Comment returns the comment of a result table.
func Comment(table string) string {
	for _, t := range Tables() {
		if t.Name == table {
			return t.Comment
		}
	}
	return ""
}

// ColumnNames returns the names of the columns of a result table, the row key
// left out.
func ColumnNames(table string) []string {
	var names []string
	for _, t := range Tables() {
		if t.Name != table {
			continue
		}
		for _, c := range t.Columns {
			if c.Name != "{key}" {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// added are the last columns of tables that did not always have them: a table
// without them is one of a run, too.
var added = map[string]int{Path: 1} // warm_from

// Matches reports whether columns are those of a result table, in their order.
// A row key may have any name.
func Matches(table string, columns []string) bool {
	for _, t := range Tables() {
		if t.Name != table || len(columns) > len(t.Columns) || len(columns) < len(t.Columns)-added[table] {
			continue
		}
		for i, name := range columns {
			if c := t.Columns[i].Name; c != "{key}" && c != name {
				return false
			}
		}
		return true
	}
	return false
}

// DDL returns the statements that create a result table in the given database
// schema ("" is the current one) and comment on its columns. name is the name
// of the table, unquoted. keyType is the SQL of the key's type, as DuckDB
// writes it; tables about rows have keys.
func DDL(table, schema, name, key, keyType string) string {
	return strings.NewReplacer(
		"{table}", Qualified(schema, name),
		"{key}", Quote(key),
		"{key_type}", keyType,
	).Replace(source(table))
}

// Quote returns name as an SQL identifier. It is the only way in which names
// get into SQL.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Text returns text as an SQL string, where it cannot be bound: in a COMMENT.
func Text(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Qualified quotes the parts of a name and joins them with dots, leaving out
// empty ones.
func Qualified(parts ...string) string {
	quoted := make([]string, 0, len(parts))
	for _, p := range parts {
		if p != "" {
			quoted = append(quoted, Quote(p))
		}
	}
	return strings.Join(quoted, ".")
}

func source(table string) string {
	text, err := files.ReadFile(table + ".sql")
	if err != nil {
		panic(fmt.Sprintf("schema: no result table %q", table))
	}
	return string(text)
}

var (
	columnLine    = regexp.MustCompile(`(?m)^    (\S+) (\S+?)( NOT NULL)?,?$`)
	tableComment  = regexp.MustCompile(`(?m)^COMMENT ON TABLE \{table\} IS '(.*)';$`)
	columnComment = regexp.MustCompile(`(?m)^COMMENT ON COLUMN \{table\}\.(\S+) IS '(.*)';$`)
)

// describe reads a description off the text of a file.
func describe(name, text string) Table {
	t := Table{Name: name}
	if m := tableComment.FindStringSubmatch(text); m != nil {
		t.Comment = unquote(m[1])
	}
	comments := map[string]string{}
	for _, m := range columnComment.FindAllStringSubmatch(text, -1) {
		comments[m[1]] = unquote(m[2])
	}
	for _, m := range columnLine.FindAllStringSubmatch(text, -1) {
		t.Columns = append(t.Columns, Column{Name: m[1], Type: m[2], Comment: comments[m[1]]})
	}
	return t
}

func unquote(s string) string { return strings.ReplaceAll(s, "''", "'") }
