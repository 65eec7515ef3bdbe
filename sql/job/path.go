package job

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// A Path is fits over many values of one parameter.
type Path struct {
	*Job
	settings.Grid
	PathOptions

	Points  []*tune.Point // of the values that are done, after Run
	fits    tune.Path
	seconds float64
}

// PathOptions are those of a path alone.
type PathOptions struct {
	Warm   bool // start each value from the clusters of its neighbours, too
	Labels bool // keep the cluster of each row at each value
}

// NewPath returns a path whose settings are possible, as far as they go without
// data.
func NewPath(s settings.Settings, l library.Library, g settings.Grid, o PathOptions) (*Path, error) {
	key, from := s.ID, "id"
	if spec := s.Spec(); spec.Long != nil {
		key, from = spec.Long.Key, "long"
	}
	if o.Labels && strings.EqualFold(key, "point") {
		return nil, framework.Faultf(framework.Data, "key-name-taken",
			"the row key cannot be called %q: the assignments of a path have a column of that name", key).
			At(from).WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(key))
	}
	b, err := newJob(s, l, vary{g.Parameter.Name, "path"})
	return &Path{Job: b, Grid: g, PathOptions: o}, err
}

// Run makes the fits. After an error, Points has those that were done before it.
func (p *Path) Run(ctx context.Context, progress func(ended, of int, point *tune.Point)) error {
	began := time.Now()
	defer func() { p.seconds = time.Since(began).Seconds() }()
	p.Launch(ctx)
	host, err := p.host.Wait()
	if err != nil {
		return err
	}
	if p.Values, err = p.gridFor(ctx, host, p.Grid); err != nil {
		return err
	}
	p.fits = tune.Path{Grid: p.Values, Rows: p.Data, Start: p.Start, Warm: p.Warm, Threads: p.Settings.Threads, Maximize: p.maximize.Load}
	if p.Parameter.Name == p.Algorithm.Path {
		p.fits.Looser = p.Algorithm.Looser
	}
	if p.Settings.Empty == string(framework.Reseed) {
		p.fits.Clusters = p.Problem.K
	}
	p.fits.Fit = func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
		return p.fitValue(ctx, host, p.Parameter, value, p.Problem.Links, start, threads)
	}
	p.Points, err = p.fits.Run(ctx, progress)
	return err
}

// Failed returns the fault of the first value if no value has a fit.
func (p *Path) Failed() error {
	if len(p.Points) == 0 || slices.ContainsFunc(p.Points, func(point *tune.Point) bool { return point.Err == nil }) {
		return nil
	}
	return p.Points[0].Err
}

// Gaps returns the points that a longer search would improve.
func (p *Path) Gaps() []tune.Gap { return p.fits.Gaps(p.Points) }

// fitValue makes one fit with a value of a parameter, and with links.
func (b *Job) fitValue(ctx context.Context, host fit.Host, of framework.Param, value float64, links []framework.Link,
	start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
	problem, err := b.with(of, value)
	if err != nil {
		return nil, nil, err
	}
	return b.fitProblem(ctx, host, problem, links, start, threads)
}

// fitProblem makes one fit of a problem with links.
func (b *Job) fitProblem(ctx context.Context, host fit.Host, problem framework.Problem, links []framework.Link, start fit.Start,
	threads int,
) (*fit.Result, []framework.Feature, error) {
	s := b.Settings.Fitting()
	problem.Links, s.Threads = links, threads
	f, err := b.engine(host)(ctx, problem, b.Data, start, s)
	if err != nil {
		return nil, nil, err
	}
	b.maximize.Store(f.Maximize)
	return f.Result, f.Features, nil
}

// Tables returns the rows of the tables of the path. stopped is why it ended before
// all values were done; "" if they were.
func (p *Path) Tables(stopped string) (*result.Path, error) {
	row, err := p.fitWithoutModel("path", stopped)
	if err != nil {
		return nil, err
	}
	r := &result.Path{KeyName: p.Table.KeyName, Keys: p.Table.Keys, Fit: row, Run: p.run(p.seconds)}
	for i, point := range p.Points {
		row := result.PathPoint{Parameter: p.Parameter.Name, Value: point.Value, Status: point.Status(), Iterations: -1, Selected: -1,
			Objective: math.NaN(), Explained: point.Explained, ARI: point.ARI, WarmFrom: point.WarmFrom}
		if res := point.Result; res != nil {
			row.Converged, row.Iterations, row.Objective = res.Converged, res.Iterations, res.Objective
			if f := point.Features; len(f) > 0 && f[0].Rank > 0 { // without ranks nothing is selected
				row.Selected = tune.Selected(f)
			}
			for _, f := range p.storedFeatures(point.Features) {
				r.Features = append(r.Features, result.PathFeature{Point: i, Feature: f})
			}
		}
		r.Points = append(r.Points, row)
		r.Fit.Converged = r.Fit.Converged && row.Converged
		if p.Labels {
			var of []int32
			if point.Result != nil {
				p.leaveUntold(point.Result)
				of = point.Result.Labels
			}
			r.Labels = append(r.Labels, of)
		}
	}
	return r, nil
}

// fitWithoutModel describes a run of many fits. stopped is why it ended early.
func (b *Job) fitWithoutModel(stop, stopped string) (result.Fit, error) {
	params, err := b.record()
	if stopped != "" {
		stop = stopped
	}
	return result.Fit{
		RunID: result.RunID(params+b.Algorithm.Name+b.Algorithm.Version, b.fingerprint), Algorithm: b.Algorithm.Name,
		Version: b.Algorithm.Version,
		Params:  params, Seed: b.Problem.Seed, N: b.Problem.N, P: b.Problem.P, K: b.Problem.K,
		Objective: math.NaN(), Inertia: math.NaN(), Converged: stopped == "", StopReason: stop, Source: b.Table.SourceSQL,
		ToolVersion: b.library.Version,
	}, err
}

// run describes what a clock or the machine decided.
func (b *Job) run(seconds float64) result.Run {
	return result.Run{StartedAt: b.began, SecondsRead: b.readTime.Seconds(), SecondsFit: seconds, Threads: b.Settings.Threads,
		Driver: b.driver()}
}
