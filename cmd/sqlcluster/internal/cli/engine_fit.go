package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// fitThere fits rows that stay in an engine.
func (a *app) fitThere(c *cobra.Command, relation string) error {
	if err := a.checkFitThere(); err != nil {
		return err
	}
	if a.Flags.Ks != "" {
		return a.tuneThere(c, choosing(), relation)
	}
	e, err := a.newElsewhere(c, relation)
	if err != nil {
		return err
	}
	defer e.Close()
	ctx := c.Context()
	db, err := a.openTargetThere(ctx, relation, a.checkBegun("fit"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return a.withEngine(ctx, db, func(rows distant.Relation) error {
		if err := a.look(ctx, db, rows, e.Read); err != nil {
			return err
		}
		from, err := a.resumed(ctx, db, e)
		if err != nil {
			return err
		}
		return a.fitRowsThere(ctx, db, e, from)
	})
}

// newElsewhere resolves the flags of fit or check.
func (a *app) newElsewhere(c *cobra.Command, relation string) (*job.Elsewhere, error) {
	s, err := a.Flags.FitJob(c.Flags(), relation, "")
	if err != nil {
		return nil, err
	}
	e, err := job.NewElsewhere(s, a.Flags.Library(), a.elsewhere())
	return e, a.Flags.SayParam(err)
}

// checkFitThere refuses flags that do not go with rows that stay in an engine.
func (a *app) checkFitThere() error {
	f := a.Flags
	switch {
	case strings.Contains(f.Algorithm, ","):
		return distant.NeedsRows("algorithm", "several algorithms begin with the same labels, which stay in the engine").
			WithHint("fit one after the other")
	case f.Attach != "":
		return distant.NeedsRows("attach", "the algorithm is in this process")
	case f.Trace != "", f.CPUProfile != "":
		return distant.NeedsRows(map[bool]string{true: "trace", false: "cpuprofile"}[f.Trace != ""], "the work is done in the engine")
	case f.Output == "csv", f.Output == "jsonl":
		return framework.Faultf(framework.Usage, "needs-rows", "-o %s shows the cluster of each row, and rows stay in the engine", f.Output).
			At("output").
			WithHint("-o json shows the other tables; --into NAME writes all of them")
	}
	if err := a.checkResume(); err != nil {
		return err
	}
	return a.checkEngine()
}

// openTargetThere opens the database of the tables, and refuses by check those that are there.
func (a *app) openTargetThere(ctx context.Context, relation string,
	check func(*store.DB, context.Context, string, bool) error,
) (*store.DB, error) {
	db, err := a.openTarget(ctx, relation, check, schema.Names()...)
	if err != nil {
		return nil, err
	}
	if err := db.AllThreads(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// look looks at the relation in its engine.
func (a *app) look(ctx context.Context, db *store.DB, rows distant.Relation,
	read func(context.Context, job.Source, distant.Relation) error) error {
	return a.Stage("looking at the rows", func(say func(string, ...any)) error {
		say("in the engine")
		if err := a.checkRunThere(ctx, rows); err != nil {
			return err
		}
		return read(ctx, db, rows)
	})
}

// resumed returns what the fit goes on from; nil: it begins.
func (a *app) resumed(ctx context.Context, db *store.DB, e *job.Elsewhere) (*fit.Stand, error) {
	if !a.Flags.Resume {
		return nil, nil
	}
	p, err := db.LoadProgress(ctx, a.Flags.Into)
	if err != nil {
		return nil, err
	}
	at, err := e.Resume(p)
	if err == nil {
		a.Note("goes on after iteration %d of start %d", at.Iteration, at.Restart+1)
	}
	return at, err
}

// fitRowsThere fits, keeps how far it is, and writes the results.
func (a *app) fitRowsThere(ctx context.Context, db *store.DB, e *job.Elsewhere, from *fit.Stand) error {
	k := &keeper{a: a, db: db, progress: e.Progress, begun: e.Begun}
	var done *job.Fitted
	err := a.Stage("fitting", func(say func(string, ...any)) (err error) {
		done, err = e.Fit(ctx, from, k.keep(ctx), func(it fit.Iteration) { sayIteration(say, it, e.Starts()) })
		return err
	})
	if err != nil {
		return k.ended(ctx, err)
	}
	if a.People() {
		measure := func(func(string, ...any)) error { return e.Measure(ctx, done) }
		if err := a.Stage("silhouette", measure); err != nil {
			return k.ended(ctx, err)
		}
	}
	tables, err := e.Tables(done)
	if err != nil {
		return err
	}
	write := func(ctx context.Context, name string, _ bool, t *result.Tables) error {
		return db.Write(ctx, name, a.Flags.Replace || from != nil || k.kept, t)
	}
	there := func(ctx context.Context, copies []result.Copy) error { return e.WriteThere(ctx, done, copies) }
	if err := a.bothWritten(ctx, db, func() error { return written(ctx, a, write, tables) }, there); err != nil {
		return k.ended(ctx, err)
	}
	if err := a.ShowFit(e.Job, done, tables); err != nil {
		return err
	}
	if a.Flags.Strict && !done.Converged {
		return errNotConverged
	}
	return nil
}
