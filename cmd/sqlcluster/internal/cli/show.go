package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// shownRows is how many rows of a table people are shown, unless they ask for
// more.
const shownRows = 1000

func (a *app) showCommand() *cobra.Command {
	limit := 0
	c := &cobra.Command{
		Use:   "show RUN [TABLE]",
		Short: "Show a result table of a run",
		Long: `Show a result table of a run. TABLE is one of
` + wrapped(shownTables(), ",", helpWidth) + `.
Without it, the clusters of a fit are shown, or the values of a path or of a
tuning without a fit. params are the parameters of the run, each with the place
it came from; sqlcluster help tables explains the others. Columns of features that
have no value in any row are left out with -o table.
RUN may also be a table that predict or pairs suggest wrote, which is then shown.
With -o table the first 1000 rows are shown, with every other format all of them;
--limit changes that. Rows are written as they are read, so that a table may be
of any size.`,
		Example: `  sqlcluster show segments features --db shop.duckdb -o csv`,
		Args:    takes("RUN", "[TABLE]"),
		RunE: func(c *cobra.Command, args []string) error {
			table := ""
			if len(args) == 2 {
				table = args[1]
			}
			most, err := a.rowLimit(limit)
			if err != nil {
				return err
			}
			return a.withRuns(c.Context(), "show", false, func(db *store.DB) error { return a.showNamed(c.Context(), db, args[0], table, most) })
		},
	}
	c.Flags().IntVar(&limit, "limit", shownRows, "maximum `number` of rows to show; 0: all (formats other than table show all unless it is given)")
	in(c.Flags(), groupOutput, "limit")
	return c
}

// rowLimit returns how many rows are shown, 0 for all.
func (a *app) rowLimit(limit int) (int, error) {
	switch {
	case limit < 0:
		return 0, framework.Faultf(framework.Usage, "bad-flag", "--limit is %d; it must not be negative", limit).At("limit").WithHint("0 shows all rows")
	case a.origins["limit"] == "default" && a.settings.output != "table":
		return 0, nil
	}
	return limit, nil
}

// hidden says to people how many rows of a table were not shown.
func (a *app) hidden(rows, limit int, remedy string) {
	if limit == 0 || rows <= limit || a.settings.output != "table" {
		return
	}
	_, _ = fmt.Fprintf(a.out, "… and %s; %s\n", job.Counted(rows-limit, "more row", "more rows"), remedy)
}

// shownTables are what show takes: the result tables, and params.
func shownTables() []string { return append(schema.Names(), "params") }

// wrapped joins words in lines of at most the given width, with a separator behind
// all but the last.
func wrapped(words []string, separator string, width int) string {
	var b strings.Builder
	at := 0
	for i, word := range words {
		if i < len(words)-1 {
			word += separator
		}
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && at+1+n > width:
			b.WriteString("\n")
			at = 0
		case i > 0:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
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

// showNamed shows a table of a run, or a table that predict or pairs suggest wrote,
// which is only one, whatever table was asked for.
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
	if a.settings.output == "table" && (name == schema.Features || name == schema.PathFeatures) {
		var err error
		if out, err = withValues(out); err != nil {
			return err
		}
	}
	return a.shown(out, t.Rows, limit)
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
			return a.show(ctx, db, run, schema.Tune, limit)
		case table == "":
			return a.show(ctx, db, run, schema.Clusters, limit)
		}
		rows, err := paramRows(stored.Params)
		if err != nil {
			return &framework.Fault{Class: framework.Data, Code: "run-damaged", Summary: "the parameters of the run cannot be read", Err: err}
		}
		return a.shown(render.Table{Name: "params", Columns: []string{"parameter", "value", "origin"}, Rows: rows[:most(len(rows), limit)]}, len(rows), limit)
	}
	if !slices.Contains(shownTables(), table) {
		f := framework.Faultf(framework.Usage, "result-table-unknown", "a run has no table %q", table).
			WithHint("it has %s", joined(shownTables()))
		f.Similar = framework.Closest(table, shownTables())
		return f
	}
	t, err := db.Shown(ctx, run, table)
	if err != nil {
		return err
	}
	return a.streamed(ctx, t, table, limit)
}

// withValues leaves out the columns that are NULL in all rows: much of what features
// have is of some algorithms only.
func withValues(t render.Table) (render.Table, error) {
	var rows [][]any
	err := t.Each(func(row []any) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	if err != nil || len(rows) == 0 {
		return t, err
	}
	out := render.Table{Name: t.Name, Rows: make([][]any, len(rows))}
	for i, name := range t.Columns {
		if !slices.ContainsFunc(rows, func(row []any) bool { return row[i] != nil }) {
			continue
		}
		out.Columns = append(out.Columns, name)
		for j, row := range rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out, nil
}

// shown writes a table, and says how many of its rows are missing.
func (a *app) shown(t render.Table, rows, limit int) error {
	if err := render.Write(a.out, a.settings.output, t); err != nil {
		return err
	}
	a.hidden(rows, limit, "--limit 0 or -o csv shows all")
	return nil
}

// most returns the number of rows that are shown.
func most(rows, limit int) int {
	if limit == 0 {
		return rows
	}
	return min(rows, limit)
}
