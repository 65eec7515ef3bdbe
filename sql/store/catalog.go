package store

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A table of the database, or a view.
type table struct {
	database string // "" for the one that was opened
	schema   string
	name     string
	view     bool
	rows     int  // about, for tables
	current  bool // in the schema that names without one refer to
}

// shown returns the name as a user would write it.
func (t table) shown() string {
	if t.current {
		return t.name
	}
	return t.schema + "." + t.name
}

// tables lists tables and views, ordered by schema and name.
func (db *DB) tables(ctx context.Context) ([]table, error) {
	const list = `
		SELECT database_name, schema_name, table_name, false AS view, schema_name = current_schema() OR temporary AS current, estimated_size
		FROM duckdb_tables() WHERE NOT internal AND (database_name = current_database() OR temporary)
		UNION ALL
		SELECT database_name, schema_name, view_name, true, schema_name = current_schema() OR temporary, 0
		FROM duckdb_views() WHERE NOT internal AND (database_name = current_database() OR temporary)
		ORDER BY 2, 3`
	rows, err := db.rows(ctx, list)
	if err != nil {
		return nil, internalFault("list-failed", "cannot list the tables of the database", err)
	}
	var tables []table
	for _, r := range rows {
		t := table{schema: r[1].(string), name: r[2].(string), view: r[3].(bool), current: r[4].(bool)}
		if n, ok := r[5].(int64); ok {
			t.rows = int(n)
		}
		if r[0].(string) == "temp" {
			t.database = "temp"
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// columnNames lists the columns of a table of the database, in their order. A
// view that no longer works has none. They are those of a query that is planned
// and not run: DuckDB's own list of columns binds every view there is, its own
// included, which takes longer than all else that most commands do.
func (db *DB) columnNames(ctx context.Context, t table) ([]string, error) {
	names, err := db.plannedNames(ctx, "SELECT * FROM "+t.qualified())
	if err == nil || t.view && ctx.Err() == nil {
		return names, nil
	}
	return nil, internalFault("list-failed", "cannot list the columns of "+t.name, err)
}

// findTable returns the table that a name, perhaps with a schema, refers to.
// Case does not matter, as in SQL.
func findTable(tables []table, text string) (table, bool) {
	for _, t := range tables {
		if t.current && strings.EqualFold(t.name, text) {
			return t, true
		}
	}
	parts := splitName(text)
	for _, t := range tables {
		switch len(parts) {
		case 1:
			if t.current && strings.EqualFold(t.name, parts[0]) {
				return t, true
			}
		case 2:
			if strings.EqualFold(t.schema, parts[0]) && strings.EqualFold(t.name, parts[1]) {
				return t, true
			}
		}
	}
	return table{}, false
}

// splitName splits a name at its dots; parts may be in double quotes.
func splitName(text string) []string {
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

// rows returns all rows of a small result, with values as Keys.Value gives them
// and nil for NULL.
func (db *DB) rows(ctx context.Context, sql string, args ...any) ([][]any, error) {
	var rows [][]any
	err := db.stream(ctx, sql, args, func(c chunk) error {
		columns, err := valuesOf(c)
		if err != nil {
			return err
		}
		for i := range c.rows {
			row := make([]any, len(columns))
			for j, value := range columns {
				row[j] = value(i)
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// qualified returns the SQL name of a table.
func (t table) qualified() string { return schema.Qualified(t.database, t.schema, t.name) }
