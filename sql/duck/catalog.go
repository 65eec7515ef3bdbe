package duck

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Table of the database, or a view.
type Table struct {
	Database string // "" for the one that was opened
	Schema   string
	Name     string
	View     bool
	Rows     int  // about, for tables
	current  bool // in the schema that names without one refer to
}

// Shown returns the name as a user would write it.
func (t Table) Shown() string {
	if t.current {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// Tables lists tables and views, ordered by schema and name.
func (db *DB) Tables(ctx context.Context) ([]Table, error) {
	const list = `
		SELECT database_name, schema_name, table_name, false AS view, schema_name = current_schema() OR temporary AS current, estimated_size
		FROM duckdb_tables() WHERE NOT internal AND (database_name = current_database() OR temporary)
		UNION ALL
		SELECT database_name, schema_name, view_name, true, schema_name = current_schema() OR temporary, 0
		FROM duckdb_views() WHERE NOT internal AND (database_name = current_database() OR temporary)
		ORDER BY 2, 3`
	if db.untouched() {
		return nil, nil
	}
	rows, err := db.Catalog(ctx, list)
	if err != nil {
		return nil, InternalFault("list-failed", "cannot list the tables of the database", err)
	}
	var tables []Table
	for _, r := range rows {
		t := Table{Schema: r[1].(string), Name: r[2].(string), View: r[3].(bool), current: r[4].(bool)}
		if n, ok := r[5].(int64); ok {
			t.Rows = int(n)
		}
		if r[0].(string) == "temp" {
			t.Database = "temp"
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// ColumnsOf lists the columns of a table of the database, in their order. A view
// that no longer works has none. The names come from a query that is planned but
// not run: DuckDB's own list of columns binds every view there is, its own
// included, which takes longer than everything else in most commands.
func (db *DB) ColumnsOf(ctx context.Context, t Table) ([]string, error) {
	names, err := db.plannedNames(ctx, "SELECT * FROM "+t.Qualified())
	if err == nil || t.View && ctx.Err() == nil {
		return names, nil
	}
	return nil, InternalFault("list-failed", "cannot list the columns of "+t.Name, err)
}

// FindTable returns the table that a name, perhaps with a schema, refers to.
// Case does not matter, as in SQL.
func FindTable(tables []Table, text string) (Table, bool) {
	for _, t := range tables {
		if t.current && strings.EqualFold(t.Name, text) {
			return t, true
		}
	}
	parts := SplitName(text)
	for _, t := range tables {
		switch len(parts) {
		case 1:
			if t.current && strings.EqualFold(t.Name, parts[0]) {
				return t, true
			}
		case 2:
			if strings.EqualFold(t.Schema, parts[0]) && strings.EqualFold(t.Name, parts[1]) {
				return t, true
			}
		}
	}
	return Table{}, false
}

// SplitName splits a name at its dots; parts may be in double quotes.
func SplitName(text string) []string {
	var parts []string
	var part strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			part.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, part.String())
}

// Qualified returns the SQL name of a table.
func (t Table) Qualified() string { return schema.Qualified(t.Database, t.Schema, t.Name) }
