package job

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// A Fitted is what a fit has found.
type Fitted struct {
	*fit.Result

	Approximate bool // the start was made from batches of the rows

	Notes   []string // on the clusters; set by Tables
	Quality *Quality // set by Measure

	features  []framework.Feature
	costs     []float64 // of pairs; nil where the algorithm takes none
	maximize  bool
	squared   bool           // distances have been squares
	Calls     map[string]int // how often each call to another process was made
	untold    int            // rows that nothing puts into one cluster or another
	seconds   float64
	beginning float64 // seconds that the batches took

	distances *result.Distances // nil: not wanted
	sums      *result.Summary   // of rows that are elsewhere; nil: they are here
}

// Fit runs the algorithm. progress is called after each iteration; it may be nil.
func (b *Job) Fit(ctx context.Context, progress func(fit.Iteration)) (*Fitted, error) {
	began := time.Now()
	b.Launch(ctx)
	host, err := b.host.Wait()
	if err != nil {
		return nil, err
	}
	if b.restrictsHere() { // sets that the process does not have
		b.Settings.Driver = settings.OnHost
	}
	f := &Fitted{}
	start, s, err := b.begin(ctx, host, f)
	if err != nil {
		return nil, err
	}
	session, c, err := b.bind(ctx, host, b.Problem, b.Data)
	if err != nil {
		return nil, err
	}
	f.maximize, f.squared = session.Plan().Maximize, session.Plan().Squared
	if f.Result, err = b.solve(ctx, session, c, b.Problem, b.Data, start, s, progress); err != nil {
		return nil, err
	}
	f.Seconds.Seeding += f.beginning
	if session.Driven() {
		b.hosted.Store(true)
	}
	if selector, ok := framework.As[framework.Selector](c); ok {
		if f.features = selector.Features(f.Model); session.Err() != nil {
			return nil, session.Err()
		}
	}
	if linker, ok := framework.As[framework.Linker](c); ok && len(b.Problem.Links) > 0 {
		if f.costs, err = linker.LinkCosts(ctx, f.Model, b.Data, f.Labels); err != nil {
			return nil, err
		}
	}
	if b.Settings.Distances > 0 && f.Stop != framework.AllZero {
		f.distances, err = model.Ranked(fit.Rank(ctx, c, f.Model, b.Data, b.Settings.Distances, b.Settings.Threads))
		if err != nil {
			return nil, err
		}
	}
	f.Calls = session.Calls()
	f.untold = b.leaveUntold(f.Result)
	f.seconds = time.Since(began).Seconds()
	return f, nil
}

// bind binds the algorithm to a problem and its rows. The clusterer keeps to all sets of
// centers.
func (b *Job) bind(ctx context.Context, host fit.Host, p framework.Problem, rows *matrix.Data) (fit.Session, framework.Clusterer, error) {
	session, err := host.Bind(ctx, b.Algorithm.Name, b.sent(p), rows)
	if err != nil {
		return nil, nil, err
	}
	c := session.Clusterer()
	if b.restrictsElsewhere() {
		c = fit.Restrict(c, p.Centers)
	}
	return session, c, nil
}

// solve makes a fit where the settings say.
func (b *Job) solve(ctx context.Context, session fit.Session, c framework.Clusterer, p framework.Problem, rows *matrix.Data,
	start fit.Start,
	s fit.Settings, progress func(fit.Iteration)) (*fit.Result, error) {
	if b.Settings.Driver == settings.OnHost || b.restrictsHere() {
		return fit.Run(ctx, c, p, rows, start, s, progress)
	}
	return session.Fit(ctx, start, s, progress)
}

// engine makes fits of other rows, or of other problems, as Fit makes its own.
func (b *Job) engine(host fit.Host) tune.Engine {
	return func(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (one tune.Fit, err error) {
		session, c, err := b.bind(ctx, host, p, rows)
		if err != nil {
			return one, err
		}
		defer func() { err = errors.Join(err, session.Close()) }()
		one.Maximize = session.Plan().Maximize
		if one.Result, err = b.solve(ctx, session, c, p, rows, start, s, nil); err != nil {
			return one, err
		}
		if session.Driven() || b.restrictsHere() {
			b.hosted.Store(true)
		}
		if selector, ok := framework.As[framework.Selector](c); ok {
			one.Features = selector.Features(one.Model)
		}
		return one, session.Err()
	}
}

// sweep makes the fits of a sweep: where the algorithm is, or from here if classes make their starts.
func (b *Job) sweep(ctx context.Context, host fit.Host, s tune.Sweep, p framework.Problem, rows *matrix.Data,
	each func(tune.Trial) error) error {
	if !b.startsFromLabels() {
		return s.In(ctx, host, b.Algorithm.Name, p, rows, each)
	}
	engine := b.engine(host)
	if a := b.Algorithm.Local; a != nil { // each fit would be many calls to its process
		engine = tune.Here(a, nil)
		b.hosted.Store(true)
	}
	return s.Run(ctx, engine, p, rows, each)
}

// leaveUntold takes the cluster away from rows that have no cell in any feature
// that tells clusters apart, and returns their number. Rows with pairs, or with limits of
// clusters, may still belong to a cluster by these.
func (b *Job) leaveUntold(r *fit.Result) int {
	if len(b.Problem.Links) > 0 || b.Problem.Labels != nil || !slices.ContainsFunc(b.Problem.Columns,
		func(c framework.Column) bool { return c.Missing > 0 }) {
		return 0
	}
	l := &fit.Prediction{Labels: r.Labels, Distance: r.Distance, Second: r.Second, Margin: r.Margin}
	return l.LeaveUntold(r.Model, b.Data)
}

// driver says where the driver of a fit ran: in the host if that was asked for,
// or if the plugin has none.
func (b *Job) driver() string {
	if b.hosted.Load() {
		return settings.OnHost
	}
	return b.Settings.Driver
}

// Check returns the fault of a plugin that refuses the rows, as Fit would.
func (b *Job) Check(ctx context.Context) error {
	if b.Algorithm.Local != nil {
		return nil // Read has asked it
	}
	_, done, err := b.Algorithm.Open(ctx, b.sent(b.Problem), b.Data)
	if err == nil {
		done()
	}
	return err
}
