package store

import (
	"context"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A RunInfo tells of a run in the database.
type RunInfo struct {
	Name      string // as the other methods take it
	StartedAt time.Time
	Fit       Fit // without the model
}

// Runs lists the runs of the database, by name.
func (db *DB) Runs(ctx context.Context) ([]RunInfo, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	runs := make([]RunInfo, 0, len(found))
	for _, t := range found {
		fit, err := db.readFit(ctx, t, false)
		if err != nil {
			return nil, err
		}
		info := RunInfo{Name: runName(t), Fit: *fit}
		if info.StartedAt, err = db.started(ctx, t); err != nil {
			return nil, err
		}
		runs = append(runs, info)
	}
	return runs, nil
}

// LoadModel returns the fit of a run, with its model.
func (db *DB) LoadModel(ctx context.Context, run string) (*Fit, error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	return db.readFit(ctx, t, true)
}

// Show returns the columns and rows of one of a run's tables (see
// schema.Names), in the order in which they were written. Values are nil, bool,
// int64, uint64, float64, and text for all else.
func (db *DB) Show(ctx context.Context, run, what string) (columns []string, rows [][]any, err error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	member, err := db.member(ctx, t, what)
	if err != nil {
		return nil, nil, err
	}
	if columns, err = db.columnNames(ctx, member); err != nil {
		return nil, nil, err
	}
	rows, err = db.rows(ctx, "SELECT * FROM "+member.qualified()+" ORDER BY rowid")
	if err != nil {
		return nil, nil, internalFault("show-failed", "cannot read "+member.name, err)
	}
	return columns, rows, nil
}

// Drop removes all tables of a run in one transaction, or a table that
// predictions or suggestions were written to, and returns their names. It removes
// none if one of them is no result table.
func (db *DB) Drop(ctx context.Context, run string) ([]string, error) {
	if db.mode == ReadOnly {
		return nil, framework.Faultf(framework.Data, "database-read-only", "the database %s was opened for reading only", db.path).WithWhere("--db")
	}
	t, err := db.findRun(ctx, run)
	if f := framework.AsFault(err); f != nil && f.Code == codeNoRun {
		return db.dropWritten(ctx, run, f)
	}
	if err != nil {
		return nil, err
	}
	var dropped []string
	err = db.transaction(ctx, func() error {
		members, err := db.members(ctx, t)
		if err != nil {
			return err
		}
		for _, member := range members {
			if err := db.exec(ctx, "DROP TABLE "+member.qualified()); err != nil {
				return internalFault("drop-failed", "table "+member.name+" cannot be dropped", err)
			}
			dropped = append(dropped, member.shown())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return dropped, nil
}

// members returns the tables of the run that a fit table belongs to, but those
// that were dropped by hand. It refuses tables that only have such a name.
func (db *DB) members(ctx context.Context, fit table) ([]table, error) {
	var members []table
	var foreign []string
	for _, what := range schema.Names() {
		t, err := db.member(ctx, fit, what)
		if IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		columns, err := db.columnNames(ctx, t)
		if err != nil {
			return nil, err
		}
		if schema.Matches(what, columns) {
			members = append(members, t)
		} else {
			foreign = append(foreign, t.shown())
		}
	}
	if len(foreign) > 0 {
		return nil, foreignFault(foreign).WithHint("nothing was dropped; rename or drop what is not of the run, and try again")
	}
	return members, nil
}

const fitSuffix = "_" + schema.Fit

// runName returns the name of the run that a fit table belongs to.
func runName(t table) string { return strings.TrimSuffix(t.shown(), fitSuffix) }

// fits lists the tables that are fits: by name and columns.
func (db *DB) fits(ctx context.Context) ([]table, error) {
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	var found []table
	for _, t := range known {
		if t.view || t.database != "" || !strings.HasSuffix(t.name, fitSuffix) {
			continue
		}
		columns, err := db.columnNames(ctx, t)
		if err != nil {
			return nil, err
		}
		if schema.Matches(schema.Fit, columns) {
			found = append(found, t)
		}
	}
	return found, nil
}

// findRun returns the fit table of a run.
func (db *DB) findRun(ctx context.Context, run string) (table, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return table{}, err
	}
	if t, ok := findTable(found, run+fitSuffix); ok {
		return t, nil
	}
	return table{}, db.noRun(ctx, run, found)
}

// member returns another table of the run that a fit table belongs to.
func (db *DB) member(ctx context.Context, fit table, what string) (table, error) {
	known := false
	for _, name := range schema.Names() {
		known = known || name == what
	}
	if !known {
		f := framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", what).
			WithHint("it has %s", strings.Join(schema.Names(), ", "))
		f.Similar = framework.Closest(what, schema.Names())
		return table{}, f
	}
	name := strings.TrimSuffix(fit.name, fitSuffix) + "_" + what
	tables, err := db.tables(ctx)
	if err != nil {
		return table{}, err
	}
	for _, t := range tables {
		if t.database == "" && t.schema == fit.schema && !t.view && strings.EqualFold(t.name, name) {
			return t, nil
		}
	}
	if what == schema.Violations {
		return table{}, framework.Faultf(framework.Data, codeMissing, "run %q has no table %s: it was fitted without pairs", runName(fit), name)
	}
	return table{}, framework.Faultf(framework.Data, codeMissing, "run %q has no table %s", runName(fit), name).
		WithHint("sqlcluster help tables says which tables a fit, a path and a tuning have")
}

const (
	codeMissing = "result-table-missing"
	codeNoRun   = "run-not-found"
)

// IsMissing reports whether err only says that a table of a run is gone.
func IsMissing(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Code == codeMissing
}

// readFit reads the row of a fit table.
func (db *DB) readFit(ctx context.Context, t table, model bool) (*Fit, error) {
	columns := make([]string, 0, len(schema.ColumnNames(schema.Fit)))
	for _, c := range schema.ColumnNames(schema.Fit) {
		columns = append(columns, schema.Quote(c))
	}
	if !model {
		columns[len(columns)-1] = "NULL::VARCHAR"
	}
	rows, err := db.rows(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.qualified())
	if err != nil {
		return nil, internalFault("model-unreadable", "cannot read "+t.name, err)
	}
	if len(rows) != 1 {
		return nil, framework.Faultf(framework.Data, "model-unreadable", "table %s has %s, where there must be one", t.name, plural(len(rows), "row"))
	}
	r := record(rows[0])
	return &Fit{
		RunID: r.text(0), Algorithm: r.text(1), Version: r.text(2), PluginSHA256: r.text(3), Params: r.text(4),
		Seed: r.seed(5), N: r.int(6), P: r.int(7), K: r.int(8),
		Objective: r.number(9), Maximize: r.yes(10), Inertia: r.number(11), Iterations: r.int(12), Converged: r.yes(13),
		StopReason: r.text(14), Source: r.text(15), ToolVersion: r.text(16), Model: r.text(17),
	}, nil
}

// started returns when a run began; zero if its table is gone.
func (db *DB) started(ctx context.Context, fit table) (time.Time, error) {
	run, err := db.member(ctx, fit, schema.Run)
	if IsMissing(err) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	rows, err := db.rows(ctx, "SELECT epoch_us(started_at) FROM "+run.qualified())
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	if us, ok := rows[0][0].(int64); ok {
		return time.UnixMicro(us).UTC(), nil
	}
	return time.Time{}, nil
}
