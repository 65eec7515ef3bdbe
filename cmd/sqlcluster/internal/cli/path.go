package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// pathSettings are the flags of path alone.
type pathSettings struct {
	grid        string
	points      int
	warm        bool
	assignments bool
	keepPartial bool
}

// gridUsage is the help of --grid, of path and of tune.
const gridUsage = "`values` of the parameter: A,B,... or FROM:TO:NUMBER; NAME=... for another parameter " +
	"(default: chosen from the data)"

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
  sqlcluster path wine.csv --id id --exclude class -a skfr -k 3 \
    --grid sparsity=2,4,8 --db wine.duckdb --into wine`,
		Args: takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.path(c, s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.grid, "grid", "", gridUsage)
	f.IntVar(&s.points, "points", 20, "maximum `number` of values, without --grid")
	f.BoolVar(&s.warm, "warm", false, "also start each value from the clusters of its neighbours, so that a looser one is not worse")
	f.BoolVar(&s.assignments, "assignments", false, "write NAME_path_assignments too, the cluster of each row at each value")
	f.BoolVar(&s.keepPartial, "keep-partial", false, "when interrupted or after --timeout, write the values that are done")
	in(f, groupModel, "grid", "points", "warm")
	in(f, groupOutput, "assignments", "keep-partial")
	a.settings.addReading(f)
	a.settings.addFitting(f)
	a.settings.addWriting(f, "write the results to tables NAME_... of --db: `NAME` or SCHEMA.NAME")
	_ = f.MarkHidden("driver")
	addParams(f)
	_ = c.RegisterFlagCompletionFunc("algorithm", completeAlgorithms)
	return c
}

// keptError is the end of a path of which a part was written: by a signal, or
// because the time of --timeout had run out.
type keptError struct {
	ended, of int
	timedOut  bool
}

// keepPartial returns what a path says that its context has ended.
func keepPartial(ctx context.Context, ended, of int) *keptError {
	return &keptError{ended: ended, of: of, timedOut: errors.Is(ctx.Err(), context.DeadlineExceeded)}
}

func (e *keptError) Error() string {
	return fmt.Sprintf("%d of %d values were fitted and written", e.ended, e.of)
}

// stopReason is the reason that NAME_fit has.
func (e *keptError) stopReason() string {
	if e.timedOut {
		return "timed_out"
	}
	return "interrupted"
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
	a.varied, a.variedBy = parameter.Name, "path"
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
	host, err := ready.wait()
	if err != nil {
		return err
	}
	if grid, err = a.gridFor(ctx, host, p, parameter, grid, s.points); err != nil {
		return err
	}
	path := &tune.Path{Grid: grid, Rows: p.data, Start: p.start, Warm: s.warm, Threads: a.settings.threads, Maximize: p.maximize.Load}
	if parameter.Name == p.description.Path {
		path.Looser = p.description.Looser
	}
	if p.settings.Empty == framework.Reseed {
		path.Clusters = p.problem.K
	}
	points, err := a.fitPath(ctx, host, p, parameter, path)
	if err != nil && (!s.keepPartial || ctx.Err() == nil || len(points) == 0) {
		return err
	}
	var kept *keptError
	if err != nil {
		kept = keepPartial(ctx, len(points), len(grid))
	}
	if n := pathGaps(path, parameter, points); n != "" {
		p.notes = append(p.notes, n)
	}
	results, err := a.pathResults(p, parameter, points, s.assignments)
	if err != nil {
		return err
	}
	if kept != nil {
		results.Fit.Converged, results.Fit.StopReason = false, kept.stopReason()
	}
	results.Run = result.Run{StartedAt: began, SecondsRead: p.readTime.Seconds(), SecondsFit: time.Since(started).Seconds(), Threads: a.settings.threads, Driver: a.driver(p)}
	if a.settings.into != "" {
		if err := db.WritePath(context.WithoutCancel(ctx), a.settings.into, a.settings.replace, results); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if kept != nil {
		return kept
	}
	if err := a.pathSummary(p, parameter, results, s.warm); err != nil {
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
		return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to keep without tables to write").At("keep_partial").WithHint("--into NAME writes them")
	case s.assignments && a.settings.into == "":
		return framework.Faultf(framework.Usage, "bad-flag", "assignments are written as a table, and there is no --into").At("assignments").WithHint("--into NAME writes them")
	case s.assignments && strings.EqualFold(a.settings.id, "point"):
		return framework.Faultf(framework.Data, "key-name-taken", "the row key cannot be called %q: the assignments of a path have a column of that name", a.settings.id).
			At("id").WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(a.settings.id))
	}
	return nil
}

// fitValue makes one fit with a value of the parameter, and with links.
func fitValue(ctx context.Context, host fit.Host, p *prepared, varied framework.Param, value float64, links []framework.Link,
	start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
	v, err := varied.Parse(number(value))
	if err != nil {
		return nil, nil, err
	}
	problem, settings := p.problem, p.settings
	problem.Params, problem.Links = maps.Clone(problem.Params), links
	problem.Params[varied.Name], settings.Threads = v, threads
	session, err := host.Bind(ctx, p.description.Name, problem, p.data)
	if err != nil {
		return nil, nil, err
	}
	res, err := session.Fit(ctx, start, settings, nil)
	if err != nil {
		return nil, nil, err
	}
	if session.Driven() {
		p.hosted.Store(true)
	}
	p.maximize.Store(session.Plan().Maximize)
	var features []framework.Feature
	if selector, ok := session.Clusterer().(framework.Selector); ok {
		features = selector.Features(res.Model)
	}
	return res, features, errors.Join(session.Err(), session.Close())
}

// fitPath makes the fits.
func (a *app) fitPath(ctx context.Context, host fit.Host, p *prepared, varied framework.Param, path *tune.Path) ([]*tune.Point, error) {
	path.Fit = func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
		return fitValue(ctx, host, p, varied, value, p.problem.Links, start, threads)
	}
	line := a.progress("path")
	defer line.end()
	return path.Run(ctx, func(ended, of int, point *tune.Point) {
		line.say("%d of %d values, %s = %s: %s", ended, of, varied.Name, number(point.Value), point.Status())
	})
}
