package job

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// plainAlgorithm clusters by all features.
const plainAlgorithm = "kmeans"

// mostGrid is how many values a grid may have, each of which is many fits.
const mostGrid = 1000

// A Grid is the values of a parameter that are tried.
type Grid struct {
	Parameter framework.Param
	Values    []float64 // nil: those that the algorithm proposes
	Text      string    // as given
	Most      int       // how many values the algorithm may propose
}

// NewGrid reads A,B,..., FROM:TO or FROM:TO:NUMBER as values of the parameter of the algorithm
// that selects features, or of another one with NAME= before them. An empty text is
// a grid that the algorithm proposes.
func NewGrid(l library.Library, algorithm, text string, most int) (Grid, error) {
	g := Grid{Text: text, Most: most}
	a, err := l.Find(algorithm)
	if err != nil {
		return g, err
	}
	name, values, named := strings.Cut(text, "=")
	if name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_"); !named {
		name, values = a.Path, text
	} else if name == "" {
		return g, wrong("grid", "%s %q has no name before the =", framework.Setting("grid"), text)
	}
	if name == "" {
		others := l.Names(func(d framework.Description) bool { return d.Path != "" })
		return g, framework.Faultf(framework.Usage, "no-path", "algorithm %s has no parameter that selects features", a.Name).
			At("algorithm").WithHint("use %s; or %s to vary another parameter", oneOf("algorithm", others),
			framework.SettingTo("grid", "NAME=A,B,..."))
	}
	if g.Parameter, err = varied(a.Description, name); err != nil {
		return g, err
	}
	if most < 1 || most > mostGrid {
		return g, wrong("points", "%s is %d; it must be 1 to %d", framework.Setting("points"), most, mostGrid)
	}
	if text == "" {
		return g, nil
	}
	if g.Values, err = parseGrid(values); err != nil {
		return g, err
	}
	return g, refusedValues(g.Values, func(v float64) error {
		_, err := g.Parameter.Parse(number(v))
		return err
	})
}

// varied returns a numeric parameter.
func varied(d framework.Description, name string) (framework.Param, error) {
	p, ok := d.Param(name)
	if ok && p.Min != nil && (p.Type == framework.IntParam || p.Type == framework.RealParam) {
		return p, nil
	}
	var known []string
	for _, p := range d.Params {
		if p.Min != nil {
			known = append(known, p.Name)
		}
	}
	f := framework.Faultf(framework.Usage, "no-path", "algorithm %s has no numeric parameter %q to vary", d.Name, name).At("grid")
	f.Similar = framework.Closest(name, known)
	return p, f
}

// parseGrid reads A,B,..., FROM:TO (whole numbers) or FROM:TO:NUMBER.
func parseGrid(text string) ([]float64, error) {
	bad := func(why string) error {
		return wrong("grid", "%s %q: %s", framework.Setting("grid"), text, why).
			WithHint("give values, as in 1,2,4, FROM:TO, as in 2:12, or FROM:TO:NUMBER, as in 0:0.5:20")
	}
	read := func(parts []string) ([]float64, error) {
		values := make([]float64, len(parts))
		for i, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, bad(fmt.Sprintf("%q is not a number", strings.TrimSpace(part)))
			}
			values[i] = v
		}
		return values, nil
	}
	if !strings.Contains(text, ":") {
		if n := strings.Count(text, ",") + 1; n > mostGrid {
			return nil, wrong("grid", "%s has %d values; at most %d are allowed", framework.Setting("grid"), n, mostGrid)
		}
		return read(strings.Split(text, ","))
	}
	ends, err := read(strings.Split(text, ":"))
	if err != nil {
		return nil, err
	}
	if len(ends) == 2 && ends[0] == math.Trunc(ends[0]) && ends[1] == math.Trunc(ends[1]) && ends[0] < ends[1] { // whole numbers
		ends = append(ends, min(ends[1]-ends[0]+1, mostGrid+1))
	}
	if len(ends) != 3 || ends[2] < 2 || ends[2] > mostGrid || ends[2] != math.Trunc(ends[2]) {
		return nil, bad("it must be FROM:TO with whole numbers, or FROM:TO:NUMBER with a NUMBER of values from 2 to 1000")
	}
	if math.IsInf(ends[1]-ends[0], 0) {
		return nil, bad("FROM and TO are too far apart")
	}
	grid := make([]float64, int(ends[2]))
	for i := range grid {
		grid[i] = ends[0] + (ends[1]-ends[0])*float64(i)/float64(len(grid)-1)
	}
	return grid, nil
}

// number writes a value as a parameter's text.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// refusedValues returns the fault of the values that are refused, if there are
// any: of one it is the fault itself.
func refusedValues(grid []float64, check func(v float64) error) error {
	var first *framework.Fault
	var all []string
	for _, v := range grid {
		err := check(v)
		if err == nil {
			continue
		}
		f := framework.AsFault(err)
		if f == nil || f.Class == framework.Plugin {
			return err
		}
		if first == nil {
			first = f
		}
		if !slices.Contains(all, f.Summary) {
			all = append(all, f.Summary)
		}
	}
	if first == nil {
		return nil
	}
	if len(all) > 1 {
		first.Details = append(input.FirstOf(all[1:], shownNames), first.Details...)
	}
	return first.At("grid")
}

// with returns the problem with a value of a parameter.
func (b *Job) with(p framework.Param, value float64) (framework.Problem, error) {
	problem := b.Problem
	v, err := p.Parse(number(value))
	problem.Params = maps.Clone(problem.Params)
	problem.Params[p.Name] = v
	return problem, err
}

// gridFor returns the values of the grid, if all are possible with these data;
// where there are none, those that the algorithm proposes.
func (b *Job) gridFor(ctx context.Context, host fit.Host, g Grid) ([]float64, error) {
	if g.Values == nil {
		return b.proposed(ctx, host, g.Most)
	}
	return g.Values, refusedValues(g.Values, func(v float64) error {
		problem, err := b.with(g.Parameter, v)
		if err != nil {
			return err
		}
		if local := b.Algorithm.Local; local != nil {
			_, err := local.New(problem)
			return err
		}
		problem.Links = nil
		session, err := host.Bind(ctx, b.Algorithm.Name, problem, b.Data)
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
	session, err := host.Bind(ctx, b.Algorithm.Name, b.Problem, b.Data)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	s := b.Settings.fitting()
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

// plainLabels clusters by all features.
func (b *Job) plainLabels(ctx context.Context) ([]int32, error) {
	plain, err := b.library.Find(plainAlgorithm)
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
	session, err := host.Bind(ctx, plain.Name, problem, b.Data)
	if err != nil {
		return nil, err
	}
	s := b.Settings.fitting()
	s.Empty = plain.Empty
	res, err := session.Fit(ctx, b.Start, s, nil)
	if err != nil {
		return nil, err
	}
	return res.Labels, nil
}
