package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) showCommand() *cobra.Command {
	limit, top := 0, 0
	c := &cobra.Command{
		Use:   "show RUN [TABLE]",
		Short: "Show a result table of a run",
		Long: `Show a result table of a run. TABLE is one of
` + help.Wrapped(help.ResultTables(), ",", help.Width) + `.
Without it, the clusters of a fit are shown, or the values of a path or of a
tuning without a fit, or the models of a run with --by, of which --model chooses
one. params are the parameters of the run, each with the place it came from;
sqlcluster help tables explains the others. Columns of features, clusters and limits
that have no value in any row are left out with -o table.
RUN may also be a table that predict, pairs suggest or score wrote, which is then
shown.
--top 20 shows the 20 most important features, by rank, weight and gain, or of
centers the 20 largest of each cluster, in the fitted space. Where features are
selected for each cluster, they are the 20 of each.
With -o table the first 1000 rows are shown, with every other format all of them;
--limit changes that. Rows are written as they are read, so that a table may be
of any size.`,
		Example: `  sqlcluster show segments features --db shop.duckdb -o csv
  sqlcluster show segments centers --top 5 --db shop.duckdb`,
		Args: help.Takes("RUN", "[TABLE]"),
		RunE: func(c *cobra.Command, args []string) error {
			most, err := a.rowLimit(limit)
			if err != nil {
				return err
			}
			table := strings.Join(args[1:], "")
			if !a.Flags.IsDefault("top") {
				if err := checkTop(args[0], table, top); err != nil {
					return err
				}
			}
			return a.withRuns(c.Context(), "show", false, func(db *store.DB) error {
				return a.showNamed(c.Context(), db, args[0], table, top, most)
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", summary.ShownRows,
		"maximum `number` of rows to show; 0: all (formats other than table show all unless it is given)")
	c.Flags().IntVar(&top, "top", 0, "maximum `number` of features, the most important ones, or of centers, the largest of each cluster")
	flags.In(c.Flags(), flags.GroupOutput, "limit", "top")
	a.Flags.AddModel(c.Flags())
	return c
}

// checkTop refuses a number of largest rows, and tables that have none.
func checkTop(run, table string, top int) error {
	if top < 1 {
		return framework.Faultf(framework.Usage, "bad-flag", "--top is %d; it must be at least 1", top).At("top")
	}
	if slices.Contains(store.ToppedTables(), table) || table != "" && !slices.Contains(help.ResultTables(), table) {
		return nil
	}
	what := "the table " + table
	if table == "" {
		what = "a run without TABLE"
	}
	return framework.Faultf(framework.Usage, "bad-flag", "--top is for the tables %s, and not for %s",
		strings.Join(store.ToppedTables(), " and "), what).At("top").
		WithHint("sqlcluster show %s features --top %d, or --limit %[2]d for the first rows of a table", framework.ShellWord(run), top)
}

// rowLimit returns how many rows are shown, 0 for all.
func (a *app) rowLimit(limit int) (int, error) {
	switch {
	case limit < 0:
		return 0, framework.Faultf(framework.Usage, "bad-flag", "--limit is %d; it must not be negative", limit).
			At("limit").WithHint("0 shows all rows")
	case a.Flags.IsDefault("limit") && !a.Tabular():
		return 0, nil
	}
	return limit, nil
}

// showNamed shows a table of a run, or a table that predict, pairs suggest or score
// wrote, which is only one, whatever table was asked for.
func (a *app) showNamed(ctx context.Context, db *store.DB, name, table string, top, limit int) error {
	none := a.show(ctx, db, name, table, top, limit)
	if !store.IsNoRun(none) {
		return none
	}
	t, result, err := db.ShownWritten(ctx, name)
	if err != nil {
		return err
	}
	if t == nil {
		return none
	}
	if top > 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "--top is for the tables %s of a run, and %s is a table of %s",
			strings.Join(store.ToppedTables(), " and "), name, result).At("top").WithHint("--limit %d shows its first rows", top)
	}
	return a.streamed(ctx, t, result, limit)
}

// streamed shows a table while it is read.
func (a *app) streamed(ctx context.Context, t *store.Shown, name string, limit int) error {
	out := render.Table{Name: name, Columns: t.Columns, Least: summary.Least(name)}
	out.Each = func(use func(row []any) error) error { return t.Each(ctx, limit, use) }
	if a.Tabular() && slices.Contains([]string{schema.Features, schema.PathFeatures, schema.Clusters, schema.Limits, schema.Models}, name) {
		var err error
		if out, err = summary.WithValues(out); err != nil {
			return err
		}
	}
	return a.WriteFirst(out, t.Rows, limit, summary.AllRows)
}

// show shows a table of a run; "" stands for the one that tells most.
// Of one of store.ToppedTables it shows the top rows; 0: all.
func (a *app) show(ctx context.Context, db *store.DB, run, table string, top, limit int) error {
	if table == "params" || table == "" {
		stored, err := db.LoadModel(ctx, run)
		if table == "" && store.IsGrouped(err) {
			return a.show(ctx, db, run, schema.Models, 0, limit)
		}
		if err != nil {
			return err
		}
		switch {
		case table == "" && stored.StopReason == result.Unfinished:
			return a.show(ctx, db, run, schema.Progress, 0, limit)
		case table == "" && stored.IsPath():
			if err := a.show(ctx, db, run, schema.Path, 0, limit); !store.IsMissing(err) {
				return err
			}
			if err := a.show(ctx, db, run, schema.Tune, 0, limit); !store.IsMissing(err) {
				return err
			}
			return a.show(ctx, db, run, schema.Stability, 0, limit)
		case table == "":
			if stored.Approximate {
				a.Note("the fit is approximate: its start is from batches of the rows (--batch)")
			}
			return a.show(ctx, db, run, schema.Clusters, 0, limit)
		}
		return a.ShowParams(stored.Params, limit)
	}
	if !slices.Contains(help.ResultTables(), table) {
		f := framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", table).
			WithHint("it has %s", strings.Join(help.ResultTables(), ", "))
		f.Similar = framework.Closest(table, help.ResultTables())
		return f
	}
	shown := db.Shown
	if top > 0 {
		shown = func(ctx context.Context, run, table string) (*store.Shown, error) {
			return db.ShownTop(ctx, run, table, top)
		}
	}
	t, err := shown(ctx, run, table)
	if err != nil {
		return err
	}
	return a.streamed(ctx, t, table, limit)
}
