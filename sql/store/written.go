package store

import (
	"context"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// predicted is what the comment of a table of predictions begins with, before
// the name of the run. With the columns it is the mark by which a table is known
// as one that was written here: a copy of it has no comment.
const predicted = "the cluster of each row, by run "

func predictedBy(run string) string {
	if run == "" {
		return ""
	}
	return predicted + run
}

// Written is a table of predictions.
type Written struct {
	Name string // as the other methods take it
	Run  string // that has labelled the rows; "": not known
	Rows int
}

// Predictions lists the tables that WriteAssignments has written, by name.
func (db *DB) Predictions(ctx context.Context) ([]Written, error) {
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	comments, err := db.comments(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	var found []Written
	for _, t := range known {
		comment, ours := comments[[2]string{t.schema, t.name}]
		if !ours || t.view || t.database != "" || runOf(runs, t) != "" {
			continue
		}
		result, err := db.writtenAs(ctx, t, comment)
		if err != nil {
			return nil, err
		}
		if result == schema.Assignments {
			run, _ := strings.CutPrefix(comment, predicted)
			if run == comment {
				run = ""
			}
			found = append(found, Written{Name: t.shown(), Run: run, Rows: t.rows})
		}
	}
	return found, nil
}

// comments returns the comments of the tables that have one.
func (db *DB) comments(ctx context.Context) (map[[2]string]string, error) {
	rows, err := db.rows(ctx, `SELECT schema_name, table_name, comment FROM duckdb_tables()
		WHERE database_name = current_database() AND NOT internal AND comment IS NOT NULL`)
	if err != nil {
		return nil, internalFault("list-failed", "cannot list the tables of the database", err)
	}
	all := map[[2]string]string{}
	for _, r := range rows {
		all[[2]string{r[0].(string), r[1].(string)}] = r[2].(string)
	}
	return all, nil
}

// resultOf returns which result table a table is, of those that get a name from
// the user; "" if it is none.
func (db *DB) resultOf(ctx context.Context, t table) (string, error) {
	comments, err := db.comments(ctx)
	if err != nil {
		return "", err
	}
	return db.writtenAs(ctx, t, comments[[2]string{t.schema, t.name}])
}

// writtenAs returns which result table, of those that get a name from the user,
// a table is by its comment and its columns; "" if it is none.
func (db *DB) writtenAs(ctx context.Context, t table, comment string) (string, error) {
	result := ""
	switch {
	case comment == schema.Comment(schema.Assignments), strings.HasPrefix(comment, predicted):
		result = schema.Assignments
	case comment == schema.Comment(schema.Suggestions):
		result = schema.Suggestions
	default:
		return "", nil
	}
	columns, err := db.columnNames(ctx, t)
	if err != nil || !schema.Matches(result, columns) {
		return "", err
	}
	return result, nil
}

// runOf returns the run that a table belongs to by its name, or "".
func runOf(fits []table, t table) string {
	for _, fit := range fits {
		base := strings.TrimSuffix(fit.name, fitSuffix)
		if t.schema == fit.schema && slices.ContainsFunc(schema.Names(), func(what string) bool { return strings.EqualFold(t.name, base+"_"+what) }) {
			return runName(fit)
		}
	}
	return ""
}

// flag returns the flag for a command about this database, with a space before it.
func (db *DB) flag() string {
	if db.path == "" {
		return ""
	}
	return " --db " + framework.ShellWord(db.path)
}

// dropWritten removes a table of predictions or suggestions. none is the fault
// if there is no such table.
func (db *DB) dropWritten(ctx context.Context, name string, none *framework.Fault) ([]string, error) {
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	t, found := findTable(known, name)
	if !found || t.database != "" {
		return nil, none
	}
	runs, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	if run := runOf(runs, t); run != "" {
		return nil, framework.Faultf(framework.Data, "table-of-a-run", "table %s is one of run %s", t.shown(), run).
			WithHint("drop the run: sqlcluster drop %s%s", framework.ShellWord(run), db.flag())
	}
	result, err := db.resultOf(ctx, t)
	if err != nil {
		return nil, err
	}
	if result == "" || t.view {
		return nil, framework.Faultf(framework.Data, "not-a-result", "%s was not written by predict or pairs suggest, and is no run", t.shown()).
			WithHint("nothing was dropped; SQL can drop it, if it is not needed")
	}
	err = db.transaction(ctx, func() error { return db.exec(ctx, "DROP TABLE "+t.qualified()) })
	if err != nil {
		return nil, internalFault("drop-failed", "table "+t.name+" cannot be dropped", err)
	}
	return []string{t.shown()}, nil
}
