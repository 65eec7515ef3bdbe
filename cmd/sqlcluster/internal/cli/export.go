package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) exportCommand() *cobra.Command {
	o, file := export.Options{}, ""
	c := &cobra.Command{
		Use:   "export RUN",
		Short: "Write the prediction of a run as plain SQL, for other databases",
		Long: `Write SQL that labels rows as predict does, and needs nothing but the database that
runs it. The text has the model in it: the centers, the scales of columns, the
categories, and only the columns that tell the clusters apart.

--as sql writes a query that adds the column cluster to a table, and --as macro
statements that make functions: RUN_cluster(COLUMN, ...), and in DuckDB also
RUN_predict(TABLE). A row that lacks the columns that count gets NULL. With
--distance, the distance to the center is written, too. It is over all columns of
the model, which the table must have then.`,
		Example: `  sqlcluster export segments --db shop.duckdb --from new_customers
  sqlcluster export segments --db shop.duckdb --as macro \
    --dialect postgres -o segments.sql`,
		Args: help.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Unseen = matrix.Unseen(a.Flags.Unseen)
			return a.withRuns(c.Context(), "export", false, func(db *store.DB) error {
				return a.export(c.Context(), db, args[0], o, file)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.As, "as", export.Query, "`form` of the SQL: sql (a query), macro (functions)")
	f.StringVar(&o.Dialect, "dialect", export.DuckDB, "`database` that it is for: duckdb, postgres, clickhouse")
	f.StringVar(&o.From, "from", "", "`table` whose rows --as sql labels, as the SQL is to have it (default: a placeholder)")
	f.StringVar(&o.Name, "name", "", "`name` that those of functions begin with (default: that of the run)")
	f.BoolVar(&o.Distance, "distance", false, "write the distance to the center, too")
	f.StringVar(&a.Flags.Unseen, "unseen", string(matrix.UnseenError),
		"categories that the model does not know: error (SQL has none: no cluster), ignore (measure the row without the column), "+
			"nearest (take the most frequent one)")
	f.StringVarP(&file, "output", "o", "", "`file` to write to (default: standard output)")
	flags.In(f, flags.GroupInput, "from", "unseen")
	a.Flags.AddModel(f)
	flags.In(f, flags.GroupOutput, "as", "dialect", "name", "distance", "output")
	for flag, of := range map[string][]string{"as": export.Forms(), "dialect": export.Dialects()} {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
	return c
}

func (a *app) export(ctx context.Context, db *store.DB, run string, o export.Options, file string) error {
	m, err := model.Load(ctx, a.Flags.Library(), db, run, "export that")
	if err != nil {
		return err
	}
	text, err := export.Text(m, o)
	if err != nil {
		return err
	}
	if !a.Flags.IsGiven("output") { // configuration speaks of the format of tables
		_, err = io.WriteString(a.Out, text)
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return &framework.Fault{Class: framework.Internal, Code: "file-not-written", Summary: "the SQL cannot be written", Err: err}
	}
	a.Note("written to %s", file)
	return nil
}
