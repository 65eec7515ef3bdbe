package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
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
column, rows are numbered. sqlcluster drop removes the table of --into.`,
		Example: `  sqlcluster predict segments new_customers --db shop.duckdb \
    --into new_segments`,
		Args: takes("RUN", "RELATION"),
		RunE: func(c *cobra.Command, args []string) error {
			return swapped(a.predict(c.Context(), args[0], args[1]), args[0])
		},
	}
	a.settings.addReading(c.Flags()) // the model says which columns it needs
	a.settings.addWriting(c.Flags(), "write the labels to this table of --db: `NAME` or SCHEMA.NAME")
	c.Flags().StringVar(&a.settings.unseen, "unseen", "error", "categories that the model does not know: error, ignore (measure the row without the column), nearest (take the most frequent one)")
	in(c.Flags(), groupInput, "unseen")
	return c
}

// swapped adds to the fault of a run that is not there what is meant, where its name
// is a file or a query.
func swapped(err error, run string) error {
	if f := framework.AsFault(err); f != nil && f.Code == "run-not-found" && readable(run) {
		f.Similar, f.Hint = "", "RUN comes first: sqlcluster predict RUN RELATION"
	}
	return err
}

func (a *app) predict(ctx context.Context, run, relation string) error {
	if a.settings.db == "" {
		return needsDB("predict")
	}
	db, err := a.openExisting(ctx, a.settings.into != "")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	m, err := a.library().Load(ctx, db, run, "predict with that")
	if err != nil {
		return err
	}
	if a.settings.into != "" && a.settings.replace {
		if err := db.CheckNotRead(ctx, relation, framework.Setting("relation"), a.settings.into, false); err != nil {
			return err
		}
	}
	p, err := m.Predict(ctx, db, a.of(relation), matrix.Unseen(a.settings.unseen))
	if err != nil {
		return err
	}
	a.notes(p.Notes)
	if a.settings.into == "" {
		return a.showAssignments(p.Assignments)
	}
	if err := db.WriteAssignments(ctx, a.settings.into, a.settings.replace, p.Assignments); err != nil {
		return err
	}
	a.stored = a.settings.db
	a.note("%s labelled; written to the table %s of %s", job.Counted(p.Assignments.Keys.Len(), "row", "rows"), a.settings.into, a.settings.db)
	return nil
}

// showAssignments prints labels; people see the first of them.
func (a *app) showAssignments(r result.Assignments) error {
	limit := 0
	if a.settings.output == "table" {
		limit = shownRows
	}
	if err := render.Write(a.out, a.settings.output, assignmentTable(r, limit)); err != nil {
		return err
	}
	a.hidden(r.Len(), limit, "-o csv shows all, --into TABLE writes them to --db")
	return nil
}

// assignmentTable lists the rows as the table of assignments does, those that
// were left out at the end; at most limit of them, or all if that is 0.
func assignmentTable(r result.Assignments, limit int) render.Table {
	t := render.Table{Name: "assignments", Columns: []string{r.KeyName, "cluster", "distance", "second_cluster", "margin", "status"}}
	t.Each = func(use func(row []any) error) error {
		row := make([]any, len(t.Columns))
		for i := range most(r.Len(), limit) {
			if at := i - len(r.Labels); at >= 0 {
				row = append(row[:0], r.Dropped.Value(at), nil, nil, nil, nil, r.Status)
			} else {
				j := int(r.Labels[i])
				row = append(row[:0], r.Keys.Value(i), clusterOrNil(j), r.Distance[i], clusterOrNil(int(r.Second[i])), r.Margin[i], nil)
				if j < 0 {
					row[5] = r.Unlabelling()
				}
			}
			if err := use(row); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

func needsDB(command string) error {
	return framework.Faultf(framework.Usage, "no-database", "%s needs a database", command).
		At("db").WithHint("name it: --db FILE")
}
