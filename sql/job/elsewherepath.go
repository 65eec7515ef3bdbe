package job

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// An ElsewherePath is a Path whose rows stay in an engine.
type ElsewherePath struct {
	*Path
	there *Elsewhere
}

// NewElsewherePath returns a path whose settings are possible, as far as they go without
// data.
func NewElsewherePath(s settings.Settings, l library.Library, g settings.Grid, o PathOptions, at ElsewhereOptions) (*ElsewherePath, error) {
	switch {
	case o.Labels:
		return nil, distant.NeedsRows("assignments", "labels stay in the engine").WithHint("fit one of the values, which writes its assignments")
	case o.Warm:
		return nil, distant.NeedsRows("warm", "it goes on from the labels of the neighbours")
	}
	p, err := NewPath(withoutRows(s), l, g, o)
	if err != nil {
		return nil, err
	}
	there, err := elsewhere(p.Job, at)
	return &ElsewherePath{Path: p, there: there}, err
}

// Read looks at the relation in its engine, and reads what the settings name beside it.
func (p *ElsewherePath) Read(ctx context.Context, beside Source, rows distant.Relation) error {
	return p.there.Read(ctx, beside, rows)
}

// WriteThere writes the tables where the rows are.
func (p *ElsewherePath) WriteThere(ctx context.Context, copies []result.Copy) error {
	return p.there.WriteThere(ctx, nil, copies)
}

// Run makes the fits, one after the other. After an error, Points has those that were done
// before it.
func (p *ElsewherePath) Run(ctx context.Context, progress func(ended, of int, point *tune.Point)) error {
	began := time.Now()
	defer func() { p.seconds = time.Since(began).Seconds() }()
	var err error
	if p.Values, err = p.there.gridFor(ctx, p.Grid); err != nil {
		return err
	}
	p.fits = tune.Path{Maximize: p.maximize.Load}
	if p.Parameter.Name == p.Algorithm.Path {
		p.fits.Looser = p.Algorithm.Looser
	}
	var before *tune.Point
	for i, v := range p.Values {
		point, err := p.point(ctx, v, before)
		if err != nil {
			return err
		}
		if p.Points = append(p.Points, point); point.Result != nil && point.Result.Stop != framework.AllZero {
			before = point
		}
		progress(i+1, len(p.Values), point)
	}
	return nil
}

// point makes one fit, and compares it with the one before that has clusters.
func (p *ElsewherePath) point(ctx context.Context, value float64, before *tune.Point) (*tune.Point, error) {
	point := &tune.Point{Value: value, WarmFrom: math.NaN(), Explained: math.NaN(), ARI: math.NaN()}
	failed := func(err error) (*tune.Point, error) {
		if !ofOne(err) {
			return nil, err
		}
		point.Err = err
		return point, nil
	}
	problem, err := p.with(p.Parameter, value)
	if err != nil {
		return failed(err)
	}
	bound, err := p.there.bind(problem)
	if err != nil {
		return failed(err)
	}
	f, err := p.there.fit(ctx, bound, nil, nil, nil)
	if err != nil {
		return failed(err)
	}
	point.Result, point.Features = f.Result, f.features
	p.maximize.Store(f.maximize)
	if f.Stop == framework.AllZero {
		return point, nil
	}
	point.Explained = bound.Squares(f.sums).Explained(nil)
	if before == nil {
		return point, nil
	}
	rows, err := bound.Rows.Crosstab(ctx, before.Result.Model, f.Model)
	if err != nil {
		return nil, err
	}
	var counts score.Counts
	for i, of := range rows {
		for j, n := range of {
			counts.Add(int32(i), int32(j), n)
		}
	}
	point.ARI = counts.Table().ARI()
	return point, nil
}

// gridFor returns the values of the grid, if all are possible with these data; where there
// are none, those that the algorithm proposes for the clusters of all features.
func (e *Elsewhere) gridFor(ctx context.Context, g settings.Grid) ([]float64, error) {
	if g.Values != nil {
		return g.Values, settings.RefusedValues(g.Values, func(v float64) error {
			problem, err := e.with(g.Parameter, v)
			if err == nil {
				_, err = e.Algorithm.Local.New(problem)
			}
			return err
		})
	}
	plain, err := e.library.Find(settings.PlainAlgorithm)
	if err != nil {
		return nil, err
	}
	of := *e
	job := e.Again()
	of.Job, job.Algorithm, job.Recipe, job.Table = job, plain, e.Recipe, e.Table
	job.Problem, job.Start = e.Problem, e.Start
	job.Problem.Centers = nil
	if job.Problem.Params, err = plain.Resolve(nil); err != nil {
		return nil, err
	}
	job.Settings.Empty = string(plain.Empty)
	bound, err := of.bind(job.Problem)
	if err != nil {
		return nil, err
	}
	whole, err := of.fit(ctx, bound, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	pather, ok := framework.As[framework.Pather](e.rows.Clusterer)
	if !ok {
		return nil, framework.Faultf(framework.Plugin, "plugin-nonsense",
			"algorithm %s is described as having a path, but proposes no values for it", e.Algorithm.Name)
	}
	s := e.Settings.Fitting()
	s.MaxIter, s.Restarts = 0, 1
	start := func(context.Context, int) (fit.Beginning, error) {
		return fit.Beginning{Centers: &whole.Model.Centers}, nil
	}
	once, err := fit.Elsewhere(ctx, e.rows.Clusterer, e.Problem, fit.Distant{Passes: e.rows.Rows, Begin: start}, s, nil)
	if err != nil {
		return nil, err
	}
	return slices.Compact(pather.Grid(once.Model, g.Most)), nil
}
