package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// pathSettings are the flags of path alone.
type pathSettings struct {
	job.PathOptions
	grid        string
	points      int
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
	f.BoolVar(&s.Warm, "warm", false, "also start each value from the clusters of its neighbours, so that a looser one is not worse")
	f.BoolVar(&s.Labels, "assignments", false, "write NAME_path_assignments too, the cluster of each row at each value")
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

// stopReason is the reason that NAME_fit has; "" of none.
func (e *keptError) stopReason() string {
	if e == nil {
		return ""
	}
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
	p, err := a.newPath(c, s, relation)
	if err != nil {
		return a.sayParam(err)
	}
	defer p.Close()
	db, err := a.openTarget(ctx, relation)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	p.Launch(ctx)
	if err := a.read(ctx, db, p.Read); err != nil {
		return err
	}
	err = a.runPath(ctx, p)
	if err != nil && (!s.keepPartial || ctx.Err() == nil || len(p.Points) == 0) {
		return err
	}
	var kept *keptError
	if err != nil {
		kept = keepPartial(ctx, len(p.Points), len(p.Values))
	}
	tables, err := p.Tables(kept.stopReason())
	if err != nil {
		return err
	}
	if a.settings.into != "" {
		if err := db.WritePath(context.WithoutCancel(ctx), a.settings.into, a.settings.replace, tables); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if kept != nil {
		return kept
	}
	if err := a.pathSummary(p, tables); err != nil {
		return err
	}
	return nothingFitted(p.Points)
}

// newPath resolves the flags.
func (a *app) newPath(c *cobra.Command, s pathSettings, relation string) (*job.Path, error) {
	l := a.library()
	grid, err := l.Grid(a.settings.Algorithm, s.grid, s.points)
	if err != nil {
		return nil, err
	}
	of, err := a.withParams(c.Flags(), relation, grid.Parameter.Name)
	if err != nil {
		return nil, err
	}
	return job.NewPath(of, l, grid, s.PathOptions)
}

// runPath makes the fits, and says how far it is.
func (a *app) runPath(ctx context.Context, p *job.Path) error {
	line := a.progress("path")
	defer line.End()
	return p.Run(ctx, func(ended, of int, point *tune.Point) {
		line.Say("%d of %d values, %s = %s: %s", ended, of, p.Parameter.Name, number(point.Value), point.Status())
	})
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

func nothingToKeep() error {
	return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to keep without tables to write").
		At("keep_partial").WithHint("--into NAME writes them")
}

// checkPath refuses flags that do not go together.
func (a *app) checkPath(s pathSettings) error {
	switch {
	case s.keepPartial && a.settings.into == "":
		return nothingToKeep()
	case s.Labels && a.settings.into == "":
		return framework.Faultf(framework.Usage, "bad-flag", "assignments are written as a table, and there is no --into").At("assignments").WithHint("--into NAME writes them")
	}
	return nil
}
