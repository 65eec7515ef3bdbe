package cli

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// engineDuckDB is the engine whose rows are those of --db. Others are addresses.
const engineDuckDB = "duckdb"

// checkEngine refuses what is no engine, and what does not go with one. An address may
// have a secret in it, and is not shown then.
func (a *app) checkEngine() error {
	text := a.Flags.Engine
	scheme, _, isAddress := strings.Cut(text, "://")
	switch {
	case a.Flags.EngineCredentials != "" && (text == "" || text == engineDuckDB):
		return framework.Faultf(framework.Usage, "bad-flag", "no engine is named that takes credentials").At("engine_credentials").
			WithHint("leave it out, or add --engine clickhouse://HOST:PORT/DATABASE")
	case text == "", text == engineDuckDB:
		return nil
	case isAddress && (scheme == "clickhouse" || scheme == "clickhouses"):
		return clickhouse.CheckAddress(text)
	}
	f := framework.Faultf(framework.Usage, "bad-flag", "--engine is %q, which is no engine", scheme).At("engine").
		WithHint("it is %s, or clickhouse://HOST:PORT/DATABASE", engineDuckDB)
	f.Similar = framework.Closest(strings.ToLower(scheme), []string{engineDuckDB, "clickhouse"})
	return f
}

// checkNotThere refuses what is only about rows that stay in an engine.
func (a *app) checkNotThere() error {
	if a.Flags.Resume {
		return framework.Faultf(framework.Usage, "bad-flag", "--resume goes on with a fit whose rows stay in an engine, and there is no --engine").
			At("resume").WithHint("add --engine as it was given, or leave out --resume")
	}
	return a.checkEngine()
}

// away says whether the rows are in another database than --db.
func (a *app) away() bool { return a.Flags.Engine != "" && a.Flags.Engine != engineDuckDB }

// elsewhere says where the rows are, and where the assignments go: into the database of
// the other tables, where that is the engine.
func (a *app) elsewhere() job.ElsewhereOptions {
	o := job.ElsewhereOptions{Engine: a.engineName()}
	if into := a.Flags.Into; into != "" && o.Engine != engineDuckDB {
		parts := duck.SplitName(into)
		o.AssignTo = parts[len(parts)-1] + "_" + schema.Assignments
	}
	return o
}

// engineName is the engine as it is recorded: without a user, and without settings, which
// may be secrets.
func (a *app) engineName() string {
	u, err := url.Parse(a.Flags.Engine)
	if err != nil || u.Host == "" {
		return a.Flags.Engine
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// openEngine opens the engine of --engine; tests have others.
var openEngine = (*app).openEngine

// withEngine opens --db, for the tables of a run, and the engine, and lets work use both.
func (a *app) withEngine(ctx context.Context, db *store.DB, work func(rows job.Distant) error) error {
	var rows job.Distant
	var closing func() error
	err := a.Stage("connecting", func(func(string, ...any)) (err error) {
		rows, closing, err = openEngine(a, ctx, db)
		return err
	})
	if err != nil {
		return err
	}
	err = work(rows)
	return errors.Join(err, closing())
}
