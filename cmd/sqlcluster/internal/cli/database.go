package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// open opens the database as the flags say.
func (a *app) open(ctx context.Context, write bool) (*store.DB, error) {
	return a.openWith(ctx, write, store.Options{Extensions: a.Flags.AllowExtensions})
}

func (a *app) openWith(ctx context.Context, write bool, o store.Options) (*store.DB, error) {
	mode := store.ReadOnly
	if write {
		mode = store.ReadWrite
		if err := a.Flags.MayWrite(); err != nil {
			return nil, err
		}
	}
	return store.OpenWith(ctx, a.Flags.DB, mode, o)
}

// openTarget opens the database, and looks with check at the tables that would be
// written: those of the run of that name, or else one table.
func (a *app) openTarget(ctx context.Context, relation string, check func(*store.DB, context.Context, string, bool) error,
	tables ...string) (*store.DB, error) {
	db, err := a.openWith(ctx, a.Flags.Into != "", store.Options{Extensions: a.Flags.AllowExtensions, OneThread: true, Leaving: a.ends})
	if err != nil || a.Flags.Into == "" {
		return db, err
	}
	if err = check(db, ctx, a.Flags.Into, a.Flags.Replace); err == nil {
		err = a.checkNotRead(ctx, db, relation, tables...)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// checkNotRead refuses to replace what is read, except by --start: a run may begin
// where the one before ended.
func (a *app) checkNotRead(ctx context.Context, db *store.DB, relation string, tables ...string) error {
	if a.Flags.Into == "" || !a.Flags.Replace {
		return nil
	}
	for _, r := range []struct{ relation, setting string }{
		{relation, "relation"}, {a.Flags.Pairs, "pairs"}, {a.Flags.Groups, "groups"}, {a.Flags.Constraints, "constraints"},
		{a.Flags.Labels, "labels"},
	} {
		if r.relation == "" && r.setting != "relation" {
			continue
		}
		if run := a.elsewhere().Run; r.setting == "relation" && run != "" {
			if err := checkNotReadThere(r.relation, run, tables); err != nil {
				return err
			}
			continue
		}
		if err := db.CheckNotRead(ctx, r.relation, framework.Setting(r.setting), a.Flags.Into, tables...); err != nil {
			return err
		}
	}
	return nil
}

// checkNotReadThere refuses to replace tables of another database that a relation there may
// be read from: the table of that name, or those of a run.
func checkNotReadThere(relation, name string, tables []string) error {
	names := []string{name}
	if tables != nil {
		names = names[:0]
	}
	for _, t := range tables {
		names = append(names, name+"_"+t)
	}
	for _, n := range names {
		if regexp.MustCompile(`(?i)(^|\W)` + regexp.QuoteMeta(n) + `(\W|$)`).MatchString(relation) {
			return framework.Faultf(framework.Data, "replaces-its-input", "table %s would be replaced, but the rows are read from it", n).
				At("into").WithHint("choose another name")
		}
	}
	return nil
}

// withRuns opens --db, which must be there already, for a command about runs.
func (a *app) withRuns(ctx context.Context, command string, write bool, work func(*store.DB) error) error {
	if a.Flags.DB == "" {
		return framework.Faultf(framework.Usage, "no-database", "%s needs a database", command).
			At("db").WithHint("name it: --db FILE")
	}
	if write {
		if err := a.Flags.MayWrite(); err != nil {
			return err
		}
		if _, err := os.Stat(a.Flags.DB); errors.Is(err, fs.ErrNotExist) {
			write = false // opening it says that it is not there
		}
	}
	db, err := a.open(ctx, write)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if a.Flags.Model != "" {
		db.Choose(input.SplitColumns(a.Flags.Model), command == "diff")
	}
	return work(db)
}

// written writes results to the tables of --into, if there is one.
func written[T any](ctx context.Context, a *app, write func(context.Context, string, bool, T) error, results T) error {
	if a.Flags.Into == "" {
		return nil
	}
	if err := write(ctx, a.Flags.Into, a.Flags.Replace, results); err != nil {
		return err
	}
	a.stored = a.Flags.DB
	return nil
}
