package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sqlcluster/sqlcluster/sql/input"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A relation is what follows FROM in a query, and what is known of it.
type relation struct {
	text    string // as given
	from    string // SQL
	source  string // SQL to be recorded: a query that stands for itself
	label   string // for messages: table "t", file x.csv, the query
	ordered bool   // its rows have numbers of their own: a base table or a file
	hint    int    // rows, if known
	columns []column
	drop    string // SQL that removes what was made for it
}

// A column of a relation.
type column struct {
	name string
	typ  string // SQL of the type
}

// startsQuery holds the words that begin a query. TABLE does, too: see isTable.
var startsQuery = []string{"select", "with", "from", "values", "pivot", "unpivot"}

// IsQuery reports whether a relation is the text of a query, and not the name of a
// table or a file.
func IsQuery(text string) bool { return isQuery(text) }

// isQuery reports whether a relation is the text of a query.
func isQuery(text string) bool {
	text = skipBlank(text)
	if strings.HasPrefix(text, "(") {
		return true
	}
	for _, w := range startsQuery {
		if len(text) <= len(w) || !strings.EqualFold(text[:len(w)], w) {
			continue // a word alone is the name of a table or a file
		}
		// What follows tells "from t" from "from.csv" and "select_1".
		after := text[len(w):]
		first, _ := utf8.DecodeRuneInString(after)
		if blank(first) || strings.ContainsRune("('\"*", first) || strings.HasPrefix(after, "--") || strings.HasPrefix(after, "/*") {
			return true
		}
	}
	return isTable(text)
}

// oneName is a name in SQL, with those of its schema and database.
var oneName = regexp.MustCompile(`^(?:[\pL_][\pL\pN_$]*|"(?:[^"]|"")+")(?:\.(?:[\pL_][\pL\pN_$]*|"(?:[^"]|"")+")){0,2}`)

// isTable reports whether a relation is TABLE with the name of a table, and no more.
// "table 1" and "table a.csv" are rather names of tables and files.
func isTable(text string) bool {
	const word = "table"
	text = skipBlank(text)
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) {
		return false
	}
	after := text[len(word):]
	name := skipBlank(after)
	if name == after && !strings.HasPrefix(name, `"`) {
		return false // the word is longer
	}
	found := oneName.FindString(name)
	statement, _ := firstStatement(name[len(found):])
	return found != "" && !isDataFile(found) && skipBlank(statement) == ""
}

// resolve finds out what text stands for, and which columns it has. The caller
// calls release when it is done with the relation.
func (db *DB) resolve(ctx context.Context, text, where string) (*relation, error) {
	r, err := db.lookUp(ctx, text, where)
	if err != nil {
		return nil, err
	}
	err = db.stream(ctx, "DESCRIBE SELECT * FROM "+r.from, nil, func(c chunk) error {
		names, types := c.column(0), c.column(1)
		for i := range c.rows {
			r.columns = append(r.columns, column{name: string(names.text(i)), typ: string(types.text(i))})
		}
		return nil
	})
	if err == nil {
		err = db.checkEffects(ctx, r)
	}
	if err != nil {
		if f := db.ragged(ctx, r); f != nil {
			err = f
		}
		db.release(r)
		return nil, relationFault(err, r.label, where)
	}
	return r, nil
}

// empty is the fault of a relation without rows.
func (r *relation) empty() *framework.Fault {
	return framework.Faultf(framework.Data, "empty-relation", "%s has no rows", r.label)
}

// release removes what resolve made.
func (db *DB) release(r *relation) {
	if r.drop != "" {
		_ = db.exec(context.Background(), r.drop) // a temporary table: it ends with the connection in any case
	}
}

func (db *DB) lookUp(ctx context.Context, text, where string) (*relation, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, framework.Faultf(framework.Usage, "relation-missing", "no relation was given").
			WithWhere("%s", where).WithHint("name a table, a view or a file, or write a query")
	}
	perhaps := isTable(text) // unless there is a table or a file of that name
	if isQuery(text) && !perhaps {
		return db.subquery(ctx, text, where)
	}
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	if t, ok := findTable(known, text); ok && !(perhaps && strings.Contains(text, `"`)) {
		name := schema.Qualified(t.database, t.schema, t.name)
		if t.database == "" {
			name = schema.Qualified(t.schema, t.name)
		}
		kind := "table"
		if t.view {
			kind = "view"
		}
		return &relation{text: text, from: name, source: "FROM " + schema.Qualified(t.schema, t.name),
			label: fmt.Sprintf("%s %q", kind, t.name), ordered: !t.view, hint: t.rows}, nil
	}
	if _, err := os.Stat(text); perhaps && err != nil {
		return db.subquery(ctx, text, where)
	}
	return db.relationOfFile(text, where, known)
}

// subquery checks that text is one SELECT.
func (db *DB) subquery(ctx context.Context, text, where string) (*relation, error) {
	body, rest := firstStatement(text)
	if rest != "" {
		return nil, framework.Faultf(framework.Data, "query-not-one-select", "the query has more than one statement").
			WithWhere("%s", where).WithHint("give one SELECT; what comes before it can be a WITH clause or a view")
	}
	parts, err := db.parse(ctx, body)
	if err != nil {
		return nil, relationFault(err, "the query", where)
	}
	r := &relation{text: text, from: "(\n" + body + "\n)", source: body, label: "the query"}
	if parts == 1 {
		return r, nil
	}
	// A PIVOT without a list of values is two statements to DuckDB, the first of
	// which finds the values. That cannot be prepared, so its rows are kept.
	if err := db.checkPivot(ctx, body); err != nil {
		return nil, relationFault(err, r.label, where)
	}
	name := schema.Quote("sqlcluster_relation")
	r.drop = "DROP TABLE IF EXISTS temp." + name
	if err := db.execReading(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS SELECT * FROM "+r.from); err != nil {
		return nil, relationFault(err, r.label, where)
	}
	r.from = "temp." + name
	return r, nil
}

// parse returns the number of statements that DuckDB makes of a text, and
// refuses a single one that is not a SELECT.
func (db *DB) parse(ctx context.Context, text string) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var statements bindings.ExtractedStatements
	defer bindings.DestroyExtracted(&statements)
	n := int(bindings.ExtractStatements(db.conn, text, &statements))
	if n == 0 {
		return 0, &duckError{text: bindings.ExtractStatementsError(statements)}
	}
	if n > 1 {
		return n, nil
	}
	var prepared bindings.PreparedStatement
	defer bindings.DestroyPrepare(&prepared)
	if bindings.PrepareExtractedStatement(db.conn, statements, 0, &prepared) == bindings.StateError {
		return 0, &duckError{text: bindings.PrepareError(prepared)}
	}
	if bindings.PreparedStatementType(prepared) != bindings.StatementTypeSelect {
		return 0, framework.Faultf(framework.Data, "query-not-one-select", "the query is not a SELECT")
	}
	if bindings.NParams(prepared) > 0 {
		return 0, framework.Faultf(framework.Data, "query-has-parameters", "the query has parameters, and there are no values for them")
	}
	return 1, nil
}

// fileTypes are the endings by which DuckDB knows how to read a file.
var fileTypes = []string{".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"}

// isDataFile reports whether DuckDB knows from its name how to read a file.
func isDataFile(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.ContainsFunc(fileTypes, func(t string) bool { return strings.HasSuffix(name, t) })
}

// relationOfFile returns the relation of a file, or says what there is instead.
func (db *DB) relationOfFile(text, where string, known []table) (*relation, error) {
	readable := isDataFile(text)
	pattern := strings.ContainsAny(text, "*?[") || strings.Contains(text, "://")
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		return nil, framework.Faultf(framework.Data, "relation-not-found", "%s is a directory", text).
			WithWhere("%s", where).WithHint("to read all its files, give a pattern such as %s", framework.ShellWord(filepath.Join(text, "*.parquet")))
	case err == nil && !info.Mode().IsRegular() && readable:
		return nil, framework.Faultf(framework.Data, "file-unreadable", "%s is a pipe or a device, not a file", text).
			WithWhere("%s", where).WithHint("write what comes out of it to a file first: a relation is read more than once")
	case err == nil && strings.EqualFold(filepath.Ext(text), ".xlsx"):
		return nil, framework.Faultf(framework.Data, "file-type-unknown", "%s is a workbook, not a table", text).WithWhere("%s", where).
			WithHint("save it as CSV, or %s with %s", framework.ShellWord("FROM read_xlsx("+schema.Text(text)+")"), framework.Setting("allow_extensions"))
	case err == nil && !readable:
		return nil, framework.Faultf(framework.Data, "file-type-unknown", "%s does not have the ending of a file that DuckDB reads: %s, or one of them with .gz or .zst",
			text, strings.Join(fileTypes, ", ")).
			WithWhere("%s", where).WithHint("say how to read it: %s", framework.ShellWord("FROM read_csv("+schema.Text(text)+")"))
	case err == nil, pattern && readable:
		return &relation{text: text, from: schema.Quote(text), source: "FROM " + schema.Quote(text), label: "file " + text, ordered: true}, nil
	case !errors.Is(err, os.ErrNotExist):
		f := framework.Faultf(framework.Data, "file-unreadable", "cannot read %s", text).WithWhere("%s", where)
		f.Err = err
		return nil, f
	}
	return nil, notFound(text, where, readable, known, db.path)
}

// notFound is the fault for a relation that does not exist, in a database or in
// none.
func notFound(text, where string, isFile bool, known []table, database string) error {
	if isFile {
		f := framework.Faultf(framework.Data, "file-not-found", "there is no file %s", text).WithWhere("%s", where)
		f.Similar = similarFile(text)
		return f
	}
	names := make([]string, 0, len(known))
	for _, t := range known {
		names = append(names, t.shown())
	}
	f := framework.Faultf(framework.Data, "table-not-found", "there is no table, view or file %q", text).WithWhere("%s", where)
	if f.Similar = framework.Closest(text, names); f.Similar == "" {
		if near := similarFile(text); isDataFile(near) {
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

// relationFault explains why a relation cannot be read.
func relationFault(err error, label, where string) error {
	if f := framework.AsFault(err); f != nil {
		return f.WithWhere("%s", where)
	}
	if _, ok := errors.AsType[*duckError](err); !ok {
		return err
	}
	if f := extensionFault(err, label); f != nil {
		return f.WithWhere("%s", where)
	}
	if f := writesFault(err, label); f != nil {
		return f.WithWhere("%s", where)
	}
	if strings.Contains(err.Error(), "This file is not utf-8 encoded") {
		return notUTF8(label).WithWhere("%s", where)
	}
	f := framework.Faultf(framework.Data, "relation-invalid", "DuckDB cannot read %s", label).WithWhere("%s", where)
	f.Err = err
	return f
}

// notUTF8 is the fault of a CSV file whose text is in another encoding.
func notUTF8(label string) *framework.Fault {
	name, file := strings.CutPrefix(label, "file ")
	if !file {
		return framework.Faultf(framework.Data, "relation-invalid", "%s reads a CSV file that is not UTF-8", label).
			WithHint("name its encoding: read_csv(FILE, encoding='latin-1')")
	}
	return framework.Faultf(framework.Data, "relation-invalid", "%s is not UTF-8", label).
		WithHint("name its encoding: %s", framework.ShellWord("FROM read_csv("+schema.Text(name)+", encoding='latin-1')"))
}
