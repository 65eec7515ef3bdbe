package job

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// An ElsewhereTuning is a Tuning whose rows stay in an engine.
//
// Numbers of clusters that are judged by sums, or by the silhouette, are fitted to all rows
// there. Methods that draw rows anew, or halves of them, do so from a sample of the rows, which comes here: no
// more than a Tuning of many rows looks at. What is chosen is fitted to all rows there.
type ElsewhereTuning struct {
	*Tuning
	there   *Elsewhere
	sampled bool          // points are judged by a sample
	fits    []*Fitted     // by point, where they are not; nil: it failed
	faults  map[int]error // why
}

// engineMethods are the methods that need no row, or as few as a silhouette.
var engineMethods = []tune.Method{tune.MethodCalinskiHarabasz, tune.MethodDaviesBouldin, tune.MethodSilhouette}

// NewElsewhereTuning returns a tuning whose settings are possible, as far as they go
// without data.
func NewElsewhereTuning(s settings.Settings, l library.Library, g settings.Grid, o settings.TuneOptions, at ElsewhereOptions,
) (*ElsewhereTuning, error) {
	if o.ByClasses() {
		return nil, distant.NeedsRows("truth", "the folds are of labels and pairs, which stay in the engine").
			WithHint("choose by another method, such as %s", framework.SettingTo("method", tune.MethodGapAxes))
	}
	t, err := NewTuning(withoutRows(s), l, g, o)
	if err != nil {
		return nil, err
	}
	there, err := elsewhere(t.Job, at)
	if err != nil {
		return nil, err
	}
	e := &ElsewhereTuning{Tuning: t, there: there, faults: map[int]error{}}
	e.sampled = g.Parameter.Name != "" ||
		slices.ContainsFunc(t.methods(), func(m tune.Method) bool { return !slices.Contains(engineMethods, m) })
	if e.sampled && o.Sample == 0 {
		return nil, distant.NeedsRows("sample", "0 stands for all rows, and they stay there").
			WithHint("leave it out, or give the number of rows that may come here")
	}
	return e, nil
}

// Read looks at the relation in its engine, and reads what the settings name beside it.
func (t *ElsewhereTuning) Read(ctx context.Context, beside Source, rows distant.Relation) error {
	maps.Copy(t.also, map[string]any{"method": t.Method, "choose": t.Choose})
	if t.sampled {
		maps.Copy(t.also, map[string]any{"grid": t.Text, "points": t.Most, "draws": t.Draws, "sample": t.Sample})
	}
	if err := t.there.Read(ctx, beside, rows); err != nil {
		return err
	}
	if !t.sampled && slices.Contains(t.methods(), tune.MethodDaviesBouldin) && framework.HasMissing(t.Problem.Columns) {
		return framework.Faultf(framework.Usage, "needs-rows",
			"davies-bouldin is not possible with %s where cells are missing: it needs the rows",
			framework.Setting("engine")).At("method").
			WithHint("give %s, or fill the cells in a query", framework.SettingTo("method", tune.MethodSilhouette))
	}
	return nil
}

// Run makes the fits, and judges them. After an error, Judged has what was done before it.
func (t *ElsewhereTuning) Run(ctx context.Context, progress func(ended, of int)) error {
	if t.sampled {
		return t.judgeSample(ctx, progress)
	}
	began := time.Now()
	defer func() { t.seconds = time.Since(began).Seconds() }()
	for _, k := range t.Ks {
		t.Points = append(t.Points, TunePoint{k, math.NaN()})
	}
	t.fits = make([]*Fitted, len(t.Points))
	for name := range strings.SplitSeq(t.Method, ",") {
		t.Judged = append(t.Judged, TuneJudged{Method: strings.TrimSpace(name), Best: -1, One: -1, P: math.NaN()})
	}
	for i := range t.Points {
		if err := t.point(ctx, i); err != nil {
			return err
		}
		progress(i+1, len(t.Points))
	}
	return nil
}

// judgeSample judges the points by a sample of the rows, as a Tuning of them does.
func (t *ElsewhereTuning) judgeSample(ctx context.Context, progress func(ended, of int)) error {
	all := t.Problem
	x, weights, err := t.there.rows.Rows.Sample(ctx, min(t.Sample, all.N), all.Seed)
	if err != nil {
		return err
	}
	defer func() { t.Problem, t.Data = all, nil }()
	t.Data, t.Problem.Columns = matrix.Derive(all.Columns, x, weights)
	if t.Problem.N, t.Problem.Mass = x.Rows, float64(x.Rows); weights != nil {
		t.Problem.Mass = 0
		for _, w := range weights {
			t.Problem.Mass += w
		}
	}
	if x.Rows < all.N {
		t.Sampled = x.Rows
	}
	return t.Tuning.Run(ctx, progress)
}

// point makes one fit, and judges it.
func (t *ElsewhereTuning) point(ctx context.Context, i int) error {
	problem, err := t.at(i)
	var bound distant.Labelled
	var f *Fitted
	if err == nil {
		bound, err = t.there.bind(problem)
	}
	if err == nil {
		f, err = t.there.fit(ctx, bound, nil, nil, nil)
	}
	v := tune.Value{Point: i, Score: math.NaN(), Error: math.NaN(), Selected: math.NaN()}
	if err != nil {
		fault := framework.AsFault(err)
		if fault == nil || fault.Class != framework.Data {
			return err
		}
		v.Status, v.Err, t.faults[i] = fault.Code, err, err
	} else {
		t.fits[i] = f
		v.Status, v.Converged, v.Fits, v.Selected = f.Stop, f.Converged, 1, float64(tune.Selected(f.features))
		t.maximize.Store(f.maximize)
	}
	for m := range t.Judged {
		j := &t.Judged[m]
		one := v
		if f != nil && f.Stop != framework.AllZero && problem.K > 1 {
			if one.Score, err = t.score(ctx, tune.Method(j.Method), bound, f); err != nil {
				return err
			}
		}
		if j.Values = append(j.Values, one); one.Score == one.Score && (j.Best < 0 || one.Score > j.Values[j.Best].Score) {
			j.Best, j.One = i, i
		}
	}
	return nil
}

// score says how good the clusters of a fit are by a method: the higher, the better.
func (t *ElsewhereTuning) score(ctx context.Context, m tune.Method, rows distant.Labelled, f *Fitted) (float64, error) {
	switch m {
	case tune.MethodCalinskiHarabasz:
		return rows.CalinskiHarabasz(f.sums), nil
	case tune.MethodDaviesBouldin:
		value, err := rows.DaviesBouldin(ctx, f.Model, f.sums)
		return -value, err
	}
	value, _, err := rows.Silhouette(ctx, f.Model, t.Problem.Seed, t.Settings.Threads)
	return value, err
}

// Done counts the fits that have been made.
func (t *ElsewhereTuning) Done() (done, of int) {
	switch {
	case t.sampled:
		return t.Tuning.Done()
	case len(t.Judged) == 0:
		return 0, len(t.Ks)
	}
	return len(t.Judged[0].Values), len(t.Ks)
}

// FitChosen returns the fit of the chosen point to all rows, which is made now where a
// sample was judged. progress is called after each iteration; it may be nil.
func (t *ElsewhereTuning) FitChosen(ctx context.Context, progress func(fit.Iteration)) (*Fitted, error) {
	at := t.Chosen()
	if err := t.choose(); err != nil {
		return nil, err
	}
	var err error
	if t.there.rows, err = t.there.bind(t.Problem); err != nil {
		return nil, err
	}
	if t.sampled {
		return t.there.Fit(ctx, nil, nil, progress)
	}
	return t.fits[at], nil
}

// Starts returns how many starts a fit has.
func (t *ElsewhereTuning) Starts() int { return t.there.Starts() }

// Measure sets the quality of a fit.
func (t *ElsewhereTuning) Measure(ctx context.Context, f *Fitted) error {
	return t.there.Measure(ctx, f)
}

// WriteThere writes the tables where the rows are, as Elsewhere.WriteThere does.
func (t *ElsewhereTuning) WriteThere(ctx context.Context, f *Fitted, copies []result.Copy) error {
	return t.there.WriteThere(ctx, f, copies)
}

// Tables returns the rows of the tables of the tuning, as Tuning.Tables does.
func (t *ElsewhereTuning) Tables(final *Fitted, stopped string) (*result.Tune, error) {
	r, err := t.Tuning.Tables(final, stopped)
	if err != nil {
		return nil, err
	}
	if !t.sampled {
		r.Draws = t.fitted()
	}
	if final != nil {
		err = t.there.assign(r.Final, final)
	}
	return r, err
}

// fitted lists the fits of all rows as those of a draw.
func (t *ElsewhereTuning) fitted() []result.TuneDraw {
	draws := []result.TuneDraw{}
	for i, f := range t.fits {
		row := result.TuneDraw{Kind: "rows", Point: i, Iterations: -1, Selected: -1, Objective: math.NaN(), Explained: math.NaN()}
		switch {
		case f != nil:
			row.Status, row.Converged, row.Iterations, row.Objective = f.Stop, f.Converged, f.Iterations, f.Objective
			row.Selected = tune.Selected(f.features)
		case t.faults[i] != nil:
			row.Status = framework.AsFault(t.faults[i]).Code
		default:
			continue
		}
		draws = append(draws, row)
	}
	return draws
}
