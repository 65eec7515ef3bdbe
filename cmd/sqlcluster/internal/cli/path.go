package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// pathSettings are the flags of path alone.
type pathSettings struct {
	job.PathOptions
	gridSettings
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
  sqlcluster path wine.csv --id id --exclude class -a skfr -k 3 \
    --grid sparsity=2,4,8 --db wine.duckdb --into wine`,
		Args: help.Takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.path(c, s, args[0]) },
	}
	f := c.Flags()
	f.BoolVar(&s.Warm, "warm", false, "also start each value from the clusters of its neighbours, so that a looser one is not worse")
	f.BoolVar(&s.Labels, "assignments", false, "write NAME_path_assignments too, the cluster of each row at each value")
	flags.In(f, flags.GroupModel, "warm")
	flags.In(f, flags.GroupOutput, "assignments")
	s.add(f, "when interrupted or after --timeout, write the values that are done")
	a.Flags.AddFit(f, flags.Tables)
	return c
}

func (a *app) path(c *cobra.Command, s pathSettings, relation string) error {
	ctx := c.Context()
	if a.Flags.Engine != "" {
		return a.pathThere(c, s, relation)
	}
	if err := a.checkNotThere(); err != nil {
		return err
	}
	if len(a.Flags.By) > 0 {
		return a.pathGroups(c, s, relation)
	}
	p, err := a.newPath(c, s, relation)
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer p.Close()
	p.Launch(ctx)
	db, err := a.openTarget(ctx, relation, (*store.DB).CheckTarget, schema.Names()...)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := a.read(ctx, db, p.Read); err != nil {
		return err
	}
	return a.runPath(ctx, s, p, p.Run, func(ctx context.Context, tables *result.Path) error { return written(ctx, a, db.WritePath, tables) })
}

// runPath makes the fits of a path by run, writes its tables by write and shows them. If it
// is interrupted, those of the fits that were made.
func (a *app) runPath(
	ctx context.Context, s pathSettings, p *job.Path,
	run func(ctx context.Context, progress func(ended, of int, point *tune.Point)) error,
	write func(ctx context.Context, tables *result.Path) error,
) error {
	err := a.Stage("path", func(say func(string, ...any)) error {
		return run(ctx, func(ended, of int, point *tune.Point) {
			say("%d of %d values, %s = %s: %s", ended, of, p.Parameter.Name, render.Exact(point.Value), point.Status())
		})
	})
	kept, err := s.keep(ctx, err, len(p.Points), len(p.Values))
	if err != nil {
		return err
	}
	tables, err := p.Tables(kept.stopReason())
	if err != nil {
		return err
	}
	if err := write(context.WithoutCancel(ctx), tables); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	if err := a.ShowPath(p, tables); err != nil {
		return err
	}
	return p.Failed()
}

// newPath resolves the flags, and refuses those that do not go together.
func (a *app) newPath(c *cobra.Command, s pathSettings, relation string) (*job.Path, error) {
	if err := a.checkLabels(s); err != nil {
		return nil, err
	}
	of, l, grid, err := a.gridJob(c, s.gridSettings, relation)
	if err != nil {
		return nil, err
	}
	return job.NewPath(of, l, grid, s.PathOptions)
}

// checkLabels refuses labels that are not written.
func (a *app) checkLabels(s pathSettings) error {
	if !s.Labels || a.Flags.Into != "" {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-flag", "assignments are written as a table, and there is no --into").
		At("assignments").WithHint("--into NAME writes them")
}
