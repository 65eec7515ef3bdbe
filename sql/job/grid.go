package job

import (
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// with returns the problem with a value of a parameter.
func (b *Job) with(p framework.Param, value float64) (framework.Problem, error) {
	problem := b.Problem
	v, err := p.Parse(settings.Number(value))
	problem.Params = maps.Clone(problem.Params)
	problem.Params[p.Name] = v
	return problem, err
}

// gridFor returns the values of the grid, if all are possible with these data;
// where there are none, those that the algorithm proposes.
func (b *Job) gridFor(ctx context.Context, host fit.Host, g settings.Grid) ([]float64, error) {
	if g.Values == nil {
		return b.proposed(ctx, host, g.Most)
	}
	return g.Values, settings.RefusedValues(g.Values, func(v float64) error {
		problem, err := b.with(g.Parameter, v)
		if err != nil {
			return err
		}
		if local := b.Algorithm.Local; local != nil {
			_, err := local.New(problem)
			return err
		}
		problem.Links = nil
		session, err := host.Bind(ctx, b.Algorithm.Name, b.roughly(problem), b.Data)
		if err != nil {
			return err
		}
		return session.Close()
	})
}

// proposed returns the algorithm's own grid for the data.
func (b *Job) proposed(ctx context.Context, host fit.Host, most int) ([]float64, error) {
	labels, err := b.plainLabels(ctx)
	if err != nil {
		return nil, err
	}
	session, err := host.Bind(ctx, b.Algorithm.Name, b.roughly(b.Problem), b.Data)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	s := b.Settings.Fitting()
	s.MaxIter = 0
	once, err := session.Fit(ctx, fit.Start{Labels: labels}, s, nil)
	if err != nil {
		return nil, err
	}
	c, ok := framework.As[framework.Pather](session.Clusterer())
	if !ok {
		return nil, framework.Faultf(framework.Plugin, "plugin-nonsense",
			"algorithm %s is described as having a path, but proposes no values for it", b.Algorithm.Name)
	}
	return slices.Compact(c.Grid(once.Model, most)), session.Err()
}

// roughly is the problem of a fit that only says which values to try: of several numbers of
// clusters, limits may allow others than this one.
func (b *Job) roughly(problem framework.Problem) framework.Problem {
	if b.vary.by == "tune" {
		problem.Labels = nil
	}
	return b.sent(problem)
}

// plainLabels clusters by all features.
func (b *Job) plainLabels(ctx context.Context) ([]int32, error) {
	plain, err := b.library.Find(settings.PlainAlgorithm)
	if err != nil {
		return nil, err
	}
	problem := b.Problem
	problem.Centers = nil
	if problem.Params, err = plain.Resolve(nil); err != nil {
		return nil, err
	}
	host, err := plain.Host(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = host.Close() }()
	session, err := host.Bind(ctx, plain.Name, b.roughly(problem), b.Data)
	if err != nil {
		return nil, err
	}
	s := b.Settings.Fitting()
	s.Empty = plain.Empty
	res, err := session.Fit(ctx, b.Start, s, nil)
	if err != nil {
		return nil, err
	}
	return res.Labels, nil
}
