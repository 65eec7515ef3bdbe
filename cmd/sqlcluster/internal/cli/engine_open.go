package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// openEngine opens the engine of --engine, where the tables of a run are in a database that
// is open.
func (a *app) openEngine(ctx context.Context, db *store.DB) (job.Distant, func() error, error) {
	if a.Flags.Engine == engineDuckDB {
		e := duckdb.On(db.DB.DB.DB)
		return distant{engine.On(e)}, e.Close, nil
	}
	credentials, err := clickhouse.FromEnvironment()
	if path := a.Flags.EngineCredentials; path != "" {
		credentials, err = clickhouse.FromFile(path)
	}
	if err != nil {
		return nil, nil, err
	}
	e, err := clickhouse.Open(ctx, a.Flags.Engine, credentials, a.Waiting)
	if err != nil {
		return nil, nil, err
	}
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
	return b, nil
}
