package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
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
	return c
}

func (a *app) check(c *cobra.Command, relation string) error {
	ctx := c.Context()
	p, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { p.close(); _ = db.Close() }()
	if err := a.load(ctx, db, relation, p); err != nil {
		return err
	}
	for _, n := range p.notes {
		a.note("note: %s", n)
	}
	t := render.Table{Name: "columns", Columns: []string{"column", "use", "location", "scale", "nulls"}}
	for _, f := range p.recipe.Features {
		use := "feature"
		switch {
		case p.isEmpty(f):
			use = "no values"
		case f.Constant:
			use = "constant"
		}
		t.Rows = append(t.Rows, []any{f.Name, use, f.Location, f.Scale, f.Missing})
	}
	for _, e := range p.table.Excluded {
		t.Rows = append(t.Rows, []any{e.Name, "left out: " + e.Why, nil, nil, nil})
	}
	if a.settings.output == "table" {
		_, _ = fmt.Fprintf(a.out, "%s: %s can be fitted\n\n", p.description.Name, p.size())
	}
	return render.Write(a.out, a.settings.output, t)
}
