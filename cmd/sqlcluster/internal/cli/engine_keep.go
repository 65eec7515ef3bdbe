package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// checkResume refuses to go on with what has no name, or is to be replaced.
func (a *app) checkResume() error {
	if !a.Flags.Resume || a.Flags.Into != "" && !a.Flags.Replace {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-flag", "--resume goes on with the run of --into, and does not replace it").At("resume").
		WithHint("add --into NAME, and leave out --replace")
}

// checkBegun returns what refuses tables that are there, but for those of a fit or a tuning that --resume goes on with.
func (a *app) checkBegun(what string) func(*store.DB, context.Context, string, bool) error {
	return func(db *store.DB, ctx context.Context, name string, replace bool) error {
		there, err := db.Standing(ctx, name)
		if err != nil {
			return err
		}
		interrupted, how := "", ""
		switch p := there.Fit; {
		case there.Tuning != nil && (p == nil || what == "tuning"):
			interrupted = "tuning"
		case p != nil:
			interrupted, how = "fit", fmt.Sprintf(" in start %d, iteration %d", p.Restart+1, p.Iteration)
		}
		switch {
		case a.Flags.Resume && interrupted != what:
			return framework.Faultf(framework.Data, "not-resumable", "there is no interrupted %s %q to go on with", what, name).At("resume").
				WithHint("leave out --resume; sqlcluster runs --db %s lists the runs", framework.ShellWord(a.Flags.DB))
		case interrupted != "" && !a.Flags.Resume && !replace:
			f := framework.Faultf(framework.Data, "table-exists", "a %s %q was interrupted%s", interrupted, name, how).At("into")
			if interrupted != what {
				return f.WithHint("the command that made it goes on with --resume; --replace begins anew")
			}
			return f.WithHint("--resume goes on with it, --replace begins anew")
		}
		return db.CheckTarget(ctx, name, replace || a.Flags.Resume)
	}
}

// checkFit returns what refuses tables that are there, and says so if they are those of a fit or a tuning that could go on.
func (a *app) checkFit() func(*store.DB, context.Context, string, bool) error {
	return func(db *store.DB, ctx context.Context, name string, replace bool) error {
		err := db.CheckTarget(ctx, name, replace)
		if err == nil {
			return nil
		}
		if interrupted := a.checkBegun("fit")(db, ctx, name, replace); interrupted != nil {
			return interrupted
		}
		return err
	}
}

// A keeper writes how far a fit or a tuning is, so that it can go on later.
type keeper struct {
	a        *app
	db       *store.DB
	progress func(fit.Stand) (*result.Progress, error)
	begun    func() (*result.Tables, error) // makes the run; nil: it is there
	fits     func() (ended, of int)         // of a tuning; nil: it is a fit

	last *fit.Stand // that is not written yet; nil: it is
	at   *fit.Stand // of the fit that is made; nil: none is
	next time.Time  // it is not written before, since that takes time
	kept bool
	over bool // the results are written
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
		k.last, k.at = &s, &s
		if time.Now().Before(k.next) {
			return nil
		}
		return k.write(ctx)
	}
}

func (k *keeper) write(ctx context.Context) error {
	began := time.Now()
	p, err := k.progress(*k.last)
	if err != nil {
		return err
	}
	var begun *result.Tables
	if k.begun != nil {
		if begun, err = k.begun(); err != nil {
			return err
		}
	}
	p.SavedAt = began
	if err := k.db.KeepProgress(ctx, k.a.Flags.Into, begun, p); err != nil {
		return err
	}
	k.last, k.kept = nil, true
	k.next = time.Now().Add(max(keptEvery, time.Duration(float64(time.Since(began))/keptShare)))
	return nil
}

// ended writes how far a fit or a tuning was that has ended with an error, and says how to go on.
func (k *keeper) ended(ctx context.Context, err error) error {
	if err == nil || k.over {
		return err
	}
	if k.last != nil {
		_ = k.write(context.WithoutCancel(ctx)) // the error that ended it is the one that counts
	}
	if !k.kept {
		return err
	}
	k.a.unfinished = k.said() + " kept in " + k.a.Flags.Into + "; the same command with --resume goes on"
	if f := framework.AsFault(err); f != nil && f.Class != framework.Usage {
		return f.WithHint("%s", strings.TrimPrefix(f.Hint+"; "+k.a.unfinished, "; "))
	}
	return err
}

// said says what is kept: "2 of 7 fits are".
func (k *keeper) said() string {
	iterations := ""
	if k.at != nil {
		iterations = fmt.Sprintf("%s of start %d", input.Plural(k.at.Iteration, "iteration"), k.at.Restart+1)
	}
	if k.fits == nil {
		return iterations + " " + input.Agreed(k.at.Iteration, "is", "are")
	}
	switch ended, of := k.fits(); {
	case of == 0:
		return "no fits are"
	case k.at == nil:
		return fmt.Sprintf("%d of %d fits are", ended, of)
	case ended < of:
		return fmt.Sprintf("%d of %d fits, and %s of the next, are", ended, of, iterations)
	default:
		return fmt.Sprintf("%d of %d fits, and %s of that of the chosen point, are", ended, of, iterations)
	}
}

// keepTuning begins to keep what is done of a tuning, or takes over what was. What would be replaced stays until the
// end, and then nothing is kept before.
func (a *app) keepTuning(ctx context.Context, db *store.DB, t *job.ElsewhereTuning) (*keeper, error) {
	k := &keeper{a: a, db: db, progress: t.Progress, fits: t.Done}
	if a.Flags.Into == "" {
		return k, nil
	}
	there, err := db.Standing(ctx, a.Flags.Into)
	if err != nil {
		return k, err
	}
	switch {
	case a.Flags.Resume:
		of, was, err := db.LoadTune(ctx, a.Flags.Into)
		if err == nil {
			err = t.Resume(of, was, there.At)
		}
		if err != nil {
			return k, err
		}
	case there.Ended:
		a.Note("%s stays as it is until the tuning has ended, and nothing of the tuning is kept before", a.Flags.Into)
		return k, nil
	default:
		if err := a.writeBegun(ctx, db, t); err != nil {
			return k, err
		}
	}
	k.kept, a.Flags.Replace = true, true // what was begun
	t.Keep = func(ctx context.Context, draws []result.TuneDraw) error { return db.AddDraws(ctx, a.Flags.Into, draws) }
	t.KeepStand, t.KeepPoint = k.keep(ctx), func(ctx context.Context) error {
		k.last, k.at = nil, nil
		return a.keepSoFar(ctx, db, t)
	}
	return k, nil
}

// writeBegun makes the run of a tuning.
func (a *app) writeBegun(ctx context.Context, db *store.DB, t *job.ElsewhereTuning) error {
	begun, err := t.Begun()
	if err != nil {
		return err
	}
	_, p, err := t.SoFar()
	if err != nil {
		return err
	}
	p.SavedAt = time.Now()
	return db.BeginTune(ctx, a.Flags.Into, a.Flags.Replace, begun, p)
}

// keepSoFar writes the points of a tuning that have ended.
func (a *app) keepSoFar(ctx context.Context, db *store.DB, t *job.ElsewhereTuning) error {
	r, p, err := t.SoFar()
	if err != nil {
		return err
	}
	p.SavedAt = time.Now()
	return db.KeepTune(ctx, a.Flags.Into, r, p)
}
