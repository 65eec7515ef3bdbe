package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// kinds are the result tables whose whole name may be the user's. Their comment, the
// schema's or one that names a run, is with the columns the mark by which a table is
// known as one that was written here: a copy of it has no comment.
var kinds = []struct{ result, kind, writer, by string }{
	{schema.Assignments, KindPrediction, "predict", "the cluster of each row, by run "},
	{schema.Distances, KindDistances, "predict", ""},
	{schema.Suggestions, KindSuggestion, "pairs suggest", ""},
	{schema.Silhouettes, KindSilhouettes, "score", "the silhouette of each row, by run "},
}

// commentOf is the comment of such a table about rows of a run, or "".
func commentOf(result, run string) string {
	for _, k := range kinds {
		if k.result == result && run != "" {
			return k.by + run
		}
	}
	return ""
}

// distancesSuffix is what the distances of predictions have behind the name of these.
const distancesSuffix = "_" + schema.Distances

// Written is a table that has its name from the user.
type Written struct {
	Name string // as the other methods take it
	Kind string // KindPrediction, KindDistances, KindSuggestion or KindSilhouettes
	Run  string // whose clusters the rows have; "": not known
	Rows int
}

// The kinds of such tables.
const (
	KindPrediction  = "prediction"  // by WriteAssignments
	KindDistances   = "distances"   // by WriteAssignments
	KindSuggestion  = "suggestion"  // by WriteSuggestions
	KindSilhouettes = "silhouettes" // by WriteSilhouettes
)

// Written lists the tables that have their name from the user, by name.
func (db *DB) Written(ctx context.Context) ([]Written, error) {
	known, err := db.Tables(ctx)
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
		comment, ours := comments[[2]string{t.Schema, t.Name}]
		if !ours || t.View || t.Database != "" || isMember(runs, t) {
			continue
		}
		result, err := db.writtenAs(ctx, t, comment)
		if err != nil {
			return nil, err
		}
		for _, k := range kinds {
			if k.result != result {
				continue
			}
			w := Written{Name: t.Shown(), Kind: k.kind, Rows: t.Rows}
			if run, known := strings.CutPrefix(comment, k.by); known && k.by != "" {
				w.Run = run
			}
			found = append(found, w)
		}
	}
	return found, nil
}

// comments returns the comments of the tables that have one.
func (db *DB) comments(ctx context.Context) (map[[2]string]string, error) {
	rows, err := db.Rows(ctx, `SELECT schema_name, table_name, comment FROM duckdb_tables()
		WHERE database_name = current_database() AND NOT internal AND comment IS NOT NULL`)
	if err != nil {
		return nil, duck.InternalFault("list-failed", "cannot list the tables of the database", err)
	}
	all := map[[2]string]string{}
	for _, r := range rows {
		all[[2]string{r[0].(string), r[1].(string)}] = r[2].(string)
	}
	return all, nil
}

// resultOf returns which result table a table is, of those that get a name from
// the user; "" if it is none.
func (db *DB) resultOf(ctx context.Context, t duck.Table) (string, error) {
	comments, err := db.comments(ctx)
	if err != nil {
		return "", err
	}
	return db.writtenAs(ctx, t, comments[[2]string{t.Schema, t.Name}])
}

// writtenAs returns which result table, of those that get a name from the user,
// a table is by its comment and its columns; "" if it is none.
func (db *DB) writtenAs(ctx context.Context, t duck.Table, comment string) (string, error) {
	for _, k := range kinds {
		if comment != schema.Comment(k.result) && (k.by == "" || !strings.HasPrefix(comment, k.by)) {
			continue
		}
		columns, err := db.ColumnsOf(ctx, t)
		if err != nil || !schema.Matches(k.result, columns) {
			return "", err
		}
		return k.result, nil
	}
	return "", nil
}

// memberOf returns the run that a table belongs to by its name, and which of its
// tables it is; "" if it belongs to none.
func memberOf(fits []duck.Table, t duck.Table) (run, what string) {
	for _, fit := range fits {
		for _, what := range schema.Names() {
			if t.Schema == fit.Schema && strings.EqualFold(t.Name, strings.TrimSuffix(fit.Name, fitSuffix)+"_"+what) {
				return runName(fit), what
			}
		}
	}
	return "", ""
}

func isMember(fits []duck.Table, t duck.Table) bool {
	run, _ := memberOf(fits, t)
	return run != ""
}

// noRun is the fault of a name that no run has. Where a table has it, the fault says
// what kind of table that is, and what to do with it.
func (db *DB) noRun(ctx context.Context, name string, fits []duck.Table) *framework.Fault {
	names := input.NamesOf(fits, runName)
	f := framework.Faultf(framework.Data, codeNoRun, "the database has no run %q", name)
	known, err := db.Tables(ctx)
	if err == nil {
		if t, found := duck.FindTable(known, name); found && t.Database == "" {
			return db.noRunButTable(ctx, f, t, fits)
		}
	}
	f.Similar = framework.Closest(name, names)
	if len(names) == 0 {
		f.Hint = "it has no runs at all; a fit with " + framework.SettingTo("into", "NAME") + " makes one"
	} else {
		f.Hint = "it has " + input.Listed(names)
	}
	return f
}

// noRunButTable completes the fault of the name of a table.
func (db *DB) noRunButTable(ctx context.Context, f *framework.Fault, t duck.Table, fits []duck.Table) *framework.Fault {
	if run, what := memberOf(fits, t); run != "" {
		f.Summary = fmt.Sprintf("%s is not a run, but the table %s of run %s", t.Shown(), what, run)
		return f.WithHint("to see it: sqlcluster show %s %s%s", framework.ShellWord(run), what, db.flag())
	}
	result, err := db.resultOf(ctx, t)
	if t.View || err != nil || result == "" {
		f.Summary = t.Shown() + " is a table or a view, and no run"
		return f.WithHint("sqlcluster runs%s lists the runs", db.flag())
	}
	f.Summary = fmt.Sprintf("%s is not a run, but a table that %s wrote", t.Shown(), writerOf(result))
	return f.WithHint("to see it: sqlcluster show %s%s", framework.ShellWord(t.Shown()), db.flag())
}

// flag returns the flag for a command about this database, with a space before it.
func (db *DB) flag() string {
	if db.Path() == "" {
		return ""
	}
	return " --db " + framework.ShellWord(db.Path())
}

// dropWritten removes a table that has its name from the user. none is the fault
// if there is no such table.
func (db *DB) dropWritten(ctx context.Context, name string, none error) ([]string, error) {
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	t, found := duck.FindTable(known, name)
	if !found || t.Database != "" {
		return nil, none
	}
	runs, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	if run, _ := memberOf(runs, t); run != "" {
		return nil, framework.Faultf(framework.Data, "table-of-a-run", "table %s belongs to run %s", t.Shown(), run).
			WithHint("drop the run: sqlcluster drop %s%s", framework.ShellWord(run), db.flag())
	}
	result, err := db.resultOf(ctx, t)
	if err != nil {
		return nil, err
	}
	if result == "" || t.View {
		return nil, framework.Faultf(framework.Data, "not-a-result",
			"%s was not written by predict, pairs suggest or score, and is not a run", t.Shown()).
			WithHint("nothing was dropped; SQL can drop it, if it is not needed")
	}
	all := []duck.Table{t}
	distances, of, err := db.writtenNamed(ctx, t.Schema, t.Name+distancesSuffix)
	if err != nil {
		return nil, err
	}
	if result == schema.Assignments && of == schema.Distances {
		all = append(all, distances)
	}
	err = db.Transaction(ctx, func() error {
		for _, t := range all {
			if err := db.Exec(ctx, "DROP TABLE "+t.Qualified()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, duck.InternalFault("drop-failed", "table "+t.Name+" cannot be dropped", err)
	}
	return input.NamesOf(all, duck.Table.Shown), nil
}
