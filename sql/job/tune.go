package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// A Tuning judges points: numbers of clusters, values of a parameter, or both.
type Tuning struct {
	*Job
	settings.Grid // its Parameter has no name if only numbers of clusters are tried
	settings.TuneOptions

	Ks      []int          // as given
	Points  []TunePoint    // after Run
	Judged  []TuneJudged   // by each method, the one that decides first
	Fits    []tune.FoldFit // of CrossValidation
	Trivial float64        // what it gives one cluster for all rows
	CV      tune.CrossValidation
	Study   tune.Study // of the other methods
	Sampled int        // rows that they looked at; 0: all

	// Keep, if not nil, is called with the fits of each draw as the last of them ends;
	// its error ends the tuning.
	Keep func(ctx context.Context, draws []result.TuneDraw) error

	seconds float64
}

// A TunePoint is what is judged.
type TunePoint struct {
	K     int
	Value float64 // of the parameter; NaN: there is none
}

// TuneJudged is what a method says of the points.
type TuneJudged struct {
	Method    string
	Values    []tune.Value // some may be missing if the tuning has not ended
	Best, One int          // places in Values, −1: none
	P         float64      // of the hypothesis that there is no structure; NaN: not tested
}

// A ClassSource also reads the classes of rows.
type ClassSource interface {
	Source
	CheckTruth(ctx context.Context, relation, column string) error
	ReadClasses(ctx context.Context, relation, column string, t *input.Table) ([]int32, error)
}

// NewTuning returns a tuning whose settings are possible, as far as they go without
// data.
func NewTuning(s settings.Settings, l library.Library, g settings.Grid, o settings.TuneOptions) (*Tuning, error) {
	if err := o.Check(s); err != nil {
		return nil, err
	}
	b, err := newJob(s, l, vary{g.Parameter.Name, "tune"})
	if err != nil {
		return nil, err
	}
	t := &Tuning{Job: b, Grid: g, TuneOptions: o, Ks: []int{b.Settings.K}}
	if s.Ks != "" {
		if t.Ks, err = settings.ParseKs(s.Ks); err != nil {
			return nil, err
		}
	}
	return t, t.checkMethods()
}

// Read reads the relation as Job.Read does, and the classes of its rows.
func (t *Tuning) Read(ctx context.Context, src ClassSource, progress func(rows int)) error {
	s := &t.Settings
	t.also = map[string]any{"method": t.Method, "grid": t.Text, "points": t.Most, "choose": t.Choose}
	if !t.ByClasses() {
		t.also["draws"], t.also["sample"] = t.Draws, t.Sample
		return t.Job.Read(ctx, src, progress)
	}
	if err := src.CheckTruth(ctx, s.Relation, t.Truth); err != nil {
		return err
	}
	if len(s.Long) == 0 { // else it is no feature
		s.Exclude = append(slices.Clone(s.Exclude), t.Truth)
	}
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
	maps.Copy(t.also, map[string]any{"truth": t.Truth, "method": settings.CrossValidation, "agreement": t.Agreement, "folds": t.Folds,
		"repeats": t.Repeats,
		"share":   t.Share})
	t.CV.By = tune.By(t.Agreement)
	t.CV.Classes, t.CV.Folds, t.CV.Repeats, t.CV.Seed, t.CV.Share = classes, t.Folds, t.Repeats, t.Problem.Seed, t.Share
	t.CV.Threads, t.CV.Cells = s.Threads, t.Problem.N*t.Problem.P
	if s.Pairs != "" {
		t.CV.Links = t.Problem.Links
	}
	t.CV.Unlinked = !t.Algorithm.Links && s.Init != neighbourhoodInit
	t.Problem.Links = nil // each fit has its own
	return nil
}

// Run makes the fits. progress is called as they end; it may be nil. After an error,
// Judged has what was done before it.
func (t *Tuning) Run(ctx context.Context, progress func(ended, of int)) error {
	began := time.Now()
	defer func() { t.seconds = time.Since(began).Seconds() }()
	if progress == nil {
		progress = func(int, int) {}
	}
	t.Launch(ctx)
	host, err := t.host.Wait()
	if err != nil {
		return err
	}
	if err := t.makePoints(ctx, host); err != nil {
		return err
	}
	if !t.ByClasses() {
		return t.study(ctx, host, progress)
	}
	t.CV.Points = len(t.Points)
	t.CV.Fit = func(ctx context.Context, point int, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
		problem, err := t.at(point)
		if err != nil {
			return nil, nil, err
		}
		return t.fitProblem(ctx, host, problem, links, t.Start, threads)
	}
	j := TuneJudged{Method: settings.CrossValidation, P: math.NaN()}
	j.Values, t.Fits, err = t.CV.Run(ctx, func(ended, of, _ int) { progress(ended, of) })
	j.Best, j.One = tune.Choose(j.Values)
	t.Trivial = t.CV.Trivial()
	for _, at := range []*int{&j.Best, &j.One} {
		if *at >= 0 && !(j.Values[*at].Score > t.Trivial) {
			*at = -1
		}
	}
	t.Judged = []TuneJudged{j}
	return err
}

// makePoints lists the points: of each number of clusters, the sparser values first.
func (t *Tuning) makePoints(ctx context.Context, host fit.Host) error {
	values := []float64{math.NaN()}
	if t.Parameter.Name != "" {
		var err error
		if values = t.Values; values == nil || t.ByClasses() { // else points that are not possible say so
			if values, err = t.gridFor(ctx, host, t.Grid); err != nil {
				return err
			}
		}
	}
	if !t.ByClasses() {
		values = slices.Clone(values)
		slices.SortFunc(values, func(a, b float64) int {
			if t.Parameter.Name == t.Algorithm.Path && t.Algorithm.Looser == framework.Down {
				a, b = b, a
			}
			return cmp.Compare(a, b)
		})
		values = slices.CompactFunc(values, func(a, b float64) bool { return a == b })
	}
	for _, k := range t.Ks {
		for _, v := range values {
			t.Points = append(t.Points, TunePoint{k, v})
		}
	}
	return nil
}

// at returns the problem of a point.
func (t *Tuning) at(point int) (p framework.Problem, err error) {
	of := t.Points[point]
	if p = t.Problem; of.Value == of.Value {
		p, err = t.with(t.Parameter, of.Value)
	}
	p.K = of.K
	if scaler, ok := p.Labels.(framework.LabelScaler); ok && err == nil {
		p.Labels, err = scaler.Scale(nil, of.K)
	}
	return p, err
}

// Done counts the fits that have been made.
func (t *Tuning) Done() (done, of int) {
	if !t.ByClasses() {
		return len(t.Study.Trials), t.Study.Fits()
	}
	if len(t.Judged) == 0 {
		return 0, len(t.Points)
	}
	for _, v := range t.Judged[0].Values {
		if v.Status != tune.Incomplete {
			done++
		}
	}
	return done, len(t.Points)
}

// Chosen returns the place of the point that is chosen; −1: none.
func (t *Tuning) Chosen() int {
	if len(t.Judged) == 0 {
		return -1
	}
	j := t.Judged[0]
	one := t.Choose == settings.ChooseOne || t.Choose == "" && j.Method == string(tune.MethodGapAxes)
	switch at := map[bool]int{true: j.One, false: j.Best}[one]; {
	case at < 0 || j.P > significant && t.Draws >= testable:
		return -1
	case t.Points[at].K == 1 && len(t.Ks) > 1: // there is no structure
		return -1
	default:
		return j.Values[at].Point
	}
}

// Unkept returns the fault of a tuning whose limits of clusters, or known classes, leave no labels with any number of
// clusters above 1, nil if some have them: which limits that are. That one cluster has labels says nothing of structure.
func (t *Tuning) Unkept() error {
	var details []string
	code, said := "infeasible-labels", "there are labels that obey the limits"
	if len(t.Judged) == 0 {
		return nil
	}
	for _, v := range t.Judged[0].Values {
		if t.Points[v.Point].K == 1 {
			continue
		}
		f := framework.AsFault(v.Err)
		if f == nil || f.Code != "infeasible-labels" && f.Code != "undecided-labels" {
			return nil
		}
		if f.Code == "undecided-labels" {
			code, said = f.Code, "labels were found that obey the limits"
		}
		details = append(details, f.Summary+detailsOf(f))
	}
	if details == nil {
		return nil
	}
	return framework.Faultf(framework.Data, code, "with none of these numbers of clusters %s", said).
		WithDetails(slices.Compact(details)).At("constraints").WithHint("make the limits looser, or try other numbers of clusters")
}

// detailsOf returns the details of a fault for the end of a line.
func detailsOf(f *framework.Fault) string {
	if len(f.Details) == 0 {
		return ""
	}
	return ": " + strings.Join(f.Details, "; ")
}

// Failed returns the fault of the first fit if no point has a score, or that of Unkept.
func (t *Tuning) Failed() error {
	if err := t.Unkept(); err != nil {
		return err
	}
	for _, j := range t.Judged {
		for _, v := range j.Values {
			if v.Err == nil {
				return nil
			}
		}
	}
	if len(t.Judged) == 0 || len(t.Judged[0].Values) == 0 {
		return nil
	}
	return t.Judged[0].Values[0].Err
}

// FitChosen fits the chosen point to all rows, with all pairs.
func (t *Tuning) FitChosen(ctx context.Context) (*Fitted, error) {
	err := t.choose()
	if err != nil {
		return nil, err
	}
	if t.startsFromLabels() {
		if t.Start, err = t.startOfLabels(nil, t.Data, t.Problem); err != nil {
			return nil, err
		}
	}
	if t.ByClasses() {
		if t.Problem.Links, err = t.CV.AllLinks(); err != nil {
			return nil, err
		}
		if t.Settings.Pairs == "" {
			t.Given = len(t.Problem.Links) // by the classes
		}
	}
	return t.Fit(ctx, nil)
}

// choose makes the chosen point that of the job.
func (t *Tuning) choose() (err error) {
	at := t.Chosen()
	if t.Problem, err = t.at(at); err != nil {
		return err
	}
	if t.Settings.K = t.Points[at].K; len(t.Ks) > 1 {
		t.also["ks"], t.Settings.Ks = t.Settings.Ks, ""
		t.Settings.Origins = maps.Clone(t.Settings.Origins)
		t.Settings.Origins["ks"], t.Settings.Origins["k"] = t.Settings.Origin("k"), t.vary.by
	}
	t.record = sync.OnceValues(t.recorded)
	if t.Parameter.Name != "" {
		t.params[t.Parameter.Name] = settings.Given{Value: t.Problem.Params[t.Parameter.Name], Origin: t.vary.by}
	}
	return nil
}

// Tables returns the rows of the tables of the tuning, with those of the fit of the
// chosen point if it is not nil. stopped is why it ended before all points were
// done; "" if they were.
func (t *Tuning) Tables(final *Fitted, stopped string) (*result.Tune, error) {
	r := &result.Tune{KeyName: t.Table.KeyName, Keys: t.Table.Keys, Draws: t.drawRows(t.Study.Trials)}
	converged := true
	for _, j := range t.Judged {
		for i, v := range j.Values {
			p := t.Points[v.Point]
			score := v.Score
			if j.Method == string(tune.MethodDaviesBouldin) {
				score = -score // the lower, the better
			}
			r.Values = append(r.Values, result.TuneValue{Point: v.Point, Method: j.Method, K: p.K, Parameter: t.Parameter.Name, Value: p.Value,
				Status: v.Status, Converged: v.Converged, Fits: v.Fits, Selected: v.Selected, Score: score, Error: v.Error,
				Best: i == j.Best, OneSE: i == j.One})
			converged = converged && v.Converged
		}
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
	r.Fit.Converged = r.Fit.Converged && converged
	r.Run = t.run(t.seconds)
	r.Run.Driver = t.Settings.Driver
	return r, nil
}
