package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

func (a *app) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check RELATION",
		Short: "Check everything that fit would, and write nothing",
		Long: `Read the relation and check it and all flags as fit would, without clustering.
The result lists the features, how each would be scaled, and what is left out.`,
		Example: `  sqlcluster check wine.csv --id id --exclude class -a skfr -k 3 --sparsity 6`,
		Args:    takes("RELATION"),
		RunE:    func(c *cobra.Command, args []string) error { return a.check(c, args[0]) },
	}
	a.settings.addReading(c.Flags())
	a.settings.addFitting(c.Flags())
	a.settings.addWriting(c.Flags(), "check that tables NAME_... can be written to --db: `NAME` or SCHEMA.NAME")
	addParams(c.Flags())
	_ = c.RegisterFlagCompletionFunc("algorithm", completeAlgorithms)
	return c
}

func (a *app) check(c *cobra.Command, relation string) error {
	ctx := c.Context()
	b, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { b.Close(); _ = db.Close() }()
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	if err := b.Check(ctx); err != nil {
		return err
	}
	a.notes(b.Notes)
	if a.settings.output == "table" {
		_, _ = fmt.Fprintf(a.out, "%s: %s can be fitted\n\n", b.Algorithm.Name, b.Size())
	}
	return render.Write(a.out, a.settings.output, checkTable(b))
}

// checkTable lists features, and columns that are none. There are columns for
// groups where there are groups.
func checkTable(b *job.Job) render.Table {
	t := render.Table{Name: "columns", Columns: []string{"column", "use", "location", "scale", "nulls"}}
	if b.Problem.Groups != nil {
		t.Columns = append(t.Columns, "group", "group weight")
	}
	add := func(row []any, group ...any) {
		if b.Problem.Groups != nil {
			row = append(row, group...)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, f := range b.Recipe.Features {
		use := "feature"
		switch {
		case b.IsEmpty(f):
			use = "no values"
		case f.Constant:
			use = "constant"
		case f.IsCategory():
			use = "category"
		}
		var group []any
		if b.Problem.Groups != nil {
			g := b.Problem.Groups[f.Group]
			group = []any{g.Name, weightOf(g.Weight)}
		}
		add([]any{f.Name, use, f.Location, f.Scale, f.Missing}, group...)
	}
	for _, e := range b.Table.Excluded {
		add([]any{e.Name, "left out: " + framework.Say(e.Why, flagText), nil, nil, nil}, nil, nil)
	}
	return t
}

// weightOf writes the weight of a group; NULL if none was given.
func weightOf(w float64) any {
	if math.IsNaN(w) {
		return nil
	}
	return w
}
