package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/grouped"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// fitGroups fits each group of --by.
func (a *app) fitGroups(c *cobra.Command, relation string) error {
	for flag, given := range map[string]string{"attach": a.Flags.Attach, "cpuprofile": a.Flags.CPUProfile, "trace": a.Flags.Trace} {
		if given != "" {
			return framework.Faultf(framework.Usage, "bad-flag", "--%s is about one fit, and --by makes several", flag).At(flag).
				WithHint("fit one group: a query with WHERE has its rows")
		}
	}
	s, err := a.Flags.FitJob(c.Flags(), relation, "")
	if err != nil {
		return err
	}
	f, err := grouped.NewFits(s, a.Flags.Library())
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer f.Close()
	r, err := ranGroups(c.Context(), a, "fitting", f.Each, relation, f.Read, f.Runs, (*store.DB).WriteGroups)
	if err != nil {
		return err
	}
	if err := a.ShowGroups(f, r); err != nil {
		return err
	}
	return a.allConverged(r.Models)
}

// checkGroups checks each group of --by, and writes nothing.
func (a *app) checkGroups(c *cobra.Command, relation string) error {
	s, err := a.Flags.FitJob(c.Flags(), relation, "")
	if err != nil {
		return err
	}
	k, err := grouped.NewChecks(s, a.Flags.Library())
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer k.Close()
	r, err := ranGroups(c.Context(), a, "checking", k.Each, relation, k.Read, k.Runs, nil)
	if err != nil {
		return err
	}
	return a.ShowChecks(k, r)
}

// pathGroups makes the path of each group of --by.
func (a *app) pathGroups(c *cobra.Command, s pathSettings, relation string) error {
	if err := s.wholeGroups(); err != nil {
		return err
	}
	if err := a.checkLabels(s); err != nil {
		return err
	}
	of, l, grid, err := a.gridJob(c, s.gridSettings, relation)
	if err != nil {
		return err
	}
	p, err := grouped.NewPaths(of, l, grid, s.PathOptions)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer p.Close()
	r, err := ranGroups(c.Context(), a, "fitting", p.Each, relation, p.Read, p.Runs, (*store.DB).WritePaths)
	if err != nil {
		return err
	}
	return a.ShowPaths(p, r)
}

// tuneGroups tunes each group of --by, and fits what is chosen.
func (a *app) tuneGroups(c *cobra.Command, s tuneSettings, relation string) error {
	if err := s.wholeGroups(); err != nil {
		return err
	}
	if a.Flags.Resume {
		return framework.Faultf(framework.Usage, "bad-flag", "the tunings of groups are written when all have ended, and cannot be resumed").
			At("resume").WithHint("leave out --resume")
	}
	of, l, grid, err := a.tuningOf(c, s, relation)
	if err != nil {
		return err
	}
	t, err := grouped.NewTunings(of, l, grid, s.TuneOptions)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer t.Close()
	t.Fit = (a.Flags.Into != "" || s.fit) && !s.noFit
	r, err := ranGroups(c.Context(), a, "tuning", t.Each, relation, t.Read, t.Runs, (*store.DB).WriteTunings)
	if err != nil {
		return err
	}
	if err := a.ShowTunings(t, r); err != nil {
		return err
	}
	if s.fit && !slices.ContainsFunc(r.Models, func(m result.Model) bool { return m.Status == result.Fitted }) {
		return noStructureOf(r.Groups.Len())
	}
	return a.allConverged(r.Models)
}

// wholeGroups refuses to keep a part of what is done.
func (s *gridSettings) wholeGroups() error {
	if !s.keepPartial {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-flag", "what is done of several groups is not kept when the command is interrupted").
		At("keep_partial").WithHint("leave out --keep-partial")
}

// ranGroups makes the runs of groups, and writes their tables if write is not nil. What
// programs read of the results is there in the end; for people, one result is.
func ranGroups[T any](ctx context.Context, a *app, stage string, e *grouped.Each, relation string,
	read func(context.Context, grouped.PartSource, func(rows int)) error, runs func() *grouped.Batches[T],
	write func(*store.DB, context.Context, string, bool, result.Batches[T]) error,
) (*result.Grouped[T], error) {
	db, err := a.openTarget(ctx, relation, (*store.DB).CheckTarget, schema.Names()...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	defer e.Close()
	err = a.Stage("reading", func(say func(string, ...any)) error {
		return read(ctx, db, func(rows int) { say("%d rows", rows) })
	})
	if err != nil {
		return nil, err
	}
	b := runs()
	b.Keep = !a.People() || write == nil
	said := saidBatches[T]{b}
	err = a.Stage(stage, func(say func(string, ...any)) error {
		e.Progress = func(done, of int) { say("%d of %d groups", done, of) }
		if a.Flags.Into == "" || write == nil {
			return all(ctx, said)
		}
		toDB := func(ctx context.Context, name string, replace bool, b saidBatches[T]) error {
			return write(db, ctx, name, replace, b)
		}
		return written(ctx, a, toDB, said)
	})
	return b.Result, err
}

// saidBatches are results of groups that name settings as flags.
type saidBatches[T any] struct{ *grouped.Batches[T] }

// Next implements result.Batches.
func (b saidBatches[T]) Next(ctx context.Context) (r *result.Grouped[T], from, to int, err error) {
	if r, from, to, err = b.Batches.Next(ctx); err == nil {
		sayFlags(r.Models[from:to])
	}
	return r, from, to, err
}

// all makes all results.
func all[T any](ctx context.Context, b result.Batches[T]) error {
	for {
		r, from, to, err := b.Next(ctx)
		if err != nil || to == r.Groups.Len() {
			return err
		}
		b.Release(from, to)
	}
}

// sayFlags names settings as flags in what tables say of models.
func sayFlags(models []result.Model) {
	for i := range models {
		m := &models[i]
		m.Message = framework.Say(m.Message, flags.Text)
		m.Notes = slices.Clone(m.Notes)
		for j, n := range m.Notes {
			m.Notes[j] = framework.Say(n, flags.Text)
		}
	}
}

// allConverged is the error of --strict, if a model has not converged.
func (a *app) allConverged(models []result.Model) error {
	for _, m := range models {
		if a.Flags.Strict && m.Converged != nil && !*m.Converged {
			return errNotConverged
		}
	}
	return nil
}

// predictGroups labels the rows of each group by its model.
func (a *app) predictGroups(ctx context.Context, db *store.DB, run, relation string) error {
	if a.Flags.Enforce {
		return framework.Faultf(framework.Usage, "bad-flag", "run %q has several models, and limits are kept for the rows of one at a time", run).
			At("enforce").WithHint("choose a model with %s, and give its rows", framework.Setting("model"))
	}
	groups, fits, err := db.Groups(ctx, run)
	if err != nil {
		return err
	}
	if err := a.checkNotRead(ctx, db, relation); err != nil {
		return err
	}
	s := a.Flags.Job(relation)
	p := grouped.Prediction{Run: grouped.Run{Name: run, Groups: groups, Fits: fits}, Extras: model.Extras{Flag: a.Flags.Flag,
		Distances: a.Flags.Distances},
		Unseen: matrix.Unseen(a.Flags.Unseen), Threads: s.Threads}
	r, notes, err := p.Predict(ctx, a.Flags.Library(), db, s.Spec())
	if err != nil {
		return err
	}
	a.Notes(notes)
	if a.Flags.Into == "" {
		return a.ShowGroupAssignments(r)
	}
	if err := written(ctx, a, db.WriteGroupAssignments, r); err != nil {
		return err
	}
	rows := 0
	for _, n := range r.Groups.Sizes {
		rows += n
	}
	a.WrittenTo(input.Counted(rows, "row", "rows")+" labelled", a.Flags.Into)
	return nil
}

// scoreGroups scores the clusters of each group that has a model.
func (a *app) scoreGroups(ctx context.Context, db *store.DB, run string, o model.ScoreOptions) error {
	groups, fits, err := db.Groups(ctx, run)
	if err != nil {
		return err
	}
	given := o.Relation != ""
	o.Threads = a.Flags.Threads
	var r *result.Grouped[*model.Scores]
	var notes []string
	err = a.Stage("scoring", func(say func(string, ...any)) error {
		s := grouped.Scoring{Run: grouped.Run{Name: run, Groups: groups, Fits: fits}, Options: o,
			Progress: func(done, of int) { say("%d of %d groups", done, of) }}
		r, notes, err = s.Score(ctx, a.Flags.Library(), db)
		return err
	})
	if err != nil {
		return ofFittedRelation(err, run, given)
	}
	a.Notes(notes)
	return a.ShowGroupScores(r)
}
