package cli

import (
	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) diffCommand() *cobra.Command {
	rows := 0
	c := &cobra.Command{
		Use:        "diff RUN RUN",
		SuggestFor: []string{"compare"},
		Short:      "Say in what two runs differ",
		Long: `Compare two fits of the same database: how far their clusters agree, which rows are
in another cluster, which features are gained and lost, and in what settings and data
the fits differ. Rows are found by their keys. Clusters have no order, so that each is
matched with one of the other run: those that have the most rows in common first.
A row has moved if its clusters are not matched. With --rows N the first N of these
are listed. -o csv and -o jsonl write these, or else the numbers of rows by cluster.`,
		Example: `  sqlcluster diff segments segments2 --db shop.duckdb --rows 10`,
		Args:    help.Takes("RUN", "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withRuns(c.Context(), "diff", false, func(db *store.DB) error {
				d, err := model.NewDiff(c.Context(), db, args[0], args[1], rows)
				if err != nil {
					return err
				}
				return a.ShowDiff(d, rows > 0)
			})
		},
	}
	c.Flags().IntVar(&rows, "rows", 0, "`number` of rows that have moved to list")
	flags.In(c.Flags(), flags.GroupOutput, "rows")
	a.Flags.AddModel(c.Flags())
	return c
}
