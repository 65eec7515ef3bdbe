package store

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A RunInfo tells of a run in the database.
type RunInfo struct {
	Name      string // as the other methods take it
	StartedAt time.Time
	Fit       result.Fit // without the model; of a run with groups, what all models have together
	Groups    int        // that have models; 0: it is a run without groups
}

// Runs lists the runs of the database, by name.
func (db *DB) Runs(ctx context.Context) ([]RunInfo, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	runs := make([]RunInfo, 0, len(found))
	for _, t := range found {
		fits, err := db.readFits(ctx, t, false)
		if err != nil {
			return nil, err
		}
		if len(fits) == 0 {
			continue
		}
		info := RunInfo{Name: runName(t), Fit: *fits[0]}
		if groups, err := db.groupsOf(ctx, t); err != nil {
			return nil, err
		} else if groups != nil {
			info.Groups, info.Fit = len(fits), together(fits, groups)
		}
		if info.StartedAt, err = db.started(ctx, t); err != nil {
			return nil, err
		}
		runs = append(runs, info)
	}
	return runs, nil
}

// LoadModel returns the fit of a run, with its model.
func (db *DB) LoadModel(ctx context.Context, run string) (*result.Fit, error) {
	t, err := db.tableOf(ctx, run, schema.Fit)
	if err != nil {
		return nil, err
	}
	fits, err := db.readFits(ctx, t, true)
	if err != nil {
		return nil, err
	}
	if len(fits) != 1 {
		if f := db.hasGroups(ctx, t); f != nil {
			return nil, f
		}
		return nil, framework.Faultf(framework.Data, "model-unreadable",
			"table %s has %s, where there must be one", t.Name, input.Plural(len(fits), "row"))
	}
	return fits[0], nil
}

// Show returns the columns and rows of one of a run's tables (see
// schema.Names), in the order in which they were written. Values are nil, bool,
// int64, uint64, float64, and text for all else.
func (db *DB) Show(ctx context.Context, run, what string) (columns []string, rows [][]any, err error) {
	member, err := db.tableOf(ctx, run, what)
	if err != nil {
		return nil, nil, err
	}
	if columns, err = db.ColumnsOf(ctx, member); err != nil {
		return nil, nil, err
	}
	rows, err = db.Rows(ctx, "SELECT * FROM "+member.Qualified()+" ORDER BY rowid")
	if err != nil {
		return nil, nil, duck.InternalFault("show-failed", "cannot read "+member.Name, err)
	}
	return columns, rows, nil
}

// Drop removes all tables of a run in one transaction, or a table that has its name
// from the user, and returns their names. It removes
// none if one of them is not a result table.
func (db *DB) Drop(ctx context.Context, run string) ([]string, error) {
	if err := db.Writable(); err != nil {
		return nil, err
	}
	t, err := db.findRun(ctx, run)
	if IsNoRun(err) {
		return db.dropWritten(ctx, run, err)
	}
	if err != nil {
		return nil, err
	}
	if err := db.checkOneOfTheName(ctx, t); err != nil {
		return nil, err
	}
	var dropped []string
	err = db.Transaction(ctx, func() error {
		members, err := db.members(ctx, t)
		if err != nil {
			return err
		}
		for _, member := range members {
			if err := db.Exec(ctx, "DROP TABLE "+member.Qualified()); err != nil {
				return duck.InternalFault("drop-failed", "table "+member.Name+" cannot be dropped", err)
			}
			dropped = append(dropped, member.Shown())
		}
		return nil
	})
	return dropped, err
}

// members returns the tables of the run that a fit table belongs to, without those
// that were dropped by hand. It refuses tables that only have such a name.
func (db *DB) members(ctx context.Context, fit duck.Table) ([]duck.Table, error) {
	var members []duck.Table
	var foreign []string
	for _, what := range schema.Names() {
		t, err := db.member(ctx, fit, what)
		if IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		columns, err := db.ColumnsOf(ctx, t)
		if err != nil {
			return nil, err
		}
		if schema.Matches(what, columns) {
			members = append(members, t)
		} else {
			foreign = append(foreign, t.Shown())
		}
	}
	if len(foreign) > 0 {
		return nil, foreignFault(foreign).WithHint("nothing was dropped; rename or drop what does not belong to the run, and try again")
	}
	return members, nil
}

const fitSuffix = "_" + schema.Fit

// runName returns the name of the run that a fit table belongs to.
func runName(t duck.Table) string { return strings.TrimSuffix(t.Shown(), fitSuffix) }

// fits lists the tables that are fits: by name and columns.
func (db *DB) fits(ctx context.Context) ([]duck.Table, error) {
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	var found []duck.Table
	for _, t := range known {
		if t.View || t.Database != "" || !strings.HasSuffix(t.Name, fitSuffix) {
			continue
		}
		columns, err := db.ColumnsOf(ctx, t)
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
func (db *DB) findRun(ctx context.Context, run string) (duck.Table, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return duck.Table{}, err
	}
	if t, ok := duck.FindTable(found, run+fitSuffix); ok {
		return t, nil
	}
	if err := db.notNewer(ctx, run); err != nil {
		return duck.Table{}, err
	}
	return duck.Table{}, db.noRun(ctx, run, found)
}

// tableOf returns one of a run's tables (see schema.Names).
func (db *DB) tableOf(ctx context.Context, run, what string) (duck.Table, error) {
	fit, err := db.findRun(ctx, run)
	if err != nil {
		return duck.Table{}, err
	}
	t, err := db.member(ctx, fit, what)
	if err != nil || db.chosen == nil {
		return t, err
	}
	return db.ofChosen(ctx, fit, t, what)
}

// notNewer refuses a run that a newer sqlcluster has written.
func (db *DB) notNewer(ctx context.Context, run string) error {
	known, err := db.Tables(ctx)
	if err != nil {
		return err
	}
	t, ok := duck.FindTable(known, run+fitSuffix)
	if !ok || t.View || t.Database != "" {
		return nil
	}
	columns, err := db.ColumnsOf(ctx, t)
	if err != nil || !slices.Contains(columns, "run_id") || !slices.Contains(columns, "schema_version") {
		return err
	}
	rows, err := db.Rows(ctx, "SELECT max(TRY_CAST(schema_version AS BIGINT)) FROM "+t.Qualified())
	if err != nil {
		return duck.InternalFault("model-unreadable", "cannot read "+t.Name, err)
	}
	if version, ok := rows[0][0].(int64); ok && version > int64(schema.Version()) {
		return framework.Faultf(framework.Data, "run-newer",
			"run %q was written by a newer sqlcluster: its tables have version %d, and this one knows them up to %d",
			run, version, schema.Version()).WithHint("use a newer sqlcluster, or read its tables with SQL")
	}
	return nil
}

// member returns another table of the run that a fit table belongs to.
func (db *DB) member(ctx context.Context, fit duck.Table, what string) (duck.Table, error) {
	if !slices.Contains(schema.Names(), what) {
		return duck.Table{}, framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", what).
			WithHint("it has %s", strings.Join(schema.Names(), ", ")).WithSimilar(framework.Closest(what, schema.Names()))
	}
	name := strings.TrimSuffix(fit.Name, fitSuffix) + "_" + what
	tables, err := db.Tables(ctx)
	if err != nil {
		return duck.Table{}, err
	}
	similar, ofPath := "", strings.TrimSuffix(fit.Name, fitSuffix)+"_path_"+what
	for _, t := range tables {
		if t.Database != "" || t.Schema != fit.Schema || t.View {
			continue
		}
		if strings.EqualFold(t.Name, name) {
			return t, nil
		}
		if strings.EqualFold(t.Name, ofPath) {
			similar = "path_" + what
		}
	}
	if what == schema.Assignments {
		if err := db.assignedElsewhere(ctx, fit); err != nil {
			return duck.Table{}, err
		}
	}
	if what == schema.Violations {
		return duck.Table{}, framework.Faultf(framework.Data, codeMissing,
			"run %q has no table %s: it was fitted without pairs", runName(fit), name)
	}
	if what == schema.Limits {
		return duck.Table{}, framework.Faultf(framework.Data, codeMissing,
			"run %q has no table %s: no constraint limits its clusters", runName(fit), name)
	}
	return duck.Table{}, framework.Faultf(framework.Data, codeMissing, "run %q has no table %s", runName(fit), name).
		WithHint("sqlcluster help tables says which tables a fit, a path and a tuning have").WithSimilar(similar)
}

const (
	codeMissing = "result-table-missing"
	codeNoRun   = "run-not-found"
)

// IsMissing reports whether err only says that a table of a run is gone.
func IsMissing(err error) bool { return hasCode(err, codeMissing) }

// IsNoRun reports whether err says that the database has no run of a name.
func IsNoRun(err error) bool { return hasCode(err, codeNoRun) }

func hasCode(err error, code string) bool {
	f := framework.AsFault(err)
	return f != nil && f.Code == code
}

// readFits reads the rows of a fit table, of any version: one, or one for each group.
func (db *DB) readFits(ctx context.Context, t duck.Table, model bool) ([]*result.Fit, error) {
	has, err := db.ColumnsOf(ctx, t)
	if err != nil {
		return nil, err
	}
	names := schema.ColumnNames(schema.Fit)
	columns := make([]string, len(names))
	for i, name := range names {
		columns[i] = schema.Quote(name)
		if !slices.Contains(has, name) || name == "model" && !model {
			columns[i] = "NULL::VARCHAR"
		}
	}
	rows, err := db.Rows(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.Qualified()+" ORDER BY rowid")
	if err != nil {
		return nil, duck.InternalFault("model-unreadable", "cannot read "+t.Name, err)
	}
	fits := make([]*result.Fit, len(rows))
	for i, row := range rows {
		fits[i] = fitOf(names, row)
	}
	return fits, nil
}

// fitOf is a row of a fit table, whose columns have these names.
func fitOf(names []string, row []any) *result.Fit {
	value := map[string]any{} // nil: NULL, or no such column
	for i, name := range names {
		value[name] = row[i]
	}
	text := func(column string) string { s, _ := value[column].(string); return s }
	whole := func(column string) int { n, _ := value[column].(int64); return int(n) }
	yes := func(column string) bool { b, _ := value[column].(bool); return b }
	number := func(column string) float64 {
		if x, ok := value[column].(float64); ok {
			return x
		}
		return math.NaN()
	}
	measured := func(column string) *float64 {
		if x, ok := value[column].(float64); ok {
			return &x
		}
		return nil
	}
	seed, _ := value["seed"].(uint64)
	return &result.Fit{
		RunID: text("run_id"), Algorithm: text("algorithm"), Version: text("version"), PluginSHA256: text("plugin_sha256"),
		Params: text("params"), Seed: seed, N: whole("n"), P: whole("p"), K: whole("k"),
		Objective: number("objective"), Maximize: yes("maximize"), Inertia: number("inertia"),
		Iterations: whole("iterations"), Converged: yes("converged"), StopReason: text("stop_reason"), Approximate: yes("approximate"),
		LabelGap: measured("label_gap"),
		Source:   text("source"), ToolVersion: text("tool_version"), Model: text("model"),
	}
}

// started returns when a run began; zero if its table is gone.
func (db *DB) started(ctx context.Context, fit duck.Table) (time.Time, error) {
	run, err := db.member(ctx, fit, schema.Run)
	if IsMissing(err) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	rows, err := db.Rows(ctx, "SELECT epoch_us(started_at) FROM "+run.Qualified())
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	if us, ok := rows[0][0].(int64); ok {
		return time.UnixMicro(us).UTC(), nil
	}
	return time.Time{}, nil
}
