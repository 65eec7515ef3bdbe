// Package schema has the result tables: one commented .sql file for each. These
// files create the tables, and the documents are made from them.
//
// In a file, {table} stands for the quoted name of the table, and {key} and
// {key_type} for the name and type of the row key.
//
// # Versions
//
// Tables that an older sqlcluster has written can still be shown, predicted from,
// replaced and dropped. So columns are added, never renamed or removed, and an added
// column says which version added it:
//
//	warm_from DOUBLE -- since version 2
//
// A column can be added at any place, since columns are bound by name. The first one
// after a release has the next version, which is then that of all tables. Version 0 are the
// tables of sqlcluster 0.1.
package schema

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
)

//go:embed *.sql
var files embed.FS

// The result tables. A table of run NAME is called NAME_ followed by one of these.
const (
	Assignments = "assignments"
	Centers     = "centers"
	Features    = "features"
	Clusters    = "clusters"
	Trace       = "trace"
	Violations  = "violations"
	Limits      = "limits"
	Distances   = "distances"
	Fit         = "fit"
	Run         = "run"

	Path            = "path"
	PathFeatures    = "path_features"
	PathAssignments = "path_assignments"

	Tune      = "tune"
	TuneFolds = "tune_folds"
	TuneDraws = "tune_draws"

	Stability         = "stability"
	StabilityFeatures = "stability_features"
	StabilityDraws    = "stability_draws"
	StabilityClusters = "stability_clusters"

	Silhouettes = "silhouettes"

	Progress = "progress" // of a fit whose rows stay in an engine, until it has ended

	Models = "models" // of a run with groups, whose other tables all begin with the columns of the groups

	Suggestions = "suggestions" // not a table of a run: the user names it
)

// OfFit lists the tables of a fit in the order in which they are written. Fits
// without pairs have no Violations, those without limits of clusters no Limits. Fits for which they are asked have Distances too.
func OfFit() []string {
	return []string{Assignments, Centers, Features, Clusters, Trace, Violations, Limits, Fit, Run}
}

// Names lists all tables that a run may have.
func Names() []string {
	return []string{Assignments, Centers, Features, Clusters, Trace, Violations, Limits, Distances, Path, PathFeatures, PathAssignments,
		Tune, TuneFolds, TuneDraws, Stability, StabilityFeatures, StabilityDraws, StabilityClusters, Silhouettes, Progress,
		Models, Fit, Run}
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
	Since               int // the first version of the tables with this column; 0: all
}

// Version returns the version of the tables that are written now: that of the
// column that was added last. The fit table has it.
var Version = sync.OnceValue(func() int {
	newest := 0
	for name := range described {
		for _, m := range sinceVersion().FindAllStringSubmatch(source(name), -1) {
			since, _ := strconv.Atoi(m[1])
			newest = max(newest, since)
		}
	}
	return newest
})

// Tables describes all result tables, in the order of Names, and the
// suggestions.
var Tables = sync.OnceValue(func() []Table {
	tables := make([]Table, 0, len(described))
	for _, name := range append(Names(), Suggestions) {
		tables = append(tables, tableOf(name))
	}
	return tables
})

// described has the descriptions of all result tables, each read when it is first
// asked for: a command needs few of them.
var described = func() map[string]func() Table {
	all := map[string]func() Table{}
	for _, name := range append(Names(), Suggestions) {
		all[name] = sync.OnceValue(func() Table { return describe(name, source(name)) })
	}
	return all
}()

// tableOf describes a result table; one that does not exist has no columns.
func tableOf(name string) Table {
	if read := described[name]; read != nil {
		return read()
	}
	return Table{}
}

// Comment returns the comment of a result table.
func Comment(table string) string { return tableOf(table).Comment }

// NonzeroCenters is the comment of a table of centers in which some entries have no row.
// A start knows it by that.
func NonzeroCenters() string {
	return Comment(Centers) + "; entries without a row are 0 in original units, or of features that are not selected (--center-rows)"
}

// AllColumns returns the names of the columns of a result table; the row key is
// {key}.
func AllColumns(table string) []string {
	var names []string
	for _, c := range tableOf(table).Columns {
		names = append(names, c.Name)
	}
	return names
}

// ColumnNames returns the names of the columns of a result table without the row key.
func ColumnNames(table string) []string {
	return slices.DeleteFunc(AllColumns(table), func(name string) bool { return name == "{key}" })
}

// Matches reports whether columns are the columns of a result table, now or in an
// older version, in order. The row key may have any name. Those of groups may come first.
func Matches(table string, columns []string) bool { return Grouping(table, columns) >= 0 }

// Versions returns the names of the columns of a result table in each version, the oldest
// first, without those that have another version's.
func Versions(table string) (all [][]string) {
	for version := 1; version <= Version(); version++ {
		var names []string
		for _, c := range tableOf(table).In(version) {
			names = append(names, c.Name)
		}
		if len(all) == 0 || !slices.Equal(all[len(all)-1], names) {
			all = append(all, names)
		}
	}
	return all
}

// Grouping returns how many of the columns of a result table are those of groups, which
// come first; −1 if they are not the columns of that table.
func Grouping(table string, columns []string) int {
	t := tableOf(table)
	for version := 0; t.Columns != nil && version <= Version(); version++ {
		of := t.In(version)
		first := len(columns) - len(of)
		if first >= 0 && slices.EqualFunc(of, columns[first:], func(c Column, name string) bool { return c.Name == "{key}" || c.Name == name }) {
			return first
		}
	}
	return -1
}

// In returns the columns that the table had in a version.
func (t Table) In(version int) []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Since > version })
}

// DDL returns the statements that create a result table in the given database
// schema ("" is the current one) and comment on its columns. name is the name
// of the table, unquoted. keyType is the SQL of the key's type, as DuckDB
// writes it; tables about rows have keys. The columns of groups, if there are any, come
// first.
func DDL(table, schema, name, key, keyType string, groups ...Column) string {
	text := source(table)
	var columns, comments strings.Builder
	for _, c := range groups {
		fmt.Fprintf(&columns, "    %s %s,\n", Quote(c.Name), c.Type)
		fmt.Fprintf(&comments, "COMMENT ON COLUMN %s.%s IS 'value of the group (--by)';\n", Qualified(schema, name), Quote(c.Name))
	}
	return strings.NewReplacer(
		"CREATE TABLE {table} (\n", "CREATE TABLE "+Qualified(schema, name)+" (\n"+columns.String(),
		"{table}", Qualified(schema, name),
		"{key}", Quote(key),
		"{key_type}", keyType,
	).Replace(text) + comments.String()
}

// Quote returns name as an SQL identifier. It is the only way in which names
// get into SQL.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Text returns text as an SQL string, for a COMMENT, in which it cannot be bound.
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
	sinceVersion  = pattern.New(`-- since version (\d+)`)
	columnLine    = pattern.New(`(?m)^    (\S+) (\S+?)( NOT NULL)?,?(?: -- since version (\d+))?$`)
	tableComment  = pattern.New(`(?m)^COMMENT ON TABLE \{table\} IS '(.*)';$`)
	columnComment = pattern.New(`(?m)^COMMENT ON COLUMN \{table\}\.(\S+) IS '(.*)';$`)
)

// describe reads the description of a table from the text of its file.
func describe(name, text string) Table {
	t := Table{Name: name}
	if m := tableComment().FindStringSubmatch(text); m != nil {
		t.Comment = unquote(m[1])
	}
	comments := map[string]string{}
	for _, m := range columnComment().FindAllStringSubmatch(text, -1) {
		comments[m[1]] = unquote(m[2])
	}
	for _, m := range columnLine().FindAllStringSubmatch(text, -1) {
		c := Column{Name: m[1], Type: m[2], Comment: comments[m[1]]}
		if m[4] != "" {
			c.Since, _ = strconv.Atoi(m[4])
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

func unquote(s string) string { return strings.ReplaceAll(s, "''", "'") }
