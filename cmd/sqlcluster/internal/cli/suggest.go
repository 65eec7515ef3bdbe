package cli

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/suggest"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// suggestSettings are the flags of pairs suggest alone.
type suggestSettings struct {
	method string
	count  int
}

func (a *app) pairsCommand() *cobra.Command {
	c := &cobra.Command{Use: "pairs", Short: "Suggest pairs of rows to ask a person about", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(a.suggestCommand())
	return c
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
		Args: takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.suggest(c.Context(), s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.method, "method", suggest.Consolidate, "which rows come next: "+joined(suggest.Methods()))
	f.IntVar(&s.count, "count", 10, "maximum `number` of pairs")
	in(f, groupModel, "method", "count")
	a.settings.addReading(f)
	a.settings.addColumns(f)
	f.Lookup("scale").Usage = "how columns are scaled: sd, sd_n, robust, none (centered only), raw (default: " + job.Paired.Scale + ")"
	a.settings.addWriting(f, "write the pairs to `TABLE` of --db")
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(suggest.Methods(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) suggest(ctx context.Context, s suggestSettings, relation string) error {
	b, err := job.NewQuestions(a.of(relation), s.method, s.count)
	if err != nil {
		return err
	}
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { b.Close(); _ = db.Close() }()
	if err := a.checkAsked(ctx, db, relation); err != nil {
		return err
	}
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	all, err := b.Ask(ctx, s.method, s.count)
	if err != nil {
		return err
	}
	a.notes(b.Notes)
	if a.settings.into == "" {
		return render.Write(a.out, a.settings.output, suggestionTable(b.Table, all))
	}
	if err := db.WriteSuggestions(ctx, a.settings.into, a.settings.replace, b.Table.Keys, all); err != nil {
		return err
	}
	a.stored = a.settings.db
	a.note("%s to be labelled; written to the table %s of %s", job.Counted(len(all), "pair", "pairs"), a.settings.into, a.settings.db)
	a.note("next: fill in its column kind, and give the table to --pairs")
	return nil
}

// checkAsked looks at the table that would be written: what is read may not be
// replaced, least of all answers.
func (a *app) checkAsked(ctx context.Context, db *store.DB, relation string) error {
	if a.settings.into == "" {
		return nil
	}
	if err := db.CheckSuggestions(ctx, a.settings.into, a.settings.replace); err != nil || !a.settings.replace {
		return err
	}
	if a.settings.Pairs != "" {
		if err := db.CheckNotRead(ctx, a.settings.Pairs, framework.Setting("pairs"), a.settings.into, false); err != nil {
			return err
		}
	}
	return db.CheckNotRead(ctx, relation, framework.Setting("relation"), a.settings.into, false)
}

// suggestionTable lists the pairs.
func suggestionTable(t *input.Table, all []result.Suggestion) render.Table {
	table := render.Table{Name: schema.Suggestions, Columns: schema.ColumnNames(schema.Suggestions), Prose: true}
	for _, s := range all {
		table.Rows = append(table.Rows, []any{t.Keys.Value(s.A), t.Keys.Value(s.B), nil, s.Weight, s.Why})
	}
	return table
}
