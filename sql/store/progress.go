package store

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// KeepProgress writes how far the fit of a run has come, in the place of what was written
// before. The first time it makes a run of begun, unless one is there, which
// stays as it is until Write replaces it; nil: one is there.
func (db *DB) KeepProgress(ctx context.Context, name string, begun *result.Tables, p *result.Progress) error {
	schemaName, base, err := db.runTarget(ctx, name)
	if err != nil {
		return err
	}
	tables := []newTable{progressTable(base, p)}
	if _, err := db.findRun(ctx, name); IsNoRun(err) && begun != nil {
		for _, what := range []string{schema.Fit, schema.Run} {
			t, _ := fitTable(begun, what)
			t.name = base + "_" + what
			tables = append(tables, t)
		}
	} else if err != nil {
		return err
	}
	return db.create(ctx, schemaName, tables, tables, true, keyed{})
}

func progressTable(base string, p *result.Progress) newTable {
	return newTable{result: schema.Progress, name: base + "_" + schema.Progress, rows: 1, columns: progressCells(p)}
}

// A Standing is what there is of a run.
type Standing struct {
	Ended  bool             // there is a run, and nothing of it is still to be made
	Fit    *result.Progress // of a fit that has not ended, perhaps beside a run that it is to replace; nil: there is none
	Tuning *result.Fit      // of a tuning that has not ended; nil: there is none
	At     *result.Progress // of that tuning; nil: its rows are in no engine
}

// Standing says what there is of a run of a name.
func (db *DB) Standing(ctx context.Context, run string) (s Standing, err error) {
	t, err := db.findRun(ctx, run)
	if IsNoRun(err) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	fits, err := db.readFits(ctx, t, false)
	if err != nil {
		return s, err
	}
	if len(fits) == 1 && fits[0].StopReason == result.Incomplete {
		s.Tuning = fits[0]
	}
	s.Ended = s.Tuning == nil && (len(fits) != 1 || fits[0].StopReason != result.Unfinished)
	p, err := db.LoadProgress(ctx, run)
	if p != nil && s.Tuning != nil && p.RunID == s.Tuning.RunID {
		s.At = p
	} else {
		s.Fit = p
	}
	return s, err
}

// Elsewhere returns the engine that the rows of a run are in, and the name of the run there
// if its tables are there, too; "": they are not.
func (db *DB) Elsewhere(ctx context.Context, run string) (engine, there string, err error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return "", "", err
	}
	fits, err := db.readFits(ctx, t, false)
	if err != nil || len(fits) != 1 {
		return "", "", err
	}
	engine, table := elsewhereOf(fits[0])
	return engine, strings.TrimSuffix(table, "_"+schema.Assignments), nil
}

// elsewhereOf returns the engine of the rows of a fit, and the table of their assignments
// there; "": these are with the other tables.
func elsewhereOf(fit *result.Fit) (engine, assignments string) {
	var params struct{ Engine, Assignments struct{ Value string } }
	if json.Unmarshal([]byte(fit.Params), &params) != nil {
		return "", ""
	}
	return params.Engine.Value, params.Assignments.Value
}

// assignedElsewhere is the fault of a run whose assignments are in the engine that its rows
// are in, or whose fit has not ended; nil: they should be here.
func (db *DB) assignedElsewhere(ctx context.Context, fit duck.Table) error {
	fits, err := db.readFits(ctx, fit, false)
	if err != nil || len(fits) != 1 {
		return err
	}
	if fits[0].StopReason == result.Unfinished {
		return framework.Faultf(framework.Data, codeMissing, "the fit of run %q was interrupted, and has no assignments", runName(fit)).
			WithHint("the command that made it goes on with %s", framework.Setting("resume"))
	}
	engine, table := elsewhereOf(fits[0])
	if table == "" {
		return nil
	}
	return framework.Faultf(framework.Data, codeMissing, "the assignments of run %q are where its rows are: table %s of %s",
		runName(fit), table, engine).
		WithHint("read them there; score takes %s", framework.SettingTo("engine", engine))
}

// LoadProgress returns how far the fit of a run has come that has not ended; nil: there is
// none.
func (db *DB) LoadProgress(ctx context.Context, run string) (*result.Progress, error) {
	fit, err := db.findRun(ctx, run)
	if IsNoRun(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := db.member(ctx, fit, schema.Progress)
	if IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := db.Rows(ctx, "SELECT run_id, CAST(params AS VARCHAR), fingerprint, source, restart, iteration, objective, "+
		"epoch_us(saved_at), state, coalesce(point, -1) FROM "+t.Qualified())
	if err != nil || len(rows) != 1 {
		return nil, duck.InternalFault("show-failed", "cannot read "+t.Name, err)
	}
	row, p := rows[0], &result.Progress{Objective: math.NaN()}
	for i, to := range []*string{&p.RunID, &p.Params, &p.Fingerprint, &p.Source} {
		*to, _ = row[i].(string)
	}
	restart, _ := row[4].(int64)
	iteration, _ := row[5].(int64)
	p.Restart, p.Iteration = int(restart), int(iteration)
	if v, ok := row[6].(float64); ok {
		p.Objective = v
	}
	if us, ok := row[7].(int64); ok {
		p.SavedAt = time.UnixMicro(us).UTC()
	}
	p.State, _ = row[8].(string)
	point, _ := row[9].(int64)
	p.Point = int(point)
	return p, nil
}

func progressCells(p *result.Progress) cellWriters {
	text := func(v string) duck.Cells { return duck.Texts(func(int) string { return v }) }
	return cellWriters{
		"run_id": text(p.RunID), "params": text(p.Params), "fingerprint": text(p.Fingerprint), "source": text(p.Source), "state": text(p.State),
		"point":     duck.Integers(0, func(int) int { return p.Point }),
		"restart":   duck.Integers(0, func(int) int { return p.Restart }),
		"iteration": duck.Integers(0, func(int) int { return p.Iteration }),
		"objective": duck.Doubles(func(int) float64 { return p.Objective }),
		"saved_at":  duck.Fixed(func(int) (int64, bool) { return p.SavedAt.UnixMicro(), true }),
	}
}
