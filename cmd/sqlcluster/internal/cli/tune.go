package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Values of the flags of tune.
const (
	methodCV   = "cv"
	chooseBest = "best"
	chooseOne  = "one-se"
)

// tuneSettings are the flags of tune alone.
type tuneSettings struct {
	pathSettings

	method  string
	truth   string
	folds   int
	repeats int
	share   float64
	choose  string
	noFit   bool
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
		Args: takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.method, "method", methodCV, "how values are judged: cv (cross-validation)")
	f.StringVar(&s.truth, "truth", "", "`column` of the relation with the known classes; NULL: not known (required)")
	f.IntVar(&s.folds, "folds", 10, "`number` of folds that the rows with a class are divided into")
	f.IntVar(&s.repeats, "repeats", 1, "`number` of times that the rows are divided into folds")
	f.Float64Var(&s.share, "share", 1, "`part` of the pairs made of the classes that each fit is given, drawn at random: 0.01 is one in a hundred")
	f.StringVar(&s.choose, "choose", chooseBest, "which value is chosen: best (highest score), one-se (fewest features within one standard error of it)")
	f.StringVar(&s.grid, "grid", "", gridUsage)
	f.IntVar(&s.points, "points", 20, "maximum `number` of values, without --grid")
	f.BoolVar(&s.noFit, "no-fit", false, "do not fit the chosen value")
	f.BoolVar(&s.keepPartial, "keep-partial", false, "when interrupted, write the fits that are done")
	in(f, groupInput, "truth")
	in(f, groupModel, "method", "folds", "repeats", "share", "choose", "grid", "points")
	in(f, groupOutput, "no-fit", "keep-partial")
	a.settings.addReading(f)
	a.settings.addFitting(f)
	a.settings.addWriting(f, "write the results to tables NAME_... of --db: `NAME` or SCHEMA.NAME")
	_ = f.MarkHidden("driver")
	addParams(f)
	_ = c.RegisterFlagCompletionFunc("algorithm", completeAlgorithms)
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions([]string{methodCV}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("choose", cobra.FixedCompletions([]string{chooseBest, chooseOne}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// checkTune refuses flags that do not go together.
func (a *app) checkTune(s tuneSettings) error {
	wrong := func(setting, format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Usage, "bad-flag", format, args...).At(setting)
	}
	for _, c := range []struct {
		setting, value string
		of             []string
	}{{"method", s.method, []string{methodCV}}, {"choose", s.choose, []string{chooseBest, chooseOne}}} {
		if !slices.Contains(c.of, c.value) {
			f := wrong(c.setting, "--%s is %q; it must be %s", c.setting, c.value, joined(c.of))
			f.Similar = framework.Closest(c.value, c.of)
			return f
		}
	}
	switch {
	case s.truth == "":
		return framework.Faultf(framework.Usage, "truth-missing", "which column has the classes?").At("truth").
			WithHint("name it with --truth COLUMN; rows whose class is not known have NULL there")
	case s.folds < 2:
		return wrong("folds", "--folds is %d; it must be at least 2", s.folds)
	case s.repeats < 1 || s.repeats > 1000:
		return wrong("repeats", "--repeats is %d; it must be 1 to 1000", s.repeats)
	case !(s.share > 0 && s.share <= 1):
		return wrong("share", "--share is %g; it must be above 0 and at most 1", s.share)
	case s.share != 1 && a.settings.pairs != "":
		return wrong("share", "--share takes a part of the pairs made of the classes, but --pairs gives the pairs").WithHint("leave out one of them")
	case s.keepPartial && a.settings.into == "":
		return wrong("keep_partial", "there is nothing to keep without tables to write").WithHint("--into NAME writes them")
	}
	return nil
}

// A tuning is one run of tune.
type tuning struct {
	tuneSettings
	*prepared

	parameter framework.Param
	cv        tune.CrossValidation
	values    []tune.Value
	fits      []tune.FoldFit
	best, one int // places in values, −1: none
}

// chosen returns the place of the value that is chosen; −1: none.
func (t *tuning) chosen() int {
	if t.choose == chooseOne {
		return t.one
	}
	return t.best
}

func (a *app) tune(c *cobra.Command, s tuneSettings, relation string) error {
	ctx := c.Context()
	if err := a.checkTune(s); err != nil {
		return err
	}
	t := &tuning{tuneSettings: s}
	var err error
	if t.parameter, t.cv.Grid, err = a.gridOf(s.pathSettings); err != nil {
		return err
	}
	a.varied, a.variedBy = t.parameter.Name, "tune"
	p, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	t.prepared = p
	defer func() { p.close(); _ = db.Close() }()
	if err := db.CheckTruth(ctx, relation, s.truth); err != nil {
		return err
	}
	a.settings.exclude = append(slices.Clone(a.settings.exclude), s.truth)
	began := time.Now()
	ready := a.launch(ctx, p.algorithm, plugin.Profile{})
	defer func() { ready.close() }()
	if err := a.load(ctx, db, relation, p); err != nil {
		return err
	}
	if err := a.readTuning(ctx, db, relation, t); err != nil {
		return err
	}
	return a.tuneRows(ctx, db, ready, t, began)
}

// readTuning reads the classes, and says what fits are made with.
func (a *app) readTuning(ctx context.Context, db *store.DB, relation string, t *tuning) error {
	classes, err := db.ReadClasses(ctx, relation, t.truth, t.table)
	if err != nil {
		return err
	}
	if err := tune.CheckFolds(classes, t.folds); err != nil {
		return err
	}
	text, err := json.Marshal(classes)
	if err != nil {
		return err
	}
	t.fingerprint += fmt.Sprintf(" %x", sha256.Sum256(text))
	t.also = map[string]any{"truth": t.truth, "method": t.method, "folds": t.folds, "repeats": t.repeats, "share": t.share,
		"choose": t.choose, "grid": t.grid, "points": t.points}
	t.cv.Classes, t.cv.Folds, t.cv.Repeats, t.cv.Seed, t.cv.Share = classes, t.folds, t.repeats, t.problem.Seed, t.share
	t.cv.Threads, t.cv.Cells = a.settings.threads, t.problem.N*t.problem.P
	if a.settings.pairs != "" {
		t.cv.Links = t.problem.Links
	}
	t.cv.Unlinked = !t.description.Links && t.settings.Init != neighbourhoodInit
	t.problem.Links = nil // each fit has its own
	return nil
}

// tuneRows makes the fits, and writes what they say.
func (a *app) tuneRows(ctx context.Context, db *store.DB, ready *launched, t *tuning, began time.Time) error {
	host, err := ready.wait()
	if err != nil {
		return err
	}
	started := time.Now()
	if t.cv.Grid, err = a.gridFor(ctx, host, t.prepared, t.parameter, t.cv.Grid, t.points); err != nil {
		return err
	}
	interrupted := a.crossValidate(ctx, host, t)
	complete := slices.ContainsFunc(t.values, func(v tune.Value) bool { return v.Status != tune.Incomplete })
	if interrupted != nil && (!t.keepPartial || ctx.Err() == nil || !complete) {
		return interrupted
	}
	var done *finished
	if interrupted == nil && a.settings.into != "" && !t.noFit && t.chosen() >= 0 {
		if done, err = a.fitChosen(ctx, ready, t); err != nil {
			return err
		}
	}
	var kept *keptError
	if interrupted != nil {
		kept = keepPartial(ctx, t.complete(), len(t.cv.Grid))
	}
	results, err := a.tuneResults(t, done, began, time.Since(started), kept)
	if err != nil {
		return err
	}
	if a.settings.into != "" {
		if err := db.WriteTune(context.WithoutCancel(ctx), a.settings.into, a.settings.replace, results); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if kept != nil {
		return kept
	}
	if err := a.tuneSummary(t, done, results); err != nil {
		return err
	}
	if t.best < 0 {
		return t.values[0].Err // no value has a score
	}
	return nil
}

// complete counts the values of which all fits were made.
func (t *tuning) complete() int {
	n := 0
	for _, v := range t.values {
		if v.Status != tune.Incomplete {
			n++
		}
	}
	return n
}

// crossValidate makes the fits of the folds.
func (a *app) crossValidate(ctx context.Context, host fit.Host, t *tuning) error {
	t.cv.Fit = func(ctx context.Context, value float64, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
		return fitValue(ctx, host, t.prepared, t.parameter, value, links, t.start, threads)
	}
	line := a.progress("tuning")
	defer line.end()
	var err error
	t.values, t.fits, err = t.cv.Run(ctx, func(ended, of int, value float64) {
		line.say("%d of %d fits, %s = %s", ended, of, t.parameter.Name, number(value))
	})
	t.best, t.one = tune.Choose(t.values)
	return err
}

// fitChosen fits the chosen value with all pairs.
func (a *app) fitChosen(ctx context.Context, ready *launched, t *tuning) (*finished, error) {
	v, err := t.parameter.Parse(number(t.values[t.chosen()].Value))
	if err != nil {
		return nil, err
	}
	t.problem.Params[t.parameter.Name], t.params[t.parameter.Name] = v, given{v, "tune"}
	if t.problem.Links, err = t.cv.AllLinks(); err != nil {
		return nil, err
	}
	if a.settings.pairs == "" {
		t.pairsGiven = len(t.problem.Links) // by the classes
	}
	return a.run(ctx, ready, t.prepared)
}
