package cli

import (
	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check RELATION",
		Short: "Check everything that fit would, and write nothing",
		Long: `Read the relation and check it and all flags as fit would, without clustering.
The result lists the features, how each would be scaled, and what is left out.
With --by region, it has a row for each region: whether it can be fitted, its rows,
and the columns that have one value there, or none.`,
		Example: `  sqlcluster check wine.csv --id id --exclude class -a skfr -k 3 --sparsity 6`,
		Args:    help.Takes("RELATION"),
		RunE:    func(c *cobra.Command, args []string) error { return a.check(c, args[0]) },
	}
	a.Flags.AddFit(c.Flags(), "check that tables NAME_... can be written to --db: `NAME` or SCHEMA.NAME")
	return c
}

func (a *app) check(c *cobra.Command, relation string) error {
	ctx := c.Context()
	if a.Flags.Engine != "" {
		return a.checkThere(c, relation)
	}
	if err := a.checkNotThere(); err != nil {
		return err
	}
	if len(a.Flags.By) > 0 {
		return a.checkGroups(c, relation)
	}
	b, err := a.newJob(c, relation)
	if err != nil {
		return err
	}
	defer b.Close()
	db, err := a.openTarget(ctx, relation, (*store.DB).CheckTarget, schema.Names()...)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	if err := b.Check(ctx); err != nil {
		return err
	}
	a.Notes(b.Notes)
	return a.ShowCheck(b)
}
