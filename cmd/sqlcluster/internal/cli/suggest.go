package cli

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework/suggest"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// suggestSettings are the flags of pairs suggest alone.
type suggestSettings struct {
	method string
	count  int
}

func (a *app) pairsCommand() *cobra.Command {
	return group("pairs", "Suggest pairs of rows to ask a person about", a.suggestCommand())
}

func (a *app) suggestCommand() *cobra.Command {
	var s suggestSettings
	c := &cobra.Command{
		Use:   "suggest RELATION",
		Short: "Suggest pairs of rows to ask a person about next",
		Long: `Suggest the pairs of rows for which it is most useful to know whether they belong
together. Rows that --pairs joins are neighbourhoods. As long as fewer than k of
them are known to be apart, the row farthest from all others that were asked about
is compared with each (exploring); then rows are compared with the neighbourhoods
that they may belong to, the nearest first: random ones (consolidate), or always
the one farthest from all neighbourhoods (minmax).
Fill in the column kind with must or cannot, from top to bottom; after a must, the
other pairs of the same row a need no answer. Pairs whose kind stays NULL are left
out when the table is given to --pairs. With --into TABLE they are written to it.`,
		Example: `  sqlcluster pairs suggest ionosphere.csv --id id --exclude class -k 2 \
    --count 20 --db iono.duckdb --into asked
  sqlcluster pairs suggest ionosphere.csv --id id --exclude class -k 2 \
    --pairs asked --db iono.duckdb --into asked_2`,
		Args: help.Takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.suggest(c.Context(), s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.method, "method", suggest.Consolidate, "which rows come next: "+strings.Join(suggest.Methods(), ", "))
	f.IntVar(&s.count, "count", 10, "maximum `number` of pairs")
	flags.In(f, flags.GroupModel, "method", "count")
	a.Flags.AddReading(f)
	a.Flags.AddColumns(f)
	f.Lookup("scale").Usage = "how columns are scaled: sd, sd_n, robust, none (centered only), raw (default: " + job.Paired.Scale + ")"
	a.Flags.AddWriting(f, "write the pairs to `TABLE` of --db")
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(suggest.Methods(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) suggest(ctx context.Context, s suggestSettings, relation string) error {
	b, err := job.NewQuestions(a.Flags.Job(relation), s.method, s.count)
	if err != nil {
		return err
	}
	db, err := a.openTarget(ctx, relation, (*store.DB).CheckSuggestions)
	if err != nil {
		return err
	}
	defer func() { b.Close(); _ = db.Close() }()
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	all, err := b.Ask(ctx, s.method, s.count)
	if err != nil {
		return err
	}
	a.Notes(b.Notes)
	if a.Flags.Into == "" {
		return a.ShowSuggestions(b.Table, all)
	}
	write := func(ctx context.Context, into string, replace bool, all []result.Suggestion) error {
		return db.WriteSuggestions(ctx, into, replace, b.Table.Keys, all)
	}
	if err := written(ctx, a, write, all); err != nil {
		return err
	}
	a.WrittenTo(input.Counted(len(all), "pair", "pairs")+" to be labelled", a.Flags.Into)
	a.Note("next: fill in its column kind, and give the table to --pairs")
	return nil
}
