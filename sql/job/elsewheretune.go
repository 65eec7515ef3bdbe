package job

import (
	"context"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// An ElsewhereTuning is a Tuning whose rows stay in an engine. It chooses a number of
// clusters, by methods that need sums or a sample of the rows only.
type ElsewhereTuning struct {
	*Tuning
	there  *Elsewhere
	fits   []*Fitted     // by point; nil: it failed
	faults map[int]error // why
}

// engineMethods are the methods of a tuning whose rows stay in an engine.
var engineMethods = []tune.Method{tune.MethodCalinskiHarabasz, tune.MethodDaviesBouldin, tune.MethodSilhouette}

// NewElsewhereTuning returns a tuning whose settings are possible, as far as they go
// without data.
func NewElsewhereTuning(s settings.Settings, l library.Library, g settings.Grid, o settings.TuneOptions, at ElsewhereOptions,
) (*ElsewhereTuning, error) {
	if err := checkMethodsElsewhere(g, o); err != nil {
		return nil, err
	}
	t, err := NewTuning(withoutRows(s), l, g, o)
	if err != nil {
		return nil, err
	}
	there, err := elsewhere(t.Job, at)
	return &ElsewhereTuning{Tuning: t, there: there, faults: map[int]error{}}, err
}

// checkMethodsElsewhere refuses methods that draw rows anew.
func checkMethodsElsewhere(g settings.Grid, o settings.TuneOptions) error {
	var possible []string
	for _, m := range engineMethods {
		possible = append(possible, string(m))
	}
	hint := settings.Either("method", possible)
	if o.ByClasses() {
		return NeedsRows("truth", "the folds are of labels and pairs, which stay in the engine").WithHint("%s", hint)
	}
	if g.Parameter.Name != "" {
		return NeedsRows("grid", "the methods that choose a value of "+g.Parameter.Name+" compare with rows that are drawn anew").
			WithHint("give one value with %s; sqlcluster path shows what each keeps", framework.SettingTo(g.Parameter.Name, "VALUE"))
	}
	for name := range strings.SplitSeq(o.Method, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return NeedsRows("method", "the usual one, "+string(tune.MethodGapAxes)+", compares with rows that are drawn anew").WithHint("%s", hint)
		}
		if !isEngineMethod(name) {
			f := NeedsRows("method", name+" draws rows anew").WithHint("%s", hint)
			f.Summary = strings.Replace(f.Summary, framework.Setting("method"), framework.SettingTo("method", name), 1)
			return f
		}
	}
	return nil
}

func isEngineMethod(name string) bool {
	for _, m := range engineMethods {
		if string(m) == name {
			return true
		}
	}
	return false
}

// Read looks at the relation in its engine, and reads what the settings name beside it.
func (t *ElsewhereTuning) Read(ctx context.Context, beside Source, rows Distant) error {
	maps.Copy(t.also, map[string]any{"method": t.Method, "choose": t.Choose})
	return t.there.Read(ctx, beside, rows)
}

// Run makes the fits, and judges them. After an error, Judged has what was done before it.
func (t *ElsewhereTuning) Run(ctx context.Context, progress func(ended, of int)) error {
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

// point makes one fit, and judges it.
func (t *ElsewhereTuning) point(ctx context.Context, i int) error {
	problem, err := t.at(i)
	var bound passes
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
func (t *ElsewhereTuning) score(ctx context.Context, m tune.Method, p passes, f *Fitted) (float64, error) {
	switch m {
	case tune.MethodCalinskiHarabasz:
		return t.calinskiHarabasz(f.sums), nil
	case tune.MethodDaviesBouldin:
		value, err := t.daviesBouldin(ctx, p.rows, f.Model, f.sums)
		return -value, err
	}
	value, _, err := t.there.silhouette(ctx, p, f.Model, t.Problem.Seed)
	return value, err
}

// Done counts the fits that have been made.
func (t *ElsewhereTuning) Done() (done, of int) {
	if len(t.Judged) == 0 {
		return 0, len(t.Ks)
	}
	return len(t.Judged[0].Values), len(t.Ks)
}

// FitChosen returns the fit of the chosen point, which has been made.
func (t *ElsewhereTuning) FitChosen() (*Fitted, error) {
	at := t.Chosen()
	if err := t.choose(); err != nil {
		return nil, err
	}
	var err error
	t.there.passes, err = t.there.bind(t.Problem)
	return t.fits[at], err
}

// Measure sets the quality of a fit.
func (t *ElsewhereTuning) Measure(ctx context.Context, f *Fitted) error {
	return t.there.Measure(ctx, f)
}

// WriteAssignments writes the assignments of a fit where the rows are, if they belong there.
func (t *ElsewhereTuning) WriteAssignments(ctx context.Context, f *Fitted, replace bool) error {
	return t.there.WriteAssignments(ctx, f, replace)
}

// Tables returns the rows of the tables of the tuning, as Tuning.Tables does.
func (t *ElsewhereTuning) Tables(final *Fitted, stopped string) (*result.Tune, error) {
	r, err := t.Tuning.Tables(final, stopped)
	if err != nil {
		return nil, err
	}
	r.Draws = []result.TuneDraw{}
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
		r.Draws = append(r.Draws, row)
	}
	if final != nil {
		err = t.there.assign(r.Final, final)
	}
	return r, err
}
