package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// gridOf returns the parameter that is varied, and the values of --grid, nil if
// there is none.
func (a *app) gridOf(s pathSettings) (framework.Param, []float64, error) {
	alg, err := algorithmOf(a.settings.algorithm)
	if err != nil {
		return framework.Param{}, nil, err
	}
	d := alg.Description
	name, values, named := strings.Cut(s.grid, "=")
	if name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_"); !named {
		name, values = d.Path, s.grid
	} else if name == "" {
		return framework.Param{}, nil, framework.Faultf(framework.Usage, "bad-flag", "--grid %q has no name before the =", s.grid).At("grid")
	}
	if name == "" {
		return framework.Param{}, nil, framework.Faultf(framework.Usage, "no-path", "algorithm %s has no parameter that selects features", d.Name).
			At("algorithm").WithHint("use -a %s; or --grid NAME=A,B,... to vary another parameter", strings.Join(selecting(), " or -a "))
	}
	p, ok := d.Param(name)
	if !ok || p.Min == nil || p.Type != framework.IntParam && p.Type != framework.RealParam {
		var known []string
		for _, p := range d.Params {
			if p.Min != nil {
				known = append(known, p.Name)
			}
		}
		f := framework.Faultf(framework.Usage, "no-path", "algorithm %s has no numeric parameter %q to vary", d.Name, name).At("grid")
		f.Similar = framework.Closest(name, known)
		return p, nil, f
	}
	if s.points < 1 || s.points > 1000 {
		return p, nil, framework.Faultf(framework.Usage, "bad-flag", "--points is %d; it must be 1 to 1000", s.points).At("points")
	}
	if s.grid == "" {
		return p, nil, nil
	}
	grid, err := parseGrid(values)
	if err != nil {
		return p, nil, err
	}
	return p, grid, checkValues(p, grid)
}

// selecting names the algorithms that have a parameter that selects features.
func selecting() (names []string) {
	eachAlgorithm(func(_ string, d framework.Description) {
		if d.Path != "" {
			names = append(names, d.Name)
		}
	})
	return names
}

// mostGrid is how many values --grid may have, each of which is many fits.
const mostGrid = 1000

// parseGrid reads A,B,... or FROM:TO:NUMBER.
func parseGrid(text string) ([]float64, error) {
	wrong := func(why string) error {
		return framework.Faultf(framework.Usage, "bad-flag", "--grid %q: %s", text, why).At("grid").
			WithHint("give values, as in 1,2,4, or FROM:TO:NUMBER, as in 0:0.5:20")
	}
	read := func(parts []string) ([]float64, error) {
		values := make([]float64, len(parts))
		for i, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, wrong(fmt.Sprintf("%q is not a number", strings.TrimSpace(part)))
			}
			values[i] = v
		}
		return values, nil
	}
	if !strings.Contains(text, ":") {
		if n := strings.Count(text, ",") + 1; n > mostGrid {
			return nil, framework.Faultf(framework.Usage, "bad-flag", "--grid has %d values; at most %d are allowed", n, mostGrid).At("grid")
		}
		return read(strings.Split(text, ","))
	}
	ends, err := read(strings.Split(text, ":"))
	if err != nil {
		return nil, err
	}
	if len(ends) != 3 || ends[2] < 2 || ends[2] > mostGrid || ends[2] != math.Trunc(ends[2]) {
		return nil, wrong("it must be FROM:TO:NUMBER with a whole number from 2 to 1000")
	}
	if math.IsInf(ends[1]-ends[0], 0) {
		return nil, wrong("FROM and TO are too far apart")
	}
	grid := make([]float64, int(ends[2]))
	for i := range grid {
		grid[i] = ends[0] + (ends[1]-ends[0])*float64(i)/float64(len(grid)-1)
	}
	return grid, nil
}

// number writes a value as a parameter's text.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// proposed returns the algorithm's own grid for the data.
func (a *app) proposed(ctx context.Context, host fit.Host, p *prepared, points int) ([]float64, error) {
	labels, err := a.plainLabels(ctx, p)
	if err != nil {
		return nil, err
	}
	session, err := host.Bind(ctx, p.description.Name, p.problem, p.data)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	s := p.settings
	s.MaxIter = 0
	once, err := session.Fit(ctx, fit.Start{Labels: labels}, s, nil)
	if err != nil {
		return nil, err
	}
	c, ok := session.Clusterer().(framework.Pather)
	if !ok {
		return nil, framework.Faultf(framework.Plugin, "plugin-nonsense", "algorithm %s is described as having a path, but proposes no values for it", p.description.Name)
	}
	return slices.Compact(c.Grid(once.Model, points)), session.Err()
}

// plainLabels clusters by all features.
func (a *app) plainLabels(ctx context.Context, p *prepared) ([]int32, error) {
	const plain = "kmeans"
	alg, err := algorithmOf(plain)
	if err != nil {
		return nil, err
	}
	problem := p.problem
	problem.Centers = nil
	if problem.Params, err = alg.Resolve(nil); err != nil {
		return nil, err
	}
	ready := a.launch(ctx, alg, plugin.Profile{})
	defer ready.close()
	host, err := ready.wait()
	if err != nil {
		return nil, err
	}
	session, err := host.Bind(ctx, plain, problem, p.data)
	if err != nil {
		return nil, err
	}
	s := p.settings
	s.Empty = alg.Empty
	res, err := session.Fit(ctx, p.start, s, nil)
	if err != nil {
		return nil, err
	}
	return res.Labels, nil
}
