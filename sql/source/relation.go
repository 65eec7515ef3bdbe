package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Relation is what follows FROM in a query, and what is known of it.
type Relation struct {
	text    string // as given
	From    string // SQL
	source  string // SQL to be recorded: a query that stands for itself
	Label   string // for messages: table "t", file x.csv, the query
	ordered bool   // its rows have numbers of their own: a base table or a file
	hint    int    // rows, if known
	kept    bool   // it is a copy of a small file
	Columns []Column
	of      string // what one of Columns is, for messages; "": a column
	drop    string // SQL that removes what was made for it
}

// A Column of a relation.
type Column struct {
	Name string
	Type string // SQL of the type
}

// Resolve finds out what text stands for, and which columns it has. The caller
// calls Release when it is done with the relation.
func (db *DB) Resolve(ctx context.Context, text, where string) (*Relation, error) {
	r, err := db.lookUp(ctx, text, where)
	if err != nil {
		return nil, err
	}
	if r.kept = db.keep(ctx, r); !r.kept {
		err = db.AllThreads(ctx)
	}
	if err == nil {
		r.Columns, err = db.describe(ctx, "SELECT * FROM "+r.From)
	}
	if err == nil {
		err = db.checkEffects(ctx, r)
	}
	if err != nil {
		if f := db.ragged(ctx, r); f != nil {
			err = f
		}
		db.Release(r)
		return nil, RelationFault(err, r.Label, where)
	}
	return r, nil
}

// describe returns the columns that a query would have.
func (db *DB) describe(ctx context.Context, query string) ([]Column, error) {
	rows, err := db.Rows(ctx, "DESCRIBE "+query)
	columns := make([]Column, len(rows))
	for i, row := range rows {
		columns[i] = Column{Name: row[0].(string), Type: row[1].(string)}
	}
	return columns, err
}

// empty is the fault of a relation without rows.
func (r *Relation) empty() *framework.Fault {
	return framework.Faultf(framework.Data, "empty-relation", "%s has no rows", r.Label)
}

// Source returns the SQL that is recorded of the relation: a query that stands for itself.
func (r *Relation) Source() string { return r.source }

// Release removes what Resolve made.
func (db *DB) Release(r *Relation) {
	if r.drop != "" {
		_ = db.Exec(context.Background(), r.drop) // a temporary table: it ends with the connection in any case
	}
}

func (db *DB) lookUp(ctx context.Context, text, where string) (*Relation, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, framework.Faultf(framework.Usage, "relation-missing", "no relation was given").
			WithWhere("%s", where).WithHint("name a table, a view or a file, or write a query")
	}
	perhaps := query.IsTable(text) // unless there is a table or a file of that name
	if query.IsQuery(text) && !perhaps {
		return db.subquery(ctx, text, where)
	}
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	if t, ok := duck.FindTable(known, text); ok && !(perhaps && strings.Contains(text, `"`)) {
		name := schema.Qualified(t.Database, t.Schema, t.Name)
		if t.Database == "" {
			name = schema.Qualified(t.Schema, t.Name)
		}
		kind := "table"
		if t.View {
			kind = "view"
		}
		return &Relation{text: text, From: name, source: "FROM " + schema.Qualified(t.Schema, t.Name),
			Label: fmt.Sprintf("%s %q", kind, t.Name), ordered: !t.View, hint: t.Rows}, nil
	}
	if _, err := os.Stat(text); perhaps && err != nil {
		return db.subquery(ctx, text, where)
	}
	return db.relationOfFile(text, where, known)
}

// subquery checks that text is one SELECT.
func (db *DB) subquery(ctx context.Context, text, where string) (*Relation, error) {
	body, rest := query.First(text)
	if rest != "" {
		return nil, framework.Faultf(framework.Data, "query-not-one-select", "the query has more than one statement").
			WithWhere("%s", where).WithHint("give one SELECT; what comes before it can be a WITH clause or a view")
	}
	parts, err := db.Parse(ctx, body)
	if err != nil {
		return nil, RelationFault(err, "the query", where)
	}
	r := &Relation{text: text, From: "(\n" + body + "\n)", source: body, Label: "the query"}
	if parts == 1 {
		return r, nil
	}
	// A PIVOT without a list of values is two statements to DuckDB, the first of
	// which finds the values. That cannot be prepared, so its rows are kept.
	if err := db.checkPivot(ctx, body); err != nil {
		return nil, RelationFault(err, r.Label, where)
	}
	if err := db.AllThreads(ctx); err != nil {
		return nil, err
	}
	name := schema.Quote(fmt.Sprintf("sqlcluster_relation_%d", pivots.Add(1))) // several are open at a time
	r.drop = "DROP TABLE IF EXISTS temp." + name
	if err := db.ExecReading(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS SELECT * FROM "+r.From); err != nil {
		return nil, RelationFault(err, r.Label, where)
	}
	r.From = "temp." + name
	return r, nil
}

// pivots counts the relations whose rows are kept.
var pivots atomic.Int64

// relationOfFile returns the relation of a file, or says what there is instead.
func (db *DB) relationOfFile(text, where string, known []duck.Table) (*Relation, error) {
	readable := query.IsDataFile(text)
	pattern := strings.ContainsAny(text, "*?[") || strings.Contains(text, "://")
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		return nil, framework.Faultf(framework.Data, "relation-not-found", "%s is a directory", text).
			WithWhere("%s", where).
			WithHint("to read all its files, give a pattern such as %s", framework.ShellWord(filepath.Join(text, "*.parquet")))
	case err == nil && !info.Mode().IsRegular() && readable:
		return nil, framework.Faultf(framework.Data, "file-unreadable", "%s is a pipe or a device, not a file", text).
			WithWhere("%s", where).WithHint("write what comes out of it to a file first: a relation is read more than once")
	case err == nil && strings.EqualFold(filepath.Ext(text), ".xlsx"):
		return nil, framework.Faultf(framework.Data, "file-type-unknown", "%s is a workbook, not a table", text).WithWhere("%s", where).
			WithHint("save it as CSV, or %s with %s",
				framework.ShellWord("FROM read_xlsx("+schema.Text(text)+")"), framework.Setting("allow_extensions"))
	case err == nil && !readable:
		return nil, framework.Faultf(framework.Data, "file-type-unknown",
			"%s does not have the ending of a file that DuckDB reads: %s, or one of them with .gz or .zst",
			text, strings.Join(query.FileTypes, ", ")).
			WithWhere("%s", where).WithHint("say how to read it: %s", framework.ShellWord("FROM read_csv("+schema.Text(text)+")"))
	case err == nil, pattern && readable:
		return &Relation{text: text, From: schema.Quote(text), source: "FROM " + schema.Quote(text), Label: "file " + text, ordered: true}, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, framework.Faultf(framework.Data, "file-unreadable", "cannot read %s", text).WithWhere("%s", where).WithCause(err)
	}
	return nil, notFound(text, where, readable, known, db.Path())
}

// notFound is the fault for a relation that does not exist, in a database or in
// none.
func notFound(text, where string, isFile bool, known []duck.Table, database string) error {
	if isFile {
		return framework.Faultf(framework.Data, "file-not-found", "there is no file %s", text).WithWhere("%s", where).
			WithSimilar(duck.SimilarFile(text))
	}
	names := input.NamesOf(known, duck.Table.Shown)
	f := framework.Faultf(framework.Data, "table-not-found", "there is no table, view or file %q", text).WithWhere("%s", where)
	if text == "-" {
		return f.WithHint("for what comes through a pipe, use the relation \"FROM read_csv('/dev/stdin')\"")
	}
	if f.Similar = framework.Closest(text, names); f.Similar == "" {
		if near := duck.SimilarFile(text); query.IsDataFile(near) {
			f.Similar = near
		}
	}
	if strings.ContainsAny(strings.TrimSpace(text), " \t\n") && f.Similar == "" {
		f.Hint = "a query begins with SELECT, FROM or WITH"
	} else if len(known) == 0 {
		f.Hint = framework.SettingTo("db", "FILE") + " names the database to look in"
		if database != "" {
			f.Hint = "the database " + database + " has no tables"
		}
	} else {
		f.Hint = "the database has: " + input.Listed(names)
	}
	return f
}

// ColumnNames lists the columns of a relation without reading its rows. A PIVOT
// whose columns are those of its rows is refused.
func (db *DB) ColumnNames(ctx context.Context, relation string) ([]string, error) {
	if query.IsQuery(relation) && !query.IsTable(relation) {
		body, _ := query.First(relation)
		if n, err := db.Parse(ctx, body); err != nil || n != 1 {
			return nil, framework.Faultf(framework.Data, "columns-unknown", "the columns are known when the query has run")
		}
	}
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	return r.names(), nil
}

// Columns returns the names and types of the columns of a relation, and the SQL of a query
// of its rows. where is the setting that names it.
func (db *DB) Columns(ctx context.Context, relation, where string) (query string, names, types []string, err error) {
	r, err := db.Resolve(ctx, relation, where)
	if err != nil {
		return "", nil, nil, err
	}
	defer db.Release(r)
	return r.source, r.names(), input.NamesOf(r.Columns, func(c Column) string { return c.Type }), nil
}
