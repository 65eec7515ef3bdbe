package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// tuneSettings are the flags of tune alone.
type tuneSettings struct {
	job.TuneOptions
	gridSettings
	noFit bool
}

func (a *app) tuneCommand() *cobra.Command {
	var s tuneSettings
	c := &cobra.Command{
		Use:   "tune RELATION",
		Short: "Choose how many features to keep, from rows whose class is known",
		Long: `Judge many values of the parameter that decides how many features are selected
by cross-validation. The rows that have a class in the column of --truth are divided
into folds. For each value and each fold, all rows are clustered with pairs made of
the classes of the other folds (must within a class, cannot between two), and the
score is the pairwise F of the rows in the fold. With --pairs, the pairs are those
given, without those of a row in the fold. A row whose class is NULL is in no fold.
With --into NAME the results are written to NAME_tune and NAME_tune_folds, and
rows are fitted once more with the chosen value and all pairs: see fit.`,
		Example: `  sqlcluster tune ionosphere.csv --id id --truth class -a pcskm -k 2 \
    --share 0.01
  sqlcluster tune ionosphere.csv --id id --truth class -a pcskm -k 2 \
    --grid 1.5,2,2.5 --db iono.duckdb --into tuned`,
		Args: help.Takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.Method, "method", job.CrossValidation, "how values are judged: cv (cross-validation)")
	f.StringVar(&s.Truth, "truth", "", "`column` of the relation with the known classes; NULL: not known (required)")
	f.IntVar(&s.Folds, "folds", 10, "`number` of folds that the rows with a class are divided into")
	f.IntVar(&s.Repeats, "repeats", 1, "`number` of times that the rows are divided into folds")
	f.Float64Var(&s.Share, "share", 1,
		"`part` of the pairs made of the classes that each fit is given, drawn at random: 0.01 is one in a hundred")
	f.StringVar(&s.Choose, "choose", job.ChooseBest,
		"which value is chosen: best (highest score), one-se (fewest features within one standard error of it)")
	f.BoolVar(&s.noFit, "no-fit", false, "do not fit the chosen value")
	flags.In(f, flags.GroupInput, "truth")
	flags.In(f, flags.GroupModel, "method", "folds", "repeats", "share", "choose")
	flags.In(f, flags.GroupOutput, "no-fit")
	s.add(f, "when interrupted, write the fits that are done")
	a.Flags.AddFit(f, flags.Tables)
	for flag, values := range map[string][]string{"method": {job.CrossValidation}, "choose": {job.ChooseBest, job.ChooseOne}} {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return c
}

func (a *app) tune(c *cobra.Command, s tuneSettings, relation string) error {
	ctx := c.Context()
	t, err := a.newTuning(c, s, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer t.Close()
	db, err := a.openTarget(ctx, relation, (*store.DB).CheckTarget, true)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	t.Launch(ctx)
	read := func(ctx context.Context, _ job.Source, progress func(int)) error { return t.Read(ctx, db, progress) }
	if err := a.read(ctx, db, read); err != nil {
		return err
	}
	return a.tuneRows(ctx, db, t, s)
}

// newTuning resolves the flags.
func (a *app) newTuning(c *cobra.Command, s tuneSettings, relation string) (*job.Tuning, error) {
	if err := s.Check(a.Flags.Settings); err != nil {
		return nil, err
	}
	of, l, grid, err := a.gridJob(c, s.gridSettings, relation)
	if err != nil {
		return nil, err
	}
	return job.NewTuning(of, l, grid, s.TuneOptions)
}

// tuneRows makes the fits, and writes what they say.
func (a *app) tuneRows(ctx context.Context, db *store.DB, t *job.Tuning, s tuneSettings) error {
	err := a.Stage("tuning", func(say func(string, ...any)) error {
		return t.Run(ctx, func(ended, of int, value float64) {
			say("%d of %d fits, %s = %s", ended, of, t.Parameter.Name, render.Exact(value))
		})
	})
	kept, err := s.keep(ctx, err, t.Done(), len(t.CV.Grid))
	if err != nil {
		return err
	}
	var done *job.Fitted
	if kept == nil && a.Flags.Into != "" && !s.noFit && t.Chosen() >= 0 {
		if done, err = t.FitChosen(ctx); err != nil {
			return err
		}
	}
	tables, err := t.Tables(done, kept.stopReason())
	if err != nil {
		return err
	}
	if err := written(context.WithoutCancel(ctx), a, db.WriteTune, tables); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	if err := a.ShowTune(t, done, tables); err != nil {
		return err
	}
	if t.Best < 0 {
		return t.Judged[0].Err // no value has a score
	}
	return nil
}
