package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/input"
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
	db, err := a.openTargetThere(ctx, relation)
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
	case f.Ks != "" && f.Resume:
		return framework.Faultf(framework.Usage, "bad-flag", "--resume goes on with one fit, and -k %s chooses a number of clusters first", f.Ks).
			At("resume").WithHint("leave out --resume, or give the number that is fitted")
	case f.Attach != "":
		return distant.NeedsRows("attach", "the algorithm is in this process")
	case f.Trace != "", f.CPUProfile != "":
		return distant.NeedsRows(map[bool]string{true: "trace", false: "cpuprofile"}[f.Trace != ""], "the work is done in the engine")
	case f.Output == "csv", f.Output == "jsonl":
		return framework.Faultf(framework.Usage, "needs-rows", "-o %s shows the cluster of each row, and rows stay in the engine", f.Output).
			At("output").
			WithHint("-o json shows the other tables; --into NAME writes all of them")
	case f.Resume && (f.Into == "" || f.Replace):
		return framework.Faultf(framework.Usage, "bad-flag", "--resume goes on with the fit of --into, and does not replace it").At("resume").
			WithHint("add --into NAME, and leave out --replace")
	}
	return a.checkEngine()
}

// openTargetThere opens the database of the tables, and refuses those that are there: but
// not what --resume goes on with.
func (a *app) openTargetThere(ctx context.Context, relation string) (*store.DB, error) {
	check := func(db *store.DB, ctx context.Context, name string, replace bool) error {
		p, err := db.LoadProgress(ctx, name)
		if err != nil {
			return err
		}
		switch {
		case a.Flags.Resume && p == nil:
			return framework.Faultf(framework.Data, "not-resumable", "there is no interrupted fit %q to go on with", name).At("resume").
				WithHint("leave out --resume; sqlcluster runs --db %s lists the runs", framework.ShellWord(a.Flags.DB))
		case p != nil && !a.Flags.Resume && !replace:
			return framework.Faultf(framework.Data, "table-exists", "a fit %q was interrupted in start %d, iteration %d",
				name, p.Restart+1, p.Iteration).
				At("into").WithHint("--resume goes on with it, --replace begins anew")
		}
		return db.CheckTarget(ctx, name, replace || a.Flags.Resume)
	}
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
	k := &keeper{a: a, db: db, e: e}
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

// A keeper writes how far a fit is, so that it can go on later.
type keeper struct {
	a    *app
	db   *store.DB
	e    *job.Elsewhere
	last *fit.Stand // that is not written yet; nil: it is
	at   fit.Stand  // the last one
	next time.Time  // it is not written before, since that takes time
	kept bool
}

// keptEvery is how long a fit goes on before it is written again how far it is, and
// keptShare the largest part of its time that this takes.
const (
	keptEvery = 5 * time.Second
	keptShare = 0.02
)

// keep returns what is told after each iteration; nil: nothing is to be written.
func (k *keeper) keep(ctx context.Context) func(fit.Stand) error {
	if k.a.Flags.Into == "" {
		return nil
	}
	return func(s fit.Stand) error {
		k.last, k.at = &s, s
		if time.Now().Before(k.next) {
			return nil
		}
		return k.write(ctx)
	}
}

func (k *keeper) write(ctx context.Context) error {
	began := time.Now()
	p, err := k.e.Progress(*k.last)
	if err != nil {
		return err
	}
	begun, err := k.e.Begun()
	if err != nil {
		return err
	}
	p.SavedAt = began
	if err := k.db.KeepProgress(ctx, k.a.Flags.Into, begun, p); err != nil {
		return err
	}
	k.last, k.kept = nil, true
	k.next = time.Now().Add(max(keptEvery, time.Duration(float64(time.Since(began))/keptShare)))
	return nil
}

// ended writes how far a fit was that has ended with an error, and says how to go on.
func (k *keeper) ended(ctx context.Context, err error) error {
	if k.last != nil {
		_ = k.write(context.WithoutCancel(ctx)) // the error that ended the fit is the one that counts
	}
	if !k.kept {
		return err
	}
	k.a.unfinished = fmt.Sprintf("%s of start %d %s kept in %s; the same command with --resume goes on",
		input.Plural(k.at.Iteration, "iteration"),
		k.at.Restart+1, input.Agreed(k.at.Iteration, "is", "are"), k.a.Flags.Into)
	if f := framework.AsFault(err); f != nil && f.Class != framework.Usage {
		return f.WithHint("%s", strings.TrimPrefix(f.Hint+"; "+k.a.unfinished, "; "))
	}
	return err
}
