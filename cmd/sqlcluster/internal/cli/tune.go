package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// tuneSettings are the flags of tune alone.
type tuneSettings struct {
	settings.TuneOptions
	gridSettings
	noFit bool
	fit   bool // the fit of the chosen values is what was asked for
}

func (a *app) tuneCommand() *cobra.Command {
	s := tuneSettings{TuneOptions: settings.DefaultTuneOptions()}
	c := &cobra.Command{
		Use:   "tune RELATION",
		Short: "Choose the number of clusters, and how many features to keep",
		Long: `Try several numbers of clusters (-k 2:10), several values of the parameter that
decides how many features are selected (--grid), or both, and recommend one. The
answer may be that there is no structure.
Without classes, points are judged by methods that compare the rows with data sets
drawn without structure (gap, gap-axes), by how far clusters are apart (silhouette,
calinski-harabasz, davies-bouldin), or by whether they are found again in half of the
rows (stability). Several methods are separated by commas; the first decides.
With --truth, they are judged by cross-validation: the rows that have a class in that
column are divided into folds; all rows are clustered with pairs made of the classes
of the other folds, or with those of --pairs, and the score is that of the rows in
the fold, which no pair mentions. A row whose class is NULL is in no fold.
With --into NAME the results are written to NAME_tune and NAME_tune_draws (or
NAME_tune_folds), and all rows are fitted with the chosen values: see fit. A tuning
that was interrupted goes on with the same command and --resume, with --engine too.`,
		Example: `  sqlcluster tune wine.csv --id id --exclude class -k 2:8
  sqlcluster tune wine.csv --id id --exclude class -a skfr -k 2:6 --grid 2:13 \
    --db wine.duckdb --into tuned
  sqlcluster tune ionosphere.csv --id id --truth class -a pcskm -k 2 \
    --share 0.01 --grid 1.5,2,2.5`,
		Args: help.Takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.Method, "method", "", "how points are judged: "+strings.Join(settings.TuneMethods(), ", ")+
		" (default: cv with --truth, else gap-axes for k and gap for the parameter)")
	f.IntVar(&s.Draws, "draws", s.Draws, "`number` of data sets that gap, gap-axes and stability draw")
	f.IntVar(&s.Sample, "sample", s.Sample, "largest `number` of rows that are looked at without --truth, drawn at random; 0: all")
	f.StringVar(&s.Truth, "truth", "", "`column` of the relation with the known classes, for cross-validation; NULL: not known")
	f.StringVar(&s.Agreement, "agreement", s.Agreement, "what compares clusters with classes: f (pairwise F), ari, nmi")
	f.IntVar(&s.Folds, "folds", s.Folds, "`number` of folds that the rows with a class are divided into")
	f.IntVar(&s.Repeats, "repeats", s.Repeats, "`number` of times that the rows are divided into folds")
	f.Float64Var(&s.Share, "share", s.Share,
		"`part` of the pairs made of the classes that each fit is given, drawn at random: 0.01 is one in a hundred")
	f.StringVar(&s.Choose, "choose", "",
		"which point is chosen: best (best score), one-se (the simplest within one standard error of it) (default: one-se for gap-axes, else "+
			"best)")
	f.BoolVar(&s.noFit, "no-fit", false, "do not fit the chosen values")
	flags.In(f, flags.GroupInput, "truth", "sample")
	flags.In(f, flags.GroupModel, "method", "draws", "agreement", "folds", "repeats", "share", "choose")
	f.BoolVar(&a.Flags.Resume, "resume", false, "go on with the tuning NAME of --into, which was interrupted")
	flags.In(f, flags.GroupOutput, "no-fit", "resume")
	s.add(f, "when interrupted, write the fits that are done")
	a.Flags.AddFit(f, flags.Tables)
	a.Flags.AddCenterRows(f)
	for flag, values := range map[string][]string{"method": settings.TuneMethods(), "agreement": settings.Agreements(),
		"choose": {settings.ChooseBest, settings.ChooseOne}} {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return c
}

func (a *app) tune(c *cobra.Command, s tuneSettings, relation string) error {
	ctx := c.Context()
	if a.Flags.Engine != "" {
		return a.tuneThere(c, s, relation)
	}
	if err := a.checkEngine(); err != nil {
		return err
	}
	if len(a.Flags.By) > 0 {
		return a.tuneGroups(c, s, relation)
	}
	t, err := a.newTuning(c, s, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer t.Close()
	t.Launch(ctx)
	db, err := a.openTarget(ctx, relation, a.checkBegun("tuning"), schema.Names()...)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	read := func(ctx context.Context, _ job.Source, progress func(int)) error { return t.Read(ctx, db, progress) }
	if err := a.read(ctx, db, read); err != nil {
		return err
	}
	begun, err := a.beginTuning(ctx, db, t)
	if err != nil {
		return err
	}
	if begun {
		a.Flags.Replace = true // what was begun
	}
	err = a.tuneRows(ctx, db, t, s)
	if ended, of := t.Done(); begun && a.stored == "" && err != nil {
		a.unfinished = fmt.Sprintf("%d of %d fits are kept in %s; the same command with --resume goes on", ended, of, a.Flags.Into)
	}
	return err
}

// beginTuning writes the tables of a tuning whose fits are kept as they end, so that it
// can be resumed. What it would replace stays until the end, and then nothing is kept
// before.
func (a *app) beginTuning(ctx context.Context, db *store.DB, t *job.Tuning) (bool, error) {
	if a.Flags.Into == "" || t.ByClasses() {
		return false, nil
	}
	if there, err := db.Standing(ctx, a.Flags.Into); err != nil || there.Ended {
		return false, err
	}
	if a.Flags.Resume {
		fit, draws, err := db.LoadDraws(ctx, a.Flags.Into)
		if err == nil {
			err = t.Resume(fit, draws)
		}
		if err != nil {
			return false, err
		}
	} else {
		tables, err := t.Begun()
		if err != nil {
			return false, err
		}
		if err := db.WriteTune(ctx, a.Flags.Into, a.Flags.Replace, tables); err != nil {
			return false, err
		}
	}
	t.Keep = func(ctx context.Context, draws []result.TuneDraw) error { return db.AddDraws(ctx, a.Flags.Into, draws) }
	return true, nil
}

// newTuning resolves the flags. Where only numbers of clusters are tried, the parameter
// has a value, or there is none.
func (a *app) newTuning(c *cobra.Command, s tuneSettings, relation string) (*job.Tuning, error) {
	if err := a.checkResume(); err != nil {
		return nil, err
	}
	of, l, grid, err := a.tuningOf(c, s, relation)
	if err != nil {
		return nil, err
	}
	return job.NewTuning(of, l, grid, s.TuneOptions)
}

// tuningOf returns the settings of a tuning, and the values that it tries.
func (a *app) tuningOf(c *cobra.Command, s tuneSettings, relation string) (of settings.Settings, l library.Library, g settings.Grid,
	err error) {
	if err := s.Check(a.Flags.Settings); err != nil {
		return of, l, g, err
	}
	if of, err = a.Flags.FitJob(c.Flags(), relation, ""); err != nil {
		return of, l, g, err
	}
	if l = a.Flags.Library(); s.grid == "" && of.FixedPath(l) {
		return of, l, g, nil
	}
	return a.gridJob(c, s.gridSettings, relation)
}

// tuneRows makes the fits, and writes what they say.
func (a *app) tuneRows(ctx context.Context, db *store.DB, t *job.Tuning, s tuneSettings) error {
	fit := func() (*job.Fitted, error) { return t.FitChosen(ctx) }
	return a.runTuning(ctx, t, t, s, fit, func(ctx context.Context, _ *job.Fitted, tables *result.Tune) error {
		return written(ctx, a, db.WriteTune, tables)
	})
}

// A tuned is a tuning whose rows are here, or in an engine.
type tuned interface {
	Run(ctx context.Context, progress func(ended, of int)) error
	Done() (done, of int)
	Measure(ctx context.Context, f *job.Fitted) error
	Tables(final *job.Fitted, stopped string) (*result.Tune, error)
}

// runTuning makes the fits of a tuning and, by fit, that of the chosen point; it writes what
// they say by write, and shows it.
func (a *app) runTuning(ctx context.Context, r tuned, t *job.Tuning, s tuneSettings, fit func() (*job.Fitted, error),
	write func(ctx context.Context, done *job.Fitted, tables *result.Tune) error) error {
	err := a.Stage("tuning", func(say func(string, ...any)) error {
		began := time.Now()
		return r.Run(ctx, func(ended, of int) {
			say("%d of %d fits, about %s left", ended, of, timeLeft(began, ended, of))
		})
	})
	ended, of := r.Done()
	kept, err := s.keep(ctx, err, ended, of)
	if err != nil {
		return err
	}
	var done *job.Fitted
	if kept == nil && (a.Flags.Into != "" || s.fit) && !s.noFit && t.Chosen() >= 0 {
		if done, err = fit(); err == nil && a.People() {
			err = r.Measure(ctx, done)
		}
		if err != nil {
			return err
		}
	}
	tables, err := r.Tables(done, kept.stopReason())
	if err != nil {
		return err
	}
	if err := write(context.WithoutCancel(ctx), done, tables); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	if s.fit && done != nil {
		return a.ShowChosen(t, done, tables.Final)
	}
	if err := a.ShowTune(t, done, tables); err != nil {
		return err
	}
	if err := t.Failed(); err != nil || !s.fit {
		return err
	}
	return noStructure()
}

// noStructure is the fault of a fit whose number of clusters could not be chosen.
func noStructure() error { return withoutStructure("the rows have no structure") }

// noStructureOf is that of fits of groups, none of which has such a number.
func noStructureOf(groups int) error {
	if groups == 1 {
		return withoutStructure("the only group has no structure")
	}
	return withoutStructure(fmt.Sprintf("none of the %d groups has structure", groups))
}

func withoutStructure(what string) error {
	return framework.Faultf(framework.Data, "no-structure", "%s that a number of clusters could be chosen by", what).At("k").
		WithHint("%s clusters them anyway", framework.SettingTo("k", "NUMBER"))
}
