package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// pathSettings are the flags of path alone.
type pathSettings struct {
	grid        string
	points      int
	warm        bool
	assignments bool
	keepPartial bool
}

func (a *app) pathCommand() *cobra.Command {
	var s pathSettings
	c := &cobra.Command{
		Use:   "path RELATION",
		Short: "Fit over many values of the parameter that selects features",
		Long: `Fit once for each of many values of the parameter that decides how many features
are selected: sparsity of skfr, for example. The table of the path shows what each
value selects and how well it still explains the rows. A value that cannot be
fitted has a status that says why, and the path goes on.
With --into NAME the results are written to the tables NAME_path and
NAME_path_features, NAME_fit and NAME_run.`,
		Example: `  sqlcluster path wine.csv --id id --exclude class -a skfr -k 3
  sqlcluster path wine.csv --id id --exclude class -a skfr -k 3 --grid sparsity=2,4,8 --db wine.duckdb --into wine`,
		Args: takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.path(c, s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.grid, "grid", "", "values of the parameter: `[NAME=]A,B,... or [NAME=]FROM:TO:NUMBER` (default: chosen from the data)")
	f.IntVar(&s.points, "points", 20, "largest `number` of values, without --grid")
	f.BoolVar(&s.warm, "warm", false, "start each value from the clusters of the one before")
	f.BoolVar(&s.assignments, "assignments", false, "write NAME_path_assignments too, the cluster of each row at each value")
	f.BoolVar(&s.keepPartial, "keep-partial", false, "when interrupted, write the values that are done")
	a.settings.addReading(f)
	a.settings.addFitting(f)
	a.settings.addWriting(f, "write the results to tables NAME_... of --db: `NAME` or SCHEMA.NAME")
	_ = f.MarkHidden("driver")
	addParams(f)
	_ = c.RegisterFlagCompletionFunc("algorithm", completeAlgorithms)
	return c
}

// keptError is an interruption after which a part of a path was written.
type keptError struct{ ended, of int }

func (e *keptError) Error() string {
	return fmt.Sprintf("interrupted: %d of %d values were fitted and written", e.ended, e.of)
}

func (a *app) path(c *cobra.Command, s pathSettings, relation string) error {
	ctx := c.Context()
	if err := a.checkPath(s); err != nil {
		return err
	}
	parameter, grid, err := a.gridOf(s)
	if err != nil {
		return err
	}
	a.varied = parameter.Name
	p, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { p.close(); _ = db.Close() }()
	began := time.Now()
	ready := a.launch(ctx, p.algorithm, plugin.Profile{})
	defer func() { ready.close() }()
	if err := a.load(ctx, db, relation, p); err != nil {
		return err
	}
	started := time.Now()
	process, err := ready.wait()
	if err != nil {
		return err
	}
	if grid == nil {
		if grid, err = a.proposed(ctx, process, p, s.points); err != nil {
			return err
		}
	}
	path := tune.Path{Grid: grid, Rows: p.data, Start: p.start, Warm: s.warm, Threads: a.settings.threads}
	if p.settings.Empty == framework.Reseed {
		path.Clusters = p.problem.K
	}
	points, err := a.fitPath(ctx, process, p, parameter, path)
	interrupted := err
	if err != nil && (!s.keepPartial || ctx.Err() == nil || len(points) == 0) {
		return err
	}
	results, err := a.pathResults(p, parameter, points, s.assignments)
	if err != nil {
		return err
	}
	if interrupted != nil {
		results.Fit.Converged, results.Fit.StopReason = false, "interrupted"
	}
	results.Run = store.Run{StartedAt: began, SecondsRead: p.readTime.Seconds(), SecondsFit: time.Since(started).Seconds(), Threads: a.settings.threads, Driver: a.driver(p)}
	if a.settings.into != "" {
		if err := db.WritePath(context.WithoutCancel(ctx), a.settings.into, a.settings.replace, results); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if interrupted != nil {
		return &keptError{len(points), len(grid)}
	}
	if err := a.pathSummary(p, parameter, results); err != nil {
		return err
	}
	return nothingFitted(points)
}

// nothingFitted returns the error of the first point if no point has a fit.
func nothingFitted(points []*tune.Point) error {
	for _, point := range points {
		if point.Err == nil {
			return nil
		}
	}
	return points[0].Err
}

// checkPath refuses flags that do not go together.
func (a *app) checkPath(s pathSettings) error {
	switch {
	case s.keepPartial && a.settings.into == "":
		return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to keep without tables to write").WithWhere("--keep-partial").WithHint("--into NAME writes them")
	case s.assignments && a.settings.into == "":
		return framework.Faultf(framework.Usage, "bad-flag", "assignments are a table, and no tables are to be written").WithWhere("--assignments").WithHint("--into NAME writes them")
	case s.assignments && strings.EqualFold(a.settings.id, "point"):
		return framework.Faultf(framework.Data, "key-name-taken", "the row key cannot be called %q: the assignments of a path have a column of that name", a.settings.id).
			WithWhere("--id").WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(a.settings.id))
	}
	return nil
}

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
		return framework.Param{}, nil, framework.Faultf(framework.Usage, "bad-flag", "--grid %q has no name before the =", s.grid).WithWhere("--grid")
	}
	if name == "" {
		return framework.Param{}, nil, framework.Faultf(framework.Usage, "no-path", "algorithm %s has no parameter that selects features", d.Name).
			WithWhere("--algorithm").WithHint("sqlcluster plugin list shows the algorithms; --grid NAME=A,B,... varies another parameter")
	}
	p, ok := d.Param(name)
	if !ok || p.Min == nil || p.Type != framework.IntParam && p.Type != framework.RealParam {
		var known []string
		for _, p := range d.Params {
			if p.Min != nil {
				known = append(known, p.Name)
			}
		}
		f := framework.Faultf(framework.Usage, "no-path", "algorithm %s has no number called %q that could be varied", d.Name, name).WithWhere("--grid")
		f.Similar = framework.Closest(name, known)
		return p, nil, f
	}
	if s.points < 1 || s.points > 1000 {
		return p, nil, framework.Faultf(framework.Usage, "bad-flag", "--points is %d; it must be 1 to 1000", s.points).WithWhere("--points")
	}
	if s.grid == "" {
		return p, nil, nil
	}
	grid, err := parseGrid(values)
	if err != nil {
		return p, nil, err
	}
	for _, v := range grid {
		if _, err := p.Parse(number(v)); err != nil {
			return p, nil, framework.AsFault(err).WithWhere("--grid")
		}
	}
	return p, grid, nil
}

// parseGrid reads A,B,... or FROM:TO:NUMBER.
func parseGrid(text string) ([]float64, error) {
	wrong := func(why string) error {
		return framework.Faultf(framework.Usage, "bad-flag", "--grid %q: %s", text, why).WithWhere("--grid").
			WithHint("give values, as in 1,2,4, or FROM:TO:NUMBER, as in 0:0.5:20")
	}
	read := func(parts []string) ([]float64, error) {
		values := make([]float64, len(parts))
		for i, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, wrong(fmt.Sprintf("%q is no number", strings.TrimSpace(part)))
			}
			values[i] = v
		}
		return values, nil
	}
	if !strings.Contains(text, ":") {
		return read(strings.Split(text, ","))
	}
	ends, err := read(strings.Split(text, ":"))
	if err != nil {
		return nil, err
	}
	if len(ends) != 3 || ends[2] < 2 || ends[2] > 1000 || ends[2] != math.Trunc(ends[2]) {
		return nil, wrong("it must be FROM:TO:NUMBER with a whole number from 2 to 1000")
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
func (a *app) proposed(ctx context.Context, process *plugin.Process, p *prepared, points int) ([]float64, error) {
	labels, err := a.plainLabels(ctx, p)
	if err != nil {
		return nil, err
	}
	session, err := process.Open(ctx, p.description.Name, p.problem, p.data.Handle())
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
	grid, err := session.Grid(ctx, once.Model, points)
	return slices.Compact(grid), err
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
	process, err := ready.wait()
	if err != nil {
		return nil, err
	}
	session, err := process.Open(ctx, plain, problem, p.data.Handle())
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

// fitPath makes the fits.
func (a *app) fitPath(ctx context.Context, process *plugin.Process, p *prepared, varied framework.Param, path tune.Path) ([]*tune.Point, error) {
	path.Fit = func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
		v, err := varied.Parse(number(value))
		if err != nil {
			return nil, nil, err
		}
		problem, settings := p.problem, p.settings
		problem.Params = maps.Clone(problem.Params)
		problem.Params[varied.Name], settings.Threads = v, threads
		session, err := process.Open(ctx, p.description.Name, problem, p.data.Handle())
		if err != nil {
			return nil, nil, err
		}
		res, err := session.Fit(ctx, start, settings, nil)
		if err != nil {
			return nil, nil, err
		}
		if session.OnlySteps() {
			p.hosted.Store(true)
		}
		features := session.Features(res.Model)
		return res, features, errors.Join(session.Err(), session.Close())
	}
	line := a.progress("path")
	defer line.end()
	return path.Run(ctx, func(ended, of int, point *tune.Point) {
		line.say("%d of %d values, %s = %s: %s", ended, of, varied.Name, number(point.Value), point.Status())
	})
}

// pathResults fills the tables of a path.
func (a *app) pathResults(p *prepared, varied framework.Param, points []*tune.Point, labels bool) (*store.PathResults, error) {
	params, err := a.recorded(p)
	if err != nil {
		return nil, err
	}
	r := &store.PathResults{KeyName: p.table.KeyName, Keys: p.table.Keys, Fit: store.Fit{
		RunID: store.RunID(params+p.description.Name+p.description.Version, p.fingerprint), Algorithm: p.description.Name, Version: p.description.Version,
		PluginSHA256: p.algorithm.sha256, Params: params, Seed: p.problem.Seed, N: p.problem.N, P: p.problem.P, K: p.problem.K,
		Objective: math.NaN(), Inertia: math.NaN(), Converged: true, StopReason: "path", Source: p.table.SourceSQL, ToolVersion: toolVersion(),
	}}
	for i, point := range points {
		row := store.PathPoint{Parameter: varied.Name, Value: point.Value, Status: point.Status(), Iterations: -1, Selected: -1,
			Objective: math.NaN(), Explained: point.Explained, ARI: point.ARI}
		if res := point.Result; res != nil {
			row.Converged, row.Iterations, row.Objective = res.Converged, res.Iterations, res.Objective
			row.Selected = selectedFeatures(point.Features)
		}
		r.Points = append(r.Points, row)
		r.Fit.Converged = r.Fit.Converged && row.Converged
		r.Features = append(r.Features, pathFeatures(p, i, point.Features)...)
		if labels {
			var of []int32
			if point.Result != nil {
				of = point.Result.Labels
			}
			r.Labels = append(r.Labels, of)
		}
	}
	return r, nil
}

// selectedFeatures counts the features that are selected in any cluster.
func selectedFeatures(features []framework.Feature) int {
	var columns []int
	for _, f := range features {
		if f.Selected {
			columns = append(columns, f.Column)
		}
	}
	slices.Sort(columns)
	return len(slices.Compact(columns))
}

func pathFeatures(p *prepared, point int, features []framework.Feature) []store.PathFeature {
	norms := groupNorms(p.problem, features)
	all := make([]store.PathFeature, 0, len(features))
	for i, f := range features {
		all = append(all, store.PathFeature{Point: point, Feature: storedFeature(p, f, norms[i])})
	}
	return all
}

// pathSummary writes the path.
func (a *app) pathSummary(p *prepared, varied framework.Param, r *store.PathResults) error {
	t := render.Table{Name: schema.Path, Columns: []string{"point", varied.Name, "status", "iterations", "selected", "objective", "explained_variance", "ari_previous"}}
	orNil := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return v
	}
	count := func(n int) any {
		if n < 0 {
			return nil
		}
		return n
	}
	for i, row := range r.Points {
		t.Rows = append(t.Rows, []any{i, row.Value, row.Status, count(row.Iterations), count(row.Selected), orNil(row.Objective), orNil(row.Explained), orNil(row.ARI)})
	}
	if a.settings.output == "table" || a.settings.output == "markdown" {
		for _, n := range p.notes {
			a.note("note: %s", n)
		}
		_, _ = fmt.Fprintf(a.out, "%s over %s: %s, %d rows, %d features, %d clusters (seed %d)\n\n", p.description.Name, varied.Name,
			counted(len(r.Points), "value", "values"), p.problem.N, p.problem.P, p.problem.K, p.problem.Seed)
	}
	if err := render.Write(a.out, a.settings.output, t); err != nil {
		return err
	}
	if into := a.settings.into; into != "" {
		a.note("written to %s: %s_path, _path_features, _fit, _run", a.settings.db, into)
		a.note("next: sqlcluster show %s path_features --db %s", shellWord(into), shellWord(a.settings.db))
		return nil
	}
	a.note("nothing was stored; add --db FILE --into NAME to keep the path as tables")
	a.note("next: fit one of the values, with %s VALUE", flagOf(varied))
	return nil
}
