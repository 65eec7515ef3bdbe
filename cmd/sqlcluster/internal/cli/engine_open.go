package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// openEngine opens the engine of --engine, where the tables of a run are in a database that
// is open.
func (a *app) openEngine(ctx context.Context, db *store.DB) (distant.Relation, func() error, error) {
	if a.Flags.Engine == engineDuckDB {
		e := duckdb.On(db.DB.DB.DB)
		return relation{engine.On(e)}, e.Close, nil
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
	return relation{engine.On(e)}, e.Close, nil
}

// relation is a table of an engine, as jobs have it.
type relation struct{ *engine.Table }

// Learn implements distant.Relation.
func (r relation) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (l distant.Learned, err error) {
	l.Table, l.Recipe, l.Problem, l.Fingerprint, err = r.Table.Learn(ctx, spec, s)
	return l, err
}

// Bind implements distant.Relation.
func (r relation) Bind(f means.Formula, p framework.Problem) (distant.Bound, error) {
	b, err := r.Table.Bind(f, p)
	if err != nil {
		return nil, err
	}
	return b, nil
}
