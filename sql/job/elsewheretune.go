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

	// KeepPoint, if not nil, is called when a point has ended that was fitted to all rows, and KeepStand after each
	// iteration of a fit to all rows, that of the chosen point too. Their errors end the tuning.
	KeepPoint func(ctx context.Context) error
	KeepStand func(fit.Stand) error

	there   *Elsewhere
	sampled bool              // points are judged by a sample; else
	draws   []result.TuneDraw // the fits of the points that have ended, and
	best    *Fitted           // that of the best; nil: there is none, or it was made before

	begun result.Fit   // the row of the tuning; set by Begun and Resume
	known *result.Tune // what was kept of it
	from  storedTuning // what it goes on from
	now   int          // point that is fitted; −1: none
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
	e := &ElsewhereTuning{Tuning: t, there: there, known: &result.Tune{}, now: -1}
	e.sampled = g.Parameter.Name != "" || slices.ContainsFunc(t.methods(), func(m tune.Method) bool {
		return !slices.Contains(engineMethods, m)
	})
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
	if progress == nil {
		progress = func(int, int) {}
	}
	began := time.Now()
	defer func() { t.seconds = time.Since(began).Seconds() }()
	for _, k := range t.Ks {
		t.Points = append(t.Points, TunePoint{k, math.NaN()})
	}
	t.draws = []result.TuneDraw{}
	t.maximize.Store(t.there.rows.Clusterer.Plan().Maximize)
	for name := range strings.SplitSeq(t.Method, ",") {
		t.Judged = append(t.Judged, TuneJudged{Method: strings.TrimSpace(name), Best: -1, One: -1, P: math.NaN()})
	}
	for i := range t.Points {
		if !t.take(i) {
			if err := t.point(ctx, i); err != nil {
				return err
			}
			if t.KeepPoint != nil {
				if err := t.KeepPoint(context.WithoutCancel(ctx)); err != nil {
					return err
				}
			}
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
	var from *fit.Stand
	var f *Fitted
	if err == nil {
		bound, err = t.there.bind(problem)
	}
	if err == nil {
		from, err = t.stand(i, bound)
	}
	if t.now = i; err == nil {
		f, err = t.there.fit(ctx, bound, from, t.KeepStand, nil)
	}
	v := tune.Value{Point: i, Score: math.NaN(), Error: math.NaN(), Selected: math.NaN()}
	row := result.TuneDraw{Kind: "rows", Point: i, Iterations: -1, Selected: -1, Objective: math.NaN(), Explained: math.NaN()}
	switch {
	case err == nil:
		row.Status, row.Converged, row.Iterations, row.Objective = f.Stop, f.Converged, f.Iterations, f.Objective
		row.Selected = tune.Selected(f.features)
		v.Status, v.Converged, v.Fits, v.Selected = f.Stop, f.Converged, 1, float64(row.Selected)
	case ofOne(err):
		row.Status = framework.AsFault(err).Code
		v.Status, v.Err = row.Status, err
	default:
		return err
	}
	scores := make([]float64, len(t.Judged))
	for m, j := range t.Judged {
		scores[m] = v.Score
		if f != nil && f.Stop != framework.AllZero && problem.K > 1 {
			if scores[m], err = t.score(ctx, tune.Method(j.Method), bound, f); err != nil {
				return err
			}
		}
	}
	for m := range scores {
		v.Score = scores[m]
		t.judge(m, v)
	}
	if t.Judged[0].Best == i {
		t.best = f
	}
	t.draws, t.now = append(t.draws, row), -1
	return nil
}

// judge takes what a method says of the next point.
func (t *ElsewhereTuning) judge(method int, v tune.Value) {
	j := &t.Judged[method]
	if j.Values = append(j.Values, v); v.Score == v.Score && (j.Best < 0 || v.Score > j.Values[j.Best].Score) {
		j.Best, j.One = v.Point, v.Point
	}
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
// sample was judged, or summed up where it was made and kept before. progress is called after each iteration; it may be nil.
func (t *ElsewhereTuning) FitChosen(ctx context.Context, progress func(fit.Iteration)) (*Fitted, error) {
	at := t.Chosen()
	if err := t.choose(); err != nil {
		return nil, err
	}
	var err error
	if t.there.rows, err = t.there.bind(t.Problem); err != nil {
		return nil, err
	}
	if !t.sampled && t.best != nil {
		return t.best, nil
	}
	from, err := t.stand(at, t.there.rows)
	if err != nil {
		return nil, err
	}
	t.now = at
	return t.there.Fit(ctx, from, t.KeepStand, progress)
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
		r.Draws = t.draws
	}
	if final != nil {
		err = t.there.assign(r.Final, final)
	}
	return r, err
}
