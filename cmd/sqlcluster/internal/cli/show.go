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
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) showCommand() *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:   "show RUN [TABLE]",
		Short: "Show a result table of a run",
		Long: `Show a result table of a run. TABLE is one of
` + help.Wrapped(help.ResultTables(), ",", help.Width) + `.
Without it, the clusters of a fit are shown, or the values of a path or of a
tuning without a fit. params are the parameters of the run, each with the place
it came from; sqlcluster help tables explains the others. Columns of features that
have no value in any row are left out with -o table.
RUN may also be a table that predict, pairs suggest or score wrote, which is then
shown.
With -o table the first 1000 rows are shown, with every other format all of them;
--limit changes that. Rows are written as they are read, so that a table may be
of any size.`,
		Example: `  sqlcluster show segments features --db shop.duckdb -o csv`,
		Args:    help.Takes("RUN", "[TABLE]"),
		RunE: func(c *cobra.Command, args []string) error {
			most, err := a.rowLimit(limit)
			if err != nil {
				return err
			}
			return a.withRuns(c.Context(), "show", false, func(db *store.DB) error {
				return a.showNamed(c.Context(), db, args[0], strings.Join(args[1:], ""), most)
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", summary.ShownRows,
		"maximum `number` of rows to show; 0: all (formats other than table show all unless it is given)")
	flags.In(c.Flags(), flags.GroupOutput, "limit")
	return c
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
func (a *app) showNamed(ctx context.Context, db *store.DB, name, table string, limit int) error {
	none := a.show(ctx, db, name, table, limit)
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
	return a.streamed(ctx, t, result, limit)
}

// streamed shows a table while it is read.
func (a *app) streamed(ctx context.Context, t *store.Shown, name string, limit int) error {
	out := render.Table{Name: name, Columns: t.Columns}
	out.Each = func(use func(row []any) error) error { return t.Each(ctx, limit, use) }
	if a.Tabular() && (name == schema.Features || name == schema.PathFeatures) {
		var err error
		if out, err = summary.WithValues(out); err != nil {
			return err
		}
	}
	return a.WriteFirst(out, t.Rows, limit, summary.AllRows)
}

// show shows a table of a run; "" stands for the one that tells most.
func (a *app) show(ctx context.Context, db *store.DB, run, table string, limit int) error {
	if table == "params" || table == "" {
		stored, err := db.LoadModel(ctx, run)
		if err != nil {
			return err
		}
		switch {
		case table == "" && stored.IsPath():
			if err := a.show(ctx, db, run, schema.Path, limit); !store.IsMissing(err) {
				return err
			}
			if err := a.show(ctx, db, run, schema.Tune, limit); !store.IsMissing(err) {
				return err
			}
			return a.show(ctx, db, run, schema.Stability, limit)
		case table == "":
			if stored.Approximate {
				a.Note("the fit is approximate: its start is from batches of the rows (--batch)")
			}
			return a.show(ctx, db, run, schema.Clusters, limit)
		}
		return a.ShowParams(stored.Params, limit)
	}
	if !slices.Contains(help.ResultTables(), table) {
		f := framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", table).
			WithHint("it has %s", strings.Join(help.ResultTables(), ", "))
		f.Similar = framework.Closest(table, help.ResultTables())
		return f
	}
	t, err := db.Shown(ctx, run, table)
	if err != nil {
		return err
	}
	return a.streamed(ctx, t, table, limit)
}
