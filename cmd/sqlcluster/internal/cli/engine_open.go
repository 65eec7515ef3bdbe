package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// openEngine opens the engine of --engine, where the tables of a run are in a database that
// is open.
func (a *app) openEngine(_ context.Context, db *store.DB) (job.Distant, func() error, error) {
	if a.Flags.Engine != engineDuckDB {
		return nil, nil, framework.Faultf(framework.Usage, "bad-flag", "this sqlcluster has no engine %s", a.Flags.Engine).At("engine")
	}
	e := duckdb.On(db.DB.DB.DB)
	return distant{engine.On(e)}, e.Close, nil
}

// distant is a table of an engine, as jobs have it.
type distant struct{ *engine.Table }

// Learn implements job.Distant.
func (d distant) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (l job.Learned, err error) {
	l.Table, l.Recipe, l.Problem, l.Fingerprint, err = d.Table.Learn(ctx, spec, s)
	return l, err
}

// Bind implements job.Distant.
func (d distant) Bind(f means.Formula, p framework.Problem) (job.Bound, error) {
	b, err := d.Table.Bind(f, p)
	if err != nil {
		return nil, err
	}
	bound, _ := any(b).(job.Bound)
	return bound, nil
}
