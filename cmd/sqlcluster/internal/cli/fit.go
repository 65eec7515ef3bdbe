package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
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
	profile, stop, err := a.startProfile()
	if err != nil {
		return err
	}
	defer func() { err = a.endProfile(stop, err) }()
	p, db, err := a.begin(c, relation)
	if err != nil {
		return err
	}
	defer func() { p.close(); _ = db.Close() }()
	began := time.Now()
	ready := a.launch(ctx, p.algorithm, profile) // while the relation is read
	defer func() { ready.close() }()
	if err := a.load(ctx, db, relation, p); err != nil {
		return err
	}
	started := time.Now()
	done, err := a.run(ctx, ready, p)
	if err != nil {
		return err
	}
	results, err := a.results(p, done, began, time.Since(started))
	if err != nil {
		return err
	}
	ready.close() // their memory is for DuckDB now
	p.close()
	if a.settings.into != "" {
		if err := db.Write(ctx, a.settings.into, a.settings.replace, results); err != nil {
			return err
		}
		a.stored = a.settings.db
	}
	if err := a.summary(p, done, results); err != nil {
		return err
	}
	if a.settings.strict && !done.result.Converged {
		return errNotConverged
	}
	return nil
}

// begin resolves the flags of fit or check, opens the database and looks at the
// tables that would be written.
func (a *app) begin(c *cobra.Command, relation string) (*prepared, *store.DB, error) {
	p, err := a.choose(c.Flags())
	if err != nil {
		return nil, nil, err
	}
	db, err := a.open(c.Context())
	if err != nil {
		return nil, nil, err
	}
	if err := a.checkTarget(c.Context(), db, relation); err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return p, db, nil
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
		{relation, "relation"}, {a.settings.pairs, "pairs"}, {a.settings.groups, "groups"}, {a.settings.constraints, "constraints"},
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

// launched is a plugin that is being started.
type launched struct {
	done chan struct{}
	host fit.Host
	err  error
}

// launch starts the plugin of an algorithm in the background.
func (a *app) launch(ctx context.Context, alg algorithm, profile plugin.Profile) *launched {
	l := &launched{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		options := a.settings.process()
		options.Profile = profile
		l.host, l.err = alg.host(ctx, options)
	}()
	return l
}

func (l *launched) wait() (fit.Host, error) {
	<-l.done
	return l.host, l.err
}

func (l *launched) close() {
	if host, err := l.wait(); err == nil {
		_ = host.Close()
	}
}

// A finished fit.
type finished struct {
	result   *fit.Result
	features []framework.Feature
	costs    []float64 // of pairs; nil where the algorithm takes none
	maximize bool
	squared  bool // distances have been squares
	calls    map[string]int
	untold   int      // rows that nothing puts into one cluster or another
	notes    []string // on the clusters
}

// leaveUntold takes the cluster away from rows that have no cell in any feature
// that tells clusters apart, and returns their number. Rows with pairs may still
// belong to a cluster by these.
func (p *prepared) leaveUntold(r *fit.Result) int {
	if len(p.problem.Links) > 0 || !slices.ContainsFunc(p.problem.Columns, func(c framework.Column) bool { return c.Missing > 0 }) {
		return 0
	}
	l := &fit.Prediction{Labels: r.Labels, Distance: r.Distance, Second: r.Second, Margin: r.Margin}
	return l.LeaveUntold(r.Model, p.data)
}

// run fits in the plugin process, or in this one by the steps of the plugin.
func (a *app) run(ctx context.Context, ready *launched, p *prepared) (*finished, error) {
	host, err := ready.wait()
	if err != nil {
		return nil, err
	}
	session, err := host.Bind(ctx, p.description.Name, p.sent(), p.data)
	if err != nil {
		return nil, err
	}
	line := a.progress("fitting")
	report := func(it fit.Iteration) {
		line.say("start %d of %d, iteration %d, objective %s, %d rows moved", it.Restart+1, p.settings.Restarts, it.Iteration, render.Number(it.Objective, 6), it.Moved)
	}
	plan, c := session.Plan(), session.Clusterer()
	d := &finished{maximize: plan.Maximize, squared: plan.Squared}
	driven := c
	if len(p.foreign()) > 0 {
		a.settings.driver = "host"
		driven = fit.Restrict(c, p.problem.Centers)
	}
	if a.settings.driver == "host" {
		d.result, err = fit.Run(ctx, driven, p.problem, p.data, p.start, p.settings, report)
	} else {
		d.result, err = session.Fit(ctx, p.start, p.settings, report)
	}
	line.end()
	if err != nil {
		return nil, err
	}
	if session.Driven() {
		p.hosted.Store(true)
	}
	if selector, ok := c.(framework.Selector); ok {
		if d.features = selector.Features(d.result.Model); session.Err() != nil {
			return nil, session.Err()
		}
	}
	if linker, ok := c.(framework.Linker); ok && len(p.problem.Links) > 0 {
		if d.costs, err = linker.LinkCosts(ctx, d.result.Model, p.data, d.result.Labels); err != nil {
			return nil, err
		}
	}
	d.calls = session.Calls()
	d.untold = p.leaveUntold(d.result)
	return d, nil
}
