package cli

import (
	"context"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/sql/store"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

func (a *app) predictCommand() *cobra.Command {
	c := &cobra.Command{
		Use:        "predict RUN RELATION",
		SuggestFor: []string{"assign", "label"},
		Short:      "Label new rows with the clusters of a run",
		Long: `Label each row of a relation with the nearest center of a run. The columns of the
model are found by name; those that do not tell its clusters apart (not selected,
or constant) may be missing. A row with NULLs is measured over the columns it has,
and a row that has none of those that matter gets no cluster. A category that no fitted row had
is an error, unless --unseen says what to do. The row key is the column that was
the key of the run, unless --id names another one; where the relation has no such
column, rows are numbered. sqlcluster drop removes the table of --into.
Rows of a run with --by are labelled by the model of their group, unless --model
chooses one for all. With --engine the rows stay where they are.`,
		Example: `  sqlcluster predict segments new_customers --db shop.duckdb \
    --into new_segments`,
		Args: func(c *cobra.Command, args []string) error {
			return help.Takes("RUN", "RELATION")(c, a.takeLevel(args))
		},
		RunE: func(c *cobra.Command, args []string) error {
			args = a.takeLevel(args)
			err := a.withRuns(c.Context(), "predict", a.Flags.Into != "", func(db *store.DB) error {
				return a.predict(c.Context(), db, args[0], args[1])
			})
			return swapped(err, args[0])
		},
	}
	a.Flags.AddReading(c.Flags()) // the model says which columns it needs
	a.Flags.AddEngine(c.Flags())
	a.Flags.AddWriting(c.Flags(), "write the labels to this table of --db: `NAME` or SCHEMA.NAME")
	a.Flags.AddDistances(c.Flags())
	c.Flags().BoolVar(&a.Flags.Enforce, "enforce", false, "keep the limits of clusters that the fit had, for all rows together")
	a.Flags.AddModel(c.Flags())
	c.Flags().StringVar(&a.Flags.Unseen, "unseen", "error",
		"categories that the model does not know: error, ignore (measure the row without the column), nearest (take the most frequent one)")
	c.Flags().StringVar(&a.Flags.Flag, "flag", "",
		"rows farther from all centers than this `share` of the fitted rows are outliers: as in 0.99; without it, that of the fit's --trim")
	c.Flags().Lookup("flag").NoOptDefVal = model.TrimLevel
	flags.In(c.Flags(), flags.GroupInput, "unseen", "enforce")
	flags.In(c.Flags(), flags.GroupModel, "flag")
	return c
}

// takeLevel takes the level of --flag out of the arguments, where it is alone because
// the flag can do without.
func (a *app) takeLevel(args []string) []string {
	at := slices.IndexFunc(args, func(arg string) bool {
		_, err := strconv.ParseFloat(arg, 64)
		return err == nil
	})
	if len(args) < 3 || at < 0 || a.Flags.Flag != model.TrimLevel && a.Flags.Flag != args[at] {
		return args
	}
	a.Flags.Flag = args[at]
	return slices.Delete(slices.Clone(args), at, at+1)
}

// swapped adds to the fault of a run that is not there what is meant, where its name
// is a file or a query.
func swapped(err error, run string) error {
	if f := framework.AsFault(err); f != nil && f.Code == "run-not-found" && help.Readable(run) {
		f.Similar, f.Hint = "", "RUN comes first: sqlcluster predict RUN RELATION"
	}
	return err
}

func (a *app) predict(ctx context.Context, db *store.DB, run, relation string) error {
	m, err := model.Load(ctx, a.Flags.Library(), db, run, "predict with that")
	if store.IsGrouped(err) && a.Flags.Engine == "" {
		return a.predictGroups(ctx, db, run, relation)
	}
	if err != nil {
		return err
	}
	if m, err = m.With(model.Extras{Flag: a.Flags.Flag, Distances: a.Flags.Distances, Enforce: a.Flags.Enforce}); err != nil {
		return err
	}
	if err := a.checkNotRead(ctx, db, relation); err != nil {
		return err
	}
	if a.Flags.Engine != "" {
		return a.predictThere(ctx, db, m, relation)
	}
	if err := a.checkNotThere(); err != nil {
		return err
	}
	s := a.Flags.Job(relation)
	p, err := m.Predict(ctx, db, s.Spec(), s.Threads, matrix.Unseen(a.Flags.Unseen))
	if err != nil {
		return err
	}
	a.Notes(p.Notes)
	if a.Flags.Into == "" {
		return a.ShowAssignments(p.Assignments)
	}
	if err := written(ctx, a, db.WriteAssignments, p.Assignments); err != nil {
		return err
	}
	a.WrittenTo(input.Counted(p.Assignments.Keys.Len(), "row", "rows")+" labelled", a.Flags.Into)
	return nil
}
