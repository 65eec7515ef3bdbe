package job

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// Ways to judge values, and to choose one.
const (
	CrossValidation = "cv"
	ChooseBest      = "best"
	ChooseOne       = "one-se"
)

// TuneOptions are those of a tuning alone.
type TuneOptions struct {
	Method  string // CrossValidation
	Truth   string // column of the relation with the known classes
	Folds   int
	Repeats int
	Share   float64 // part of the pairs made of the classes that each fit is given
	Choose  string  // ChooseBest or ChooseOne
}

// Check refuses what no data allow. s are the settings of the fits.
func (o TuneOptions) Check(s Settings) error {
	if err := OneOf("method", o.Method, []string{CrossValidation}); err != nil {
		return err
	}
	if err := OneOf("choose", o.Choose, []string{ChooseBest, ChooseOne}); err != nil {
		return err
	}
	switch {
	case o.Truth == "":
		return framework.Faultf(framework.Usage, "truth-missing", "which column has the classes?").At("truth").
			WithHint("name it with %s; rows whose class is not known have NULL there", framework.SettingTo("truth", "COLUMN"))
	case o.Folds < 2:
		return wrong("folds", "%s is %d; it must be at least 2", framework.Setting("folds"), o.Folds)
	case o.Repeats < 1 || o.Repeats > 1000:
		return wrong("repeats", "%s is %d; it must be 1 to 1000", framework.Setting("repeats"), o.Repeats)
	case !(o.Share > 0 && o.Share <= 1):
		return wrong("share", "%s is %g; it must be above 0 and at most 1", framework.Setting("share"), o.Share)
	case o.Share != 1 && s.Pairs != "":
		return wrong("share", "%s takes a part of the pairs made of the classes, but %s gives the pairs", framework.Setting("share"),
			framework.Setting("pairs")).
			WithHint("leave out one of them")
	}
	return nil
}

// A Tuning judges many values of one parameter.
type Tuning struct {
	*Job
	Grid
	TuneOptions

	CV        tune.CrossValidation
	Judged    []tune.Value // after Run
	Fits      []tune.FoldFit
	Best, One int // places in Judged, −1: none
	seconds   float64
}

// A ClassSource also reads the classes of rows.
type ClassSource interface {
	Source
	CheckTruth(ctx context.Context, relation, column string) error
	ReadClasses(ctx context.Context, relation, column string, t *input.Table) ([]int32, error)
}

// NewTuning returns a tuning whose settings are possible, as far as they go without
// data.
func NewTuning(s Settings, l Library, g Grid, o TuneOptions) (*Tuning, error) {
	if err := o.Check(s); err != nil {
		return nil, err
	}
	b, err := newJob(s, l, vary{g.Parameter.Name, "tune"})
	return &Tuning{Job: b, Grid: g, TuneOptions: o, Best: -1, One: -1}, err
}

// Read reads the relation as Job.Read does, and the classes of its rows.
func (t *Tuning) Read(ctx context.Context, src ClassSource, progress func(rows int)) error {
	s := &t.Settings
	if err := src.CheckTruth(ctx, s.Relation, t.Truth); err != nil {
		return err
	}
	s.Exclude = append(slices.Clone(s.Exclude), t.Truth)
	if err := t.Job.Read(ctx, src, progress); err != nil {
		return err
	}
	classes, err := src.ReadClasses(ctx, s.Relation, t.Truth, t.Table)
	if err != nil {
		return err
	}
	if err := tune.CheckFolds(classes, t.Folds); err != nil {
		return err
	}
	text, err := json.Marshal(classes)
	if err != nil {
		return err
	}
	t.fingerprint += fmt.Sprintf(" %x", sha256.Sum256(text))
	t.also = map[string]any{"truth": t.Truth, "method": t.Method, "folds": t.Folds, "repeats": t.Repeats, "share": t.Share,
		"choose": t.Choose, "grid": t.Text, "points": t.Most}
	t.CV.Classes, t.CV.Folds, t.CV.Repeats, t.CV.Seed, t.CV.Share = classes, t.Folds, t.Repeats, t.Problem.Seed, t.Share
	t.CV.Threads, t.CV.Cells = s.Threads, t.Problem.N*t.Problem.P
	if s.Pairs != "" {
		t.CV.Links = t.Problem.Links
	}
	t.CV.Unlinked = !t.Algorithm.Links && s.Init != neighbourhoodInit
	t.Problem.Links = nil // each fit has its own
	return nil
}

// Run makes the fits of the folds. After an error, Judged and Fits have what was
// done before it.
func (t *Tuning) Run(ctx context.Context, progress func(ended, of int, value float64)) error {
	began := time.Now()
	defer func() { t.seconds = time.Since(began).Seconds() }()
	t.Launch(ctx)
	host, err := t.host.wait()
	if err != nil {
		return err
	}
	if t.CV.Grid, err = t.gridFor(ctx, host, t.Grid); err != nil {
		return err
	}
	t.CV.Fit = func(ctx context.Context, value float64, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
		return t.fitValue(ctx, host, t.Parameter, value, links, t.Start, threads)
	}
	t.Judged, t.Fits, err = t.CV.Run(ctx, progress)
	t.Best, t.One = tune.Choose(t.Judged)
	return err
}

// Done counts the values of which all fits were made.
func (t *Tuning) Done() int {
	n := 0
	for _, v := range t.Judged {
		if v.Status != tune.Incomplete {
			n++
		}
	}
	return n
}

// Chosen returns the place of the value that is chosen; −1: none.
func (t *Tuning) Chosen() int {
	if t.Choose == ChooseOne {
		return t.One
	}
	return t.Best
}

// FitChosen fits the chosen value with all pairs.
func (t *Tuning) FitChosen(ctx context.Context) (*Fitted, error) {
	var err error
	if t.Problem, err = t.with(t.Parameter, t.Judged[t.Chosen()].Value); err != nil {
		return nil, err
	}
	t.params[t.Parameter.Name] = Given{t.Problem.Params[t.Parameter.Name], t.vary.by}
	if t.Problem.Links, err = t.CV.AllLinks(); err != nil {
		return nil, err
	}
	if t.Settings.Pairs == "" {
		t.Given = len(t.Problem.Links) // by the classes
	}
	return t.Fit(ctx, nil)
}

// Tables returns the rows of the tables of the tuning, with those of the fit of the
// chosen value if it is not nil. stopped is why it ended before all values were
// done; "" if they were.
func (t *Tuning) Tables(final *Fitted, stopped string) (*result.Tune, error) {
	r := &result.Tune{KeyName: t.Table.KeyName, Keys: t.Table.Keys}
	for i, v := range t.Judged {
		r.Values = append(r.Values, result.TuneValue{Method: t.Method, Parameter: t.Parameter.Name, Value: v.Value, Status: v.Status,
			Converged: v.Converged,
			Fits:      v.Fits, Selected: v.Selected, Score: v.Score, Error: v.Error, Best: i == t.Best, OneSE: i == t.One})
	}
	for _, f := range t.Fits {
		row := result.TuneFold{Point: f.Point, Repetition: f.Repeat, Fold: f.Fold, Pairs: f.Links, Status: f.Status(), Converged: f.Converged,
			Iterations: f.Iterations, Selected: f.Selected, Score: f.Score}
		if f.Err != nil {
			row.Iterations, row.Selected = -1, -1
		}
		r.Folds = append(r.Folds, row)
	}
	var err error
	if final != nil {
		final.seconds += t.seconds
		r.Final, err = t.Job.Tables(final)
		return r, err
	}
	if r.Fit, err = t.fitWithoutModel("tune", stopped); err != nil {
		return nil, err
	}
	for _, v := range t.Judged {
		r.Fit.Converged = r.Fit.Converged && v.Converged
	}
	r.Run = t.run(t.seconds)
	r.Run.Driver = t.Settings.Driver
	return r, nil
}
