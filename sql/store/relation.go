package store

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// relation is something that rows are read from.
type relation struct {
	text   string // as the user gave it
	from   string // SQL that may stand after FROM
	stable bool   // a base table or a file: its row numbers mean something
	table  bool
}

var queryStart = regexp.MustCompile(`(?i)^\s*(\(|(select|with|from|values|pivot|unpivot)\b)`)

// resolve finds out what text stands for: a query, a table or view, or a file.
func (db *DB) resolve(ctx context.Context, text string) (relation, error) {
	if strings.TrimSpace(text) == "" {
		return relation{}, framework.Faultf(framework.Usage, "relation-not-found", "the name of the relation is empty")
	}
	if queryStart.MatchString(text) {
		return db.query(text)
	}
	names, kind, err := db.findTable(ctx, text)
	if err != nil {
		return relation{}, err
	}
	if kind != "" {
		return relation{text: text, from: names, stable: kind == "BASE TABLE", table: kind == "BASE TABLE"}, nil
	}
	if matches, _ := filepath.Glob(text); len(matches) > 0 || exists(text) {
		return relation{text: text, from: schema.Quote(text), stable: true}, nil
	}
	return relation{}, db.notFound(ctx, text)
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// query checks that text is one SELECT, by itself.
func (db *DB) query(text string) (relation, error) {
	var conn bindings.Connection
	if bindings.Connect(db.raw, &conn) == bindings.StateError {
		return relation{}, framework.Faultf(framework.Internal, "database", "cannot connect to DuckDB")
	}
	defer bindings.Disconnect(&conn)
	var statements bindings.ExtractedStatements
	count := bindings.ExtractStatements(conn, text, &statements)
	defer bindings.DestroyExtracted(&statements)
	if count == 0 {
		return relation{}, duckFault(framework.Data, "bad-query", "the query has an error", bindings.ExtractStatementsError(statements))
	}
	if count > 1 {
		return relation{}, framework.Faultf(framework.Data, "bad-query", "the relation has %d statements; it must be one SELECT", count)
	}
	var prepared bindings.PreparedStatement
	defer bindings.DestroyPrepare(&prepared)
	if bindings.PrepareExtractedStatement(conn, statements, 0, &prepared) == bindings.StateError {
		return relation{}, duckFault(framework.Data, "bad-query", "the query has an error", bindings.PrepareError(prepared))
	}
	if bindings.PreparedStatementType(prepared) != bindings.StatementTypeSelect {
		return relation{}, framework.Faultf(framework.Data, "bad-query", "the relation must be a SELECT")
	}
	body := strings.TrimRight(strings.TrimSpace(text), "; \t\r\n")
	return relation{text: text, from: "(\n" + body + "\n)"}, nil
}

// findTable looks for a table or view by its name, with or without a schema.
func (db *DB) findTable(ctx context.Context, text string) (quoted, kind string, err error) {
	schemaName, name := splitName(text)
	for _, try := range [][2]string{{"", text}, {schemaName, name}} {
		var foundSchema string
		row := db.conn.QueryRowContext(ctx, `SELECT table_schema, table_type FROM information_schema.tables
			WHERE lower(table_name) = lower(?) AND (? = '' OR lower(table_schema) = lower(?))
			  AND table_catalog IN (current_database(), 'temp') AND (? <> '' OR table_schema = current_schema())`, try[1], try[0], try[0], try[0])
		if row.Scan(&foundSchema, &kind) == nil {
			return schema.Quote(foundSchema) + "." + schema.Quote(try[1]), kind, nil
		}
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
	}
	return "", "", nil
}

// splitName cuts "schema.name" at its dot; without one the schema is "".
func splitName(text string) (schemaName, name string) {
	if s, n, ok := strings.Cut(text, "."); ok && s != "" && n != "" {
		return s, n
	}
	return "", text
}

func (db *DB) notFound(ctx context.Context, text string) error {
	f := framework.Faultf(framework.Data, "relation-not-found", "there is no table, view or file %q", text)
	if db.path == "" {
		f.Hint = "to read a table, say in which database it is: --db FILE"
	}
	rows, err := db.conn.QueryContext(ctx, `SELECT table_name FROM information_schema.tables WHERE table_catalog = current_database()`)
	if err != nil {
		return f
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if rows.Scan(&name) == nil {
			names = append(names, name)
		}
	}
	if entries, err := os.ReadDir("."); err == nil && rows.Err() == nil {
		for _, e := range entries {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	f.Similar = framework.Closest(text, names)
	return f
}
