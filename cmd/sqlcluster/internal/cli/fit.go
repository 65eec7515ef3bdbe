package cli

import (
	"context"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

func (a *app) fitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:        "fit RELATION",
		SuggestFor: []string{"cluster", "train", "run"},
		Short:      "Cluster the rows of a relation",
		Long: `Cluster the rows of a relation: a file, a table or view of --db, or a query.
With --into NAME the results are written to the tables NAME_assignments,
NAME_centers, NAME_features, NAME_clusters, NAME_trace, NAME_fit and NAME_run;
with --pairs, the broken pairs are in NAME_violations.
With several algorithms, -a skfr,skm, all begin with the same clusters, their results
are compared, and those of each are written to the tables NAME_ALGORITHM_...
With -k auto, or several numbers, the number of clusters is chosen first: see tune.
With --by region, each region has a model of its own, as a fit of its rows alone would
make it. All tables begin with the column region then, and NAME_models has a row for
each region, which also says why one could not be fitted.
With --engine the rows stay where they are, and each pass over them is a statement
there: for tables that are too large to come here. A fit that was interrupted goes on
with the same command and --resume; so does the choice of a number of clusters, with
--engine or without.`,
		Example: `  sqlcluster fit wine.csv --id id --exclude class -a skfr -k 3 --sparsity 6
  sqlcluster fit "SELECT id, age, income FROM customers" --db shop.duckdb \
    --id id -k 4 --into segments`,
		Args: help.Takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.fit(c, args[0]) },
	}
	a.Flags.AddFit(c.Flags(), flags.Tables)
	a.Flags.AddRunning(c.Flags())
	return c
}

func (a *app) fit(c *cobra.Command, relation string) error {
	if err := a.checkAttach(); err != nil {
		return err
	}
	if a.Flags.Engine != "" {
		return a.fitThere(c, relation)
	}
	if err := a.checkNotThere(); err != nil {
		return err
	}
	if strings.Contains(a.Flags.Algorithm, ",") {
		return a.fitSeveral(c, relation)
	}
	if len(a.Flags.By) > 0 && a.Flags.Ks == "" {
		return a.fitGroups(c, relation)
	}
	if a.Flags.Ks != "" {
		return a.tune(c, choosing(), relation)
	}
	return a.fitOne(c, relation)
}

// choosing is how a fit chooses a number of clusters.
func choosing() tuneSettings {
	return tuneSettings{TuneOptions: settings.DefaultTuneOptions(), gridSettings: gridSettings{points: 10}, fit: true}
}

// fitOne fits all rows by one algorithm, with one number of clusters.
func (a *app) fitOne(c *cobra.Command, relation string) (err error) {
	ctx := c.Context()
	stop, err := process.StartProfile(a.Flags.Profiles())
	if err != nil {
		return err
	}
	defer func() {
		if ended := stop(); err == nil && ended == nil {
			a.sayProfiles()
		} else if err == nil {
			err = ended
		}
	}()
	b, err := a.newJob(c, relation)
	if err != nil {
		return err
	}
	defer b.Close()
	b.Launch(ctx) // while the database is opened and the relation is read
	db, err := a.openTarget(ctx, relation, a.checkFit(), schema.Names()...)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	if a.Flags.Into != "" {
		db.Prepare(ctx, a.Flags.Into, b.Table.KeyName, b.Table.Keys.Type(), b.Problem.N)
	}
	var done *job.Fitted
	err = a.Stage("fitting", func(say func(string, ...any)) error {
		done, err = b.Fit(ctx, func(it fit.Iteration) { sayIteration(say, it, b.Starts()) })
		return err
	})
	if err != nil {
		return err
	}
	if a.Flags.Into != "" {
		db.Number(ctx, result.Assigned(b.Table, new(fit.Prediction)).Len()) // while the tables are made
	}
	tables, err := b.Tables(done)
	if err != nil {
		return err
	}
	var closing sync.WaitGroup
	var unmeasured error
	closing.Go(func() {
		if a.People() {
			unmeasured = b.Measure(context.WithoutCancel(ctx), done) // of a sample, so that it takes no time worth speaking of
		}
		b.Close() // their memory is for DuckDB now
	})
	err = written(ctx, a, db.Write, tables)
	if closing.Wait(); err == nil {
		err = unmeasured
	}
	if err != nil {
		return err
	}
	if err := a.ShowFit(b, done, tables); err != nil {
		return err
	}
	if a.Flags.Strict && !done.Converged {
		return errNotConverged
	}
	return nil
}

// checkAttach refuses what --attach cannot do. Nothing is written that comes from a
// program which nobody has added.
func (a *app) checkAttach() error {
	refuse := func(flag, why string) error {
		return framework.Faultf(framework.Usage, "bad-flag", "a fit with --attach %s", why).At(flag).WithHint("leave out one of the two")
	}
	switch {
	case a.Flags.Attach == "":
	case a.Flags.Into != "":
		return refuse("into", "writes nothing, since nobody has added the program that it runs")
	case strings.Contains(a.Flags.Algorithm, ","):
		return refuse("algorithm", "has one algorithm")
	case a.Flags.Ks != "":
		return refuse("k", "has one number of clusters")
	case a.Flags.CPUProfile+a.Flags.Trace != "":
		return refuse("attach", "cannot make profiles of a process that it has not started")
	}
	return nil
}

// sayIteration says how far a fit is.
func sayIteration(say func(format string, args ...any), it fit.Iteration, restarts int) {
	say("start %d of %d, iteration %d, objective %s, %d rows moved", it.Restart+1, restarts, it.Iteration, render.Number(it.Objective, 6),
		it.Moved)
}

// sayProfiles says where the profiles are.
func (a *app) sayProfiles() {
	if path := a.Flags.CPUProfile; path != "" {
		a.Note("CPU profiles: %s of the command, %[1]s.plugin of the algorithm; see them with: go tool pprof -http : FILE", path)
	}
	if path := a.Flags.Trace; path != "" {
		a.Note("traces: %s of the command, %[1]s.plugin of the algorithm; see them with: go tool trace FILE", path)
	}
}

// read reads the relation, and says how far it is.
func (a *app) read(ctx context.Context, db *store.DB, read func(context.Context, job.Source, func(rows int)) error) error {
	return a.Stage("reading", func(say func(string, ...any)) error {
		return read(ctx, db, func(rows int) { say("%d rows", rows) })
	})
}

// newJob resolves the flags of fit or check.
func (a *app) newJob(c *cobra.Command, relation string) (*job.Job, error) {
	s, err := a.Flags.FitJob(c.Flags(), relation, "")
	if err != nil {
		return nil, err
	}
	l := a.Flags.Library()
	if a.Flags.Attach != "" {
		if err := registry.Attach(l, s.Algorithm, a.Flags.Attach); err != nil {
			return nil, err
		}
	}
	b, err := job.New(s, l)
	return b, a.Flags.SayParam(err)
}
