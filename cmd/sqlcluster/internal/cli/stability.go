package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) stabilityCommand() *cobra.Command {
	o := job.StabilityOptions{Draws: 50, Resample: job.Subsample}
	s := gridSettings{}
	c := &cobra.Command{
		Use:   "stability RUN [RELATION]",
		Short: "Say whether the clusters of a run are found again in half its rows",
		Long: `Fit a run again to rows that are drawn from its rows, many times, and say for each
cluster how well it is found again (the Jaccard coefficient, from 0 to 1), and for
each feature how often it is selected. Columns are scaled as in the run. By default
RELATION is the one that the run was fitted to; it must have the same rows.
With --into NAME the results are written to NAME_stability, NAME_stability_features,
NAME_stability_clusters and NAME_stability_draws.`,
		Example: `  sqlcluster stability segments --db shop.duckdb
  sqlcluster stability segments --db shop.duckdb --draws 100 --into sure`,
		Args: help.Takes("RUN", "[RELATION]"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.check(a); err != nil {
				return err
			}
			return a.withRuns(c.Context(), "stability", a.Flags.Into != "", func(db *store.DB) error {
				return a.stability(c.Context(), db, args[0], strings.Join(args[1:], ""), o, s)
			})
		},
	}
	f := c.Flags()
	f.IntVar(&o.Draws, "draws", o.Draws, "`number` of times that rows are drawn")
	f.StringVar(&o.Resample, "resample", o.Resample, "what is drawn: subsample (half of the rows), bootstrap (as many with replacement, "+
		"each once)")
	f.BoolVar(&s.keepPartial, "keep-partial", false, "when interrupted or after --timeout, write the draws that are done")
	flags.In(f, flags.GroupModel, "draws", "resample")
	flags.In(f, flags.GroupOutput, "keep-partial")
	a.Flags.AddWriting(f, flags.Tables)
	a.Flags.AddModel(f)
	_ = c.RegisterFlagCompletionFunc("resample", cobra.FixedCompletions(job.Resamples(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) stability(ctx context.Context, db *store.DB, run, relation string, o job.StabilityOptions, s gridSettings) error {
	fit, err := db.LoadModel(ctx, run)
	if err != nil {
		return err
	}
	if a.Flags.Into != "" {
		if err := db.CheckTarget(ctx, a.Flags.Into, a.Flags.Replace); err != nil {
			return err
		}
	}
	given := relation != ""
	if !given {
		relation = fit.Source
	}
	j, err := job.NewStability(fit, run, relation, a.Flags.Threads, a.Flags.Library(), o)
	if err != nil {
		return err
	}
	defer j.Close()
	j.Launch(ctx)
	if err := a.read(ctx, db, j.Read); err != nil {
		return ofFittedRelation(err, run, given)
	}
	err = a.Stage("fitting", func(say func(string, ...any)) error {
		began := time.Now()
		return j.Run(ctx, func(ended, of int) { say("%d of %d fits, about %s left", ended, of, timeLeft(began, ended, of)) })
	})
	kept, err := s.keep(ctx, err, len(j.Trials), o.Draws+1)
	if err != nil {
		return err
	}
	tables, err := j.Tables(kept.stopReason())
	if err != nil {
		return err
	}
	if err := written(context.WithoutCancel(ctx), a, db.WriteStability, tables); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	return a.ShowStability(j, tables)
}

// timeLeft is about how long the rest of some fits takes.
func timeLeft(began time.Time, ended, of int) time.Duration {
	return time.Duration(float64(time.Since(began)) / float64(max(1, ended)) * float64(of-ended)).Round(time.Second)
}
