package cli

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
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
	if a.Flags.Resume && a.Flags.Ks == "" { // else it is a tuning
		return framework.Faultf(framework.Usage, "bad-flag",
			"--resume goes on with a fit whose rows stay in an engine, and there is no --engine").
			At("resume").WithHint("add --engine as it was given, or leave out --resume")
	}
	return a.checkEngine()
}

// elsewhere says where the rows are, and whether the tables of a run go there, too: --db
// has all of them, where that is the engine.
func (a *app) elsewhere() job.ElsewhereOptions {
	o := job.ElsewhereOptions{Engine: a.engineName()}
	if into := a.Flags.Into; into != "" && o.Engine != "" && o.Engine != engineDuckDB {
		parts := duck.SplitName(into)
		o.Run = parts[len(parts)-1]
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
func (a *app) withEngine(ctx context.Context, db *store.DB, work func(rows distant.Relation) error) error {
	var rows distant.Relation
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

// checkRunThere refuses tables of the engine that are not to be replaced.
func (a *app) checkRunThere(ctx context.Context, rows distant.Relation) error {
	k, ok := rows.(distant.Keeper)
	run := a.elsewhere().Run
	if !ok || run == "" {
		return nil
	}
	return k.CheckRun(ctx, run, a.Flags.Replace || a.Flags.Resume)
}

// bothWritten writes the tables of a run by write and, where the rows are in another
// database, by there: all of them, or none as far as that database can.
func (a *app) bothWritten(ctx context.Context, db *store.DB, write func() error, there func(context.Context, []result.Copy) error) error {
	if a.elsewhere().Run == "" {
		return write()
	}
	return a.Stage("writing", func(say func(string, ...any)) error {
		return db.WriteBoth(ctx, a.Flags.Into, write, func(ctx context.Context, copies []result.Copy) error {
			say("in the engine")
			return there(ctx, copies)
		})
	})
}

// drop removes the tables of a run: those in its engine too, where --engine says how.
func (a *app) drop(ctx context.Context, db *store.DB, run string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	at, base, err := db.Elsewhere(ctx, run)
	if err != nil && !store.IsNoRun(err) {
		return err
	}
	if a.Flags.Engine != "" {
		if err := a.dropThere(ctx, db, run, at, base); err != nil {
			return err
		}
	}
	tables, err := db.Drop(ctx, run)
	if err != nil {
		return err
	}
	a.Note("dropped %s", strings.Join(tables, ", "))
	if base != "" && a.Flags.Engine == "" {
		a.Note("the tables %s_... of %s are left there; drop takes --engine to remove them too", base, at)
	}
	return nil
}

// dropThere removes the tables of a run, base_..., from the engine at.
func (a *app) dropThere(ctx context.Context, db *store.DB, run, at, base string) error {
	switch {
	case base == "":
		return framework.Faultf(framework.Usage, "bad-flag", "%s has no tables in an engine but this one", run).At("engine").
			WithHint("leave out --engine")
	case a.engineName() != at:
		return framework.Faultf(framework.Usage, "bad-flag", "the tables of run %q are in %s, and not in %s", run, at, a.engineName()).
			At("engine")
	}
	return a.withEngine(ctx, db, func(rows distant.Relation) error {
		k, ok := rows.(distant.Keeper)
		if !ok {
			return nil
		}
		tables, err := k.DropRun(ctx, base)
		if len(tables) > 0 && err == nil {
			a.Note("dropped %s of %s", strings.Join(tables, ", "), at)
		}
		return err
	})
}
