package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// pathThere makes a path of rows that stay in an engine.
func (a *app) pathThere(c *cobra.Command, s pathSettings, relation string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	of, l, grid, err := a.gridJob(c, s.gridSettings, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	p, err := job.NewElsewherePath(of, l, grid, s.PathOptions, a.elsewhere())
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer p.Close()
	return a.sweepThere(c.Context(), relation, a.checkBegun("path"), p.Read, func(ctx context.Context, db *store.DB) error {
		return a.runPath(ctx, s, p.Path, p.Run, func(ctx context.Context, tables *result.Path) error {
			return a.bothWritten(ctx, db, func() error { return written(ctx, a, db.WritePath, tables) }, p.WriteThere)
		})
	})
}

// tuneThere chooses a number of clusters, or of features, of rows that stay in an engine.
func (a *app) tuneThere(c *cobra.Command, s tuneSettings, relation string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	if err := a.checkResume(); err != nil {
		return err
	}
	t, err := a.newTuningThere(c, s, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer t.Close()
	return a.sweepThere(c.Context(), relation, a.checkBegun("tuning"), t.Read, func(ctx context.Context, db *store.DB) error {
		k, err := a.keepTuning(ctx, db, t)
		if err != nil {
			return err
		}
		return k.ended(ctx, a.tuneRowsThere(ctx, db, t, s, k))
	})
}

// newTuningThere resolves the flags.
func (a *app) newTuningThere(c *cobra.Command, s tuneSettings, relation string) (*job.ElsewhereTuning, error) {
	of, l, grid, err := a.tuningOf(c, s, relation)
	if err != nil {
		return nil, err
	}
	return job.NewElsewhereTuning(of, l, grid, s.TuneOptions, a.elsewhere())
}

// tuneRowsThere makes the fits, and writes what they say.
func (a *app) tuneRowsThere(ctx context.Context, db *store.DB, t *job.ElsewhereTuning, s tuneSettings, k *keeper) error {
	chosen := func() (done *job.Fitted, err error) {
		err = a.Stage("fitting", func(say func(string, ...any)) error {
			done, err = t.FitChosen(ctx, func(it fit.Iteration) { sayIteration(say, it, t.Starts()) })
			return err
		})
		return done, err
	}
	return a.runTuning(ctx, t, t.Tuning, s, chosen, func(ctx context.Context, done *job.Fitted, tables *result.Tune) error {
		there := func(ctx context.Context, copies []result.Copy) error { return t.WriteThere(ctx, done, copies) }
		err := a.bothWritten(ctx, db, func() error { return written(ctx, a, db.WriteTune, tables) }, there)
		k.over = err == nil
		return err
	})
}

// sweepThere looks at the rows, and lets work make its fits of them.
func (a *app) sweepThere(ctx context.Context, relation string, check func(*store.DB, context.Context, string, bool) error,
	read func(context.Context, job.Source, distant.Relation) error, work func(context.Context, *store.DB) error) error {
	db, err := a.openTargetThere(ctx, relation, check)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return a.withEngine(ctx, db, func(rows distant.Relation) error {
		if err := a.look(ctx, db, rows, read); err != nil {
			return err
		}
		return work(ctx, db)
	})
}

// checkThere checks what a fit of rows that stay in an engine would.
func (a *app) checkThere(c *cobra.Command, relation string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	e, err := a.newElsewhere(c, relation)
	if err != nil {
		return err
	}
	defer e.Close()
	return a.sweepThere(c.Context(), relation, a.checkBegun("fit"), e.Read, func(context.Context, *store.DB) error {
		a.Notes(e.Notes)
		return a.ShowCheck(e.Job)
	})
}
