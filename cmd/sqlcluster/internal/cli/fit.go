package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/job"
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
with --pairs, the broken pairs are in NAME_violations.`,
		Example: `  sqlcluster fit wine.csv --id id --exclude class -a skfr -k 3 --sparsity 6
  sqlcluster fit "SELECT id, age, income FROM customers" --db shop.duckdb \
    --id id -k 4 --into segments`,
		Args: takes("RELATION"),
		RunE: func(c *cobra.Command, args []string) error { return a.fit(c, args[0]) },
	}
	a.settings.addReading(c.Flags())
	a.settings.addFitting(c.Flags())
	a.settings.addWriting(c.Flags(), "write the results to tables NAME_... of --db: `NAME` or SCHEMA.NAME")
	a.settings.addRunning(c.Flags())
	addParams(c.Flags())
	_ = c.RegisterFlagCompletionFunc("algorithm", completeAlgorithms)
	return c
}

func (a *app) fit(c *cobra.Command, relation string) (err error) {
	ctx := c.Context()
	stop, err := process.StartProfile(a.settings.profiles())
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
	b, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { b.Close(); _ = db.Close() }()
	b.Launch(ctx) // while the relation is read
	if err := a.read(ctx, db, b.Read); err != nil {
		return err
	}
	done, err := a.run(ctx, b)
	if err != nil {
		return err
	}
	tables, err := b.Tables(done)
	if err != nil {
		return err
	}
	b.Close() // their memory is for DuckDB now
	if a.settings.into != "" {
		if err := db.Write(ctx, a.settings.into, a.settings.replace, tables); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if err := a.summary(b, done, tables); err != nil {
		return err
	}
	if a.settings.strict && !done.Converged {
		return errNotConverged
	}
	return nil
}

// sayProfiles says where the profiles are.
func (a *app) sayProfiles() {
	if path := a.settings.cpuprofile; path != "" {
		a.note("CPU profiles: %s of the command, %[1]s.plugin of the algorithm; see them with: go tool pprof -http : FILE", path)
	}
	if path := a.settings.trace; path != "" {
		a.note("traces: %s of the command, %[1]s.plugin of the algorithm; see them with: go tool trace FILE", path)
	}
}

// run fits, and says how far it is.
func (a *app) run(ctx context.Context, b *job.Job) (*job.Fitted, error) {
	line := a.progress("fitting")
	defer line.End()
	return b.Fit(ctx, func(it fit.Iteration) {
		line.Say("start %d of %d, iteration %d, objective %s, %d rows moved", it.Restart+1, b.Settings.Restarts, it.Iteration, render.Number(it.Objective, 6), it.Moved)
	})
}

// read reads the relation, and says how far it is.
func (a *app) read(ctx context.Context, db *store.DB, read func(context.Context, job.Source, func(rows int)) error) error {
	line := a.progress("reading")
	defer line.End()
	return read(ctx, db, func(rows int) { line.Say("%d rows", rows) })
}

// begin resolves the flags of fit or check, opens the database and looks at the
// tables that would be written.
func (a *app) begin(c *cobra.Command, relation string) (*job.Job, *store.DB, error) {
	s, err := a.withParams(c.Flags(), relation, "")
	if err != nil {
		return nil, nil, err
	}
	b, err := job.New(s, a.library())
	if err != nil {
		return nil, nil, a.sayParam(err)
	}
	db, err := a.openTarget(c.Context(), relation)
	return b, db, err
}

// openTarget opens the database, and looks at the tables that would be written.
func (a *app) openTarget(ctx context.Context, relation string) (*store.DB, error) {
	db, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.checkTarget(ctx, db, relation); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// checkTarget looks at the tables that would be written. None that the fit reads
// may be replaced, except by --start: a run may begin where the one before ended.
func (a *app) checkTarget(ctx context.Context, db *store.DB, relation string) error {
	if a.settings.into == "" {
		return nil
	}
	if err := db.CheckTarget(ctx, a.settings.into, a.settings.replace); err != nil || !a.settings.replace {
		return err
	}
	for _, r := range []struct{ relation, where string }{
		{relation, "relation"}, {a.settings.Pairs, "pairs"}, {a.settings.Groups, "groups"}, {a.settings.Constraints, "constraints"},
	} {
		if r.relation == "" && r.where != "relation" {
			continue
		}
		if err := db.CheckNotRead(ctx, r.relation, framework.Setting(r.where), a.settings.into, true); err != nil {
			return err
		}
	}
	return nil
}

// open opens the database of a command that may write.
func (a *app) open(ctx context.Context) (*store.DB, error) {
	mode := store.ReadOnly
	if a.settings.into != "" {
		mode = store.ReadWrite
		if err := a.mayWrite(); err != nil {
			return nil, err
		}
	}
	return a.openFor(ctx, mode)
}

// openFor opens the database as the flags say.
func (a *app) openFor(ctx context.Context, mode store.Mode) (*store.DB, error) {
	return store.OpenWith(ctx, a.settings.db, mode, store.Options{Extensions: a.settings.allowExtensions})
}

// openExisting opens a database that must be there already.
func (a *app) openExisting(ctx context.Context, write bool) (*store.DB, error) {
	if !write {
		return a.openFor(ctx, store.ReadOnly)
	}
	if err := a.mayWrite(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(a.settings.db); errors.Is(err, fs.ErrNotExist) {
		return a.openFor(ctx, store.ReadOnly) // which says so
	}
	return a.openFor(ctx, store.ReadWrite)
}
