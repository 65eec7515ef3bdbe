package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// fitSeveral fits by several algorithms. All results are written in one transaction.
func (a *app) fitSeveral(c *cobra.Command, relation string) error {
	ctx := c.Context()
	if len(a.Flags.CPUProfile)+len(a.Flags.Trace) > 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "a profile is of one algorithm").At("algorithm").WithHint("name one")
	}
	if len(a.Flags.By) > 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "several algorithms are compared on one set of rows, and --by makes several").
			At("by").
			WithHint("name one algorithm, or leave out --by")
	}
	settings, err := a.Flags.FitJobs(c.Flags(), relation)
	if err != nil {
		return err
	}
	all, err := job.NewSeveral(settings, a.Flags.Library())
	if err != nil {
		return a.Flags.SayParam(err)
	}
	defer all.Close()
	all.Jobs[0].Launch(ctx) // while the database is opened
	into := a.Flags.Into
	nameOf := func(algorithm string) string { return into + "_" + algorithm }
	check := func(db *store.DB, ctx context.Context, _ string, replace bool) error {
		defer func() { a.Flags.Into = into }()
		for _, s := range settings {
			a.Flags.Into = nameOf(s.Algorithm)
			if err := db.CheckTarget(ctx, a.Flags.Into, replace); err != nil {
				return err
			}
			if err := a.checkNotRead(ctx, db, relation, schema.Names()...); err != nil {
				return err
			}
		}
		return nil
	}
	db, err := a.openTarget(ctx, relation, check)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	err = a.Stage("fitting", func(say func(string, ...any)) error {
		return all.Run(ctx, db, func(b *job.Job) { say("%s", b.Algorithm.Name) })
	})
	if err != nil {
		return err
	}
	write := func(ctx context.Context, _ string, replace bool, s *job.Several) error {
		return db.Transaction(ctx, func() error {
			for i, t := range s.Tables {
				if err := db.Write(ctx, nameOf(settings[i].Algorithm), replace, t); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := written(ctx, a, write, all); err != nil {
		return err
	}
	if err := a.ShowSeveral(all); err != nil {
		return err
	}
	for _, f := range all.Fitted {
		if a.Flags.Strict && !f.Converged {
			return errNotConverged
		}
	}
	return nil
}
