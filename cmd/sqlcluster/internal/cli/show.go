package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN [TABLE]",
		Short: "Show a result table of a run",
		Long: `Show a result table of a run. TABLE is one of
` + wrapped(shownTables(), 80) + `.
Without it, the clusters of a fit are shown, or the values of a path or of a
tuning without a fit. params are the parameters of the run, each with the place
it came from; sqlcluster help tables explains the others.`,
		Example: `  sqlcluster show segments features --db shop.duckdb -o csv`,
		Args:    takes("RUN", "[TABLE]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return shownTables(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			table := ""
			if len(args) == 2 {
				table = args[1]
			}
			return a.withRuns(c.Context(), "show", false, func(db *store.DB) error { return a.show(c.Context(), db, args[0], table) })
		},
	}
}

// shownTables are what show takes: the result tables, and params.
func shownTables() []string { return append(schema.Names(), "params") }

// wrapped joins names in lines of at most the given width.
func wrapped(names []string, width int) string {
	var b strings.Builder
	at := 0
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		switch {
		case i > 0 && at+1+len(name) > width:
			b.WriteString("\n")
			at = 0
		case i > 0:
			b.WriteString(" ")
			at++
		}
		b.WriteString(name)
		at += len(name)
	}
	return b.String()
}

// withRuns opens --db for a command about runs.
func (a *app) withRuns(ctx context.Context, command string, write bool, work func(*store.DB) error) error {
	if a.settings.db == "" {
		return needsDB(command)
	}
	db, err := a.openExisting(ctx, write)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return work(db)
}

// show shows a table of a run; "" stands for the one that tells most.
func (a *app) show(ctx context.Context, db *store.DB, run, table string) error {
	if table == "params" || table == "" {
		stored, err := db.LoadModel(ctx, run)
		if err != nil {
			return err
		}
		switch {
		case table == "" && stored.IsPath():
			if err := a.show(ctx, db, run, schema.Path); !store.IsMissing(err) {
				return err
			}
			return a.show(ctx, db, run, schema.Tune)
		case table == "":
			return a.show(ctx, db, run, schema.Clusters)
		}
		rows, err := paramRows(stored.Params)
		if err != nil {
			return &framework.Fault{Class: framework.Data, Code: "run-damaged", Summary: "the parameters of the run cannot be read", Err: err}
		}
		return render.Write(a.out, a.settings.output, render.Table{Name: "params", Columns: []string{"parameter", "value", "origin"}, Rows: rows})
	}
	if !slices.Contains(shownTables(), table) {
		f := framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", table).
			WithHint("it has %s", joined(shownTables()))
		f.Similar = framework.Closest(table, shownTables())
		return f
	}
	columns, rows, err := db.Show(ctx, run, table)
	if err != nil {
		return err
	}
	if table == schema.Features {
		byRank(columns, rows)
	}
	return render.Write(a.out, a.settings.output, render.Table{Name: table, Columns: columns, Rows: rows})
}

// byRank puts the most useful features first, cluster by cluster.
func byRank(columns []string, rows [][]any) {
	cluster, rank := slices.Index(columns, "cluster"), slices.Index(columns, "rank")
	number := func(v any) int64 {
		if n, ok := v.(int64); ok {
			return n
		}
		return -1
	}
	slices.SortStableFunc(rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(number(a[cluster]), number(b[cluster])), cmp.Compare(number(a[rank]), number(b[rank])))
	})
}
