package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) runsCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "runs",
		SuggestFor: []string{"list", "ls"},
		Short:      "List runs, and the tables of predict, pairs suggest and score",
		Example:    `  sqlcluster runs --db shop.duckdb`,
		Args:       help.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withRuns(c.Context(), "runs", false, func(db *store.DB) error { return a.runs(c.Context(), db) })
		},
	}
}

func (a *app) runs(ctx context.Context, db *store.DB) error {
	runs, err := db.Runs(ctx)
	if err != nil {
		return err
	}
	t := render.Table{Name: "runs", Columns: []string{"run", "algorithm", "n", "p", "k", "objective", "converged", "source"}}
	grouped := slices.ContainsFunc(runs, func(r store.RunInfo) bool { return r.Groups > 0 })
	for _, r := range runs {
		t.Rows = append(t.Rows, []any{r.Name, r.Fit.Algorithm, r.Fit.N, r.Fit.P, r.Fit.K, r.Fit.Objective, r.Fit.Converged, r.Fit.Source})
		if !grouped {
			continue
		}
		models := any(nil)
		if r.Groups > 0 {
			models = r.Groups
		}
		t.Rows[len(t.Rows)-1] = append(t.Rows[len(t.Rows)-1], models)
	}
	if grouped {
		t.Columns = append(t.Columns, "models")
	}
	if len(runs) == 0 {
		a.Note("there are no runs in %s; a fit with --into makes one", a.Flags.DB)
	}
	return a.withWritten(ctx, db, t)
}

// withWritten writes the runs, and what predict, pairs suggest and score have
// written where a second table is possible.
func (a *app) withWritten(ctx context.Context, db *store.DB, runs render.Table) error {
	if a.Flags.Output == "csv" || a.Flags.Output == "jsonl" {
		return a.Write(runs)
	}
	found, err := db.Written(ctx)
	if err != nil {
		return err
	}
	t := render.Table{Name: "tables", Columns: []string{"table", "kind", "run", "rows"}}
	for _, p := range found {
		var run any
		if p.Run != "" {
			run = p.Run
		}
		t.Rows = append(t.Rows, []any{p.Name, p.Kind, run, p.Rows})
	}
	if a.Flags.Output == "json" {
		return a.Write(runs, t)
	}
	if err := a.Write(runs); err != nil || len(found) == 0 {
		return err
	}
	fmt.Fprintln(a.Out)
	return a.Write(t)
}

func (a *app) dropCommand() *cobra.Command {
	c := &cobra.Command{
		Use:        "drop RUN",
		SuggestFor: []string{"delete", "remove", "rm"},
		Short:      "Remove the tables of a run, or a table that predict wrote",
		Long: `Remove all tables of a run; or a table that predict, pairs suggest or score
wrote, which is known by its columns and its comment. No other table is ever
removed. With --engine the tables are removed, too, that the run has where its rows are.`,
		Example: `  sqlcluster drop segments --db shop.duckdb`,
		Args:    help.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withRuns(c.Context(), "drop", true, func(db *store.DB) error { return a.drop(c.Context(), db, args[0]) })
		},
	}
	a.Flags.AddEngine(c.Flags())
	return c
}
