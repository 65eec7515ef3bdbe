package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/settings"
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
	return a.sweepThere(c.Context(), relation, p.Read, func(ctx context.Context, db *store.DB) error {
		return a.runPath(ctx, db, s, p.Path, p.Run)
	})
}

// tuneThere chooses a number of clusters of rows that stay in an engine.
func (a *app) tuneThere(c *cobra.Command, s tuneSettings, relation string) error {
	if err := a.checkEngine(); err != nil {
		return err
	}
	if s.resume {
		return job.NeedsRows("resume", "the fits of a tuning are not kept there before it has ended")
	}
	t, err := a.newTuningThere(c, s, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer t.Close()
	return a.sweepThere(c.Context(), relation, t.Read, func(ctx context.Context, db *store.DB) error { return a.tuneRowsThere(ctx, db, t, s) })
}

func (a *app) newTuningThere(c *cobra.Command, s tuneSettings, relation string) (*job.ElsewhereTuning, error) {
	if err := s.Check(a.Flags.Settings); err != nil {
		return nil, err
	}
	var l library.Library
	var grid settings.Grid
	of, err := a.Flags.FitJob(c.Flags(), relation, "")
	if err != nil {
		return nil, err
	}
	if l = a.Flags.Library(); s.grid != "" || !of.FixedPath(l) {
		if of, l, grid, err = a.gridJob(c, s.gridSettings, relation); err != nil {
			return nil, err
		}
	}
	return job.NewElsewhereTuning(of, l, grid, s.TuneOptions, a.elsewhere())
}

// tuneRowsThere makes the fits, and writes what they say.
func (a *app) tuneRowsThere(ctx context.Context, db *store.DB, t *job.ElsewhereTuning, s tuneSettings) error {
	err := a.Stage("tuning", func(say func(string, ...any)) error {
		return t.Run(ctx, func(ended, of int) { say("%d of %d fits", ended, of) })
	})
	ended, of := t.Done()
	kept, err := s.keep(ctx, err, ended, of)
	if err != nil {
		return err
	}
	var done *job.Fitted
	if kept == nil && a.Flags.Into != "" && !s.noFit && t.Chosen() >= 0 {
		if done, err = t.FitChosen(); err == nil && a.People() {
			err = t.Measure(ctx, done)
		}
		if err != nil {
			return err
		}
	}
	tables, err := t.Tables(done, kept.stopReason())
	if err != nil {
		return err
	}
	if done != nil {
		if err := t.WriteAssignments(ctx, done, a.Flags.Replace); err != nil {
			return err
		}
	}
	if err := written(context.WithoutCancel(ctx), a, db.WriteTune, tables); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	if err := a.ShowTune(t.Tuning, done, tables); err != nil {
		return err
	}
	return t.Failed()
}

// sweepThere looks at the rows, and lets work make its fits of them.
func (a *app) sweepThere(ctx context.Context, relation string, read func(context.Context, job.Source, job.Distant) error,
	work func(context.Context, *store.DB) error) error {
	db, err := a.openTargetThere(ctx, relation)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return a.withEngine(ctx, db, func(rows job.Distant) error {
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
	return a.sweepThere(c.Context(), relation, e.Read, func(context.Context, *store.DB) error {
		a.Notes(e.Notes)
		return a.ShowCheck(e.Job)
	})
}
