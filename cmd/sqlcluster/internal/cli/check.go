package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
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
	p, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { p.close(); _ = db.Close() }()
	if err := a.load(ctx, db, relation, p); err != nil {
		return err
	}
	if p.algorithm.built == nil {
		_, done, err := p.algorithm.open(ctx, a.settings.process(), p.sent(), p.data)
		if err != nil {
			return err
		}
		done()
	}
	for _, n := range p.notes {
		a.note("note: %s", n)
	}
	t := checkTable(p)
	if a.settings.output == "table" {
		_, _ = fmt.Fprintf(a.out, "%s: %s can be fitted\n\n", p.description.Name, p.size())
	}
	return render.Write(a.out, a.settings.output, t)
}

// checkTable lists features, and columns that are none. There are columns for
// groups where there are groups.
func checkTable(p *prepared) render.Table {
	t := render.Table{Name: "columns", Columns: []string{"column", "use", "location", "scale", "nulls"}}
	if p.problem.Groups != nil {
		t.Columns = append(t.Columns, "group", "group weight")
	}
	add := func(row []any, group ...any) {
		if p.problem.Groups != nil {
			row = append(row, group...)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, f := range p.recipe.Features {
		use := "feature"
		switch {
		case p.isEmpty(f):
			use = "no values"
		case f.Constant:
			use = "constant"
		case f.IsCategory():
			use = "category"
		}
		var group []any
		if p.problem.Groups != nil {
			g := p.problem.Groups[f.Group]
			group = []any{g.Name, weightOf(g.Weight)}
		}
		add([]any{f.Name, use, f.Location, f.Scale, f.Missing}, group...)
	}
	for _, e := range p.table.Excluded {
		add([]any{e.Name, "left out: " + framework.Say(e.Why, flagText), nil, nil, nil}, nil, nil)
	}
	return t
}
