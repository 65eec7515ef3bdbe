package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Candidate is a number of clusters with the parameters of the algorithm.
type Candidate struct {
	K      int
	Params framework.Params
}

// A Sweep fits each candidate to each of several data sets: the rows, and what is
// drawn from them.
type Sweep struct {
	Candidates []Candidate
	Draws      []Draw
	Settings   fit.Settings // Threads are those of the sweep; they change no result
	Labels     bool         // trials with rows of the fit (Rows, Half, Bootstrap) have the labels of these
	Norm       string       // as in matrix.Scaling, of rows that are fitted as it makes them: drawn ones are divided by their length too

	// Start, if not nil, makes the start of a fit of k clusters to rows, which are those of the fit with the
	// numbers from, or take the places of all of them if that is nil. A sweep with one is made by Run, not In.
	Start func(from []int32, rows *matrix.Data, p framework.Problem) (fit.Start, error)
}

// A Trial is what became of one candidate with one data set.
type Trial struct {
	Draw, Candidate int
	Outcome

	Objective float64 // NaN if there is an error
	Explained float64 // what its clusters explain, in the objective's units: see the package comment; NaN as that
	Columns   []int   // features that are selected in any cluster, ascending; nil where the algorithm selects nothing
	Local     [][]int // with labels: those of each cluster; nil where they are selected for all clusters alike
	Rows      []int32 // which row of the fit each row of the draw is; nil: all of them, or none is one
	Labels    []int32 // of the rows of the draw, if they were asked for
}

// An Engine makes one fit: in this process, or elsewhere.
type Engine func(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (Fit, error)

// A Fit is what an Engine has made.
type Fit struct {
	*fit.Result
	Features []framework.Feature // nil where the algorithm selects nothing
	Maximize bool                // the objective is to be large
}

// Here returns the Engine of an algorithm of this process. count, if not nil, wraps
// each clusterer.
func Here(a framework.Algorithm, count func(framework.Clusterer) framework.Clusterer) Engine {
	return func(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (Fit, error) {
		c, err := a.New(p)
		if err != nil {
			return Fit{}, err
		}
		f := Fit{Maximize: c.Plan().Maximize}
		run := c
		if count != nil {
			run = count(c)
		}
		if f.Result, err = fit.Run(ctx, run, p, rows, start, s, nil); err != nil {
			return f, err
		}
		if selector, ok := framework.As[framework.Selector](c); ok {
			f.Features = selector.Features(f.Model)
		}
		return f, nil
	}
}

// Of returns the Engine of an algorithm that runs in a host.
func Of(host fit.Host, algorithm string) Engine {
	return func(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (f Fit, err error) {
		session, err := host.Bind(ctx, algorithm, p, rows)
		if err != nil {
			return f, err
		}
		defer func() { err = errors.Join(err, session.Close()) }()
		f.Maximize = session.Plan().Maximize
		if f.Result, err = session.Fit(ctx, start, s, nil); err != nil {
			return f, err
		}
		if selector, ok := framework.As[framework.Selector](session.Clusterer()); ok {
			f.Features = selector.Features(f.Model)
		}
		return f, session.Err()
	}
}

// A Sweeper is a fit.Session that makes all fits of a sweep where the algorithm is.
type Sweeper interface {
	// Sweep is Sweep.Run for the problem and the rows of the session. It returns
	// false, before any trial, where that is not possible.
	Sweep(ctx context.Context, s Sweep, each func(Trial) error) (bool, error)
}

// In makes the fits of a sweep as Run does, with an algorithm of a host: where it is,
// if it can make them there.
func (s Sweep) In(ctx context.Context, host fit.Host, algorithm string, p framework.Problem, rows *matrix.Data,
	each func(Trial) error) error {
	session, err := host.Bind(ctx, algorithm, p, rows)
	if err != nil {
		return err
	}
	if sweeper, ok := session.(Sweeper); ok {
		served, err := sweeper.Sweep(ctx, s, each)
		if served || err != nil {
			return errors.Join(err, session.Close())
		}
	}
	if err := session.Close(); err != nil {
		return err
	}
	return s.Run(ctx, Of(host, algorithm), p, rows, each)
}

// Run makes the fits. each is called with each trial as it ends, from one goroutine at
// a time; its error ends the run. The trials of one draw come together, in the order
// of the candidates, but draws may come in any order. A Fault about the data ends a
// trial only, any other error the run. Trials do not depend on Settings.Threads, nor
// on what else there is in the sweep.
func (s Sweep) Run(ctx context.Context, e Engine, p framework.Problem, rows *matrix.Data, each func(Trial) error) error {
	d, err := newDrawer(rows, p, s.Draws)
	if err != nil || len(s.Draws) == 0 {
		return err
	}
	d.norm.Scaling.Norm = s.Norm
	workers, threads := fit.SideBySide(s.Settings.Threads, p.N*p.P)
	if workers > len(s.Draws) { // few data sets: their candidates side by side
		workers, threads = len(s.Draws), s.Settings.Threads
	}
	if workers, err = s.affordable(workers, sizeOf(rows)); err != nil {
		return err
	}
	rooms := make([][]float64, workers)
	whole := newSingle(e, dataset{rows: rows, problem: p}, s.Settings)
	var mu sync.Mutex
	return parallel.For(ctx, workers, len(s.Draws), func(worker, i int) error {
		of := d.draw(s.Draws[i], &rooms[worker])
		one := whole
		if kind := s.Draws[i].Kind; kind != Rows && (kind != Permuted || p.Weighted ||
			s.Norm != "") { // else each column has the cells of the rows
			one = newSingle(e, of, s.Settings)
		}
		trials, err := s.draw(ctx, e, of, one, i, threads)
		if of.rows != rows { // an engine elsewhere may have shared them
			err = errors.Join(err, of.rows.Close())
		}
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, t := range trials {
			if err := each(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// draw fits all candidates to one data set.
func (s Sweep) draw(ctx context.Context, e Engine, of dataset, one *single, number, threads int) ([]Trial, error) {
	settings := s.Settings
	var shared *fit.Starts
	ks := s.possible(of.problem.N)
	if len(ks) > 0 && s.Start == nil {
		var err error
		if shared, err = fit.NewStarts(of.problem, of.rows, settings, ks); err != nil && !ofData(err) {
			return nil, err
		}
	}
	side, each := fit.SideBySide(threads, of.problem.N*of.problem.P)
	settings.Threads = each
	trials := make([]Trial, len(s.Candidates))
	err := parallel.For(ctx, side, len(trials), func(_, i int) error {
		t, err := s.trial(ctx, e, of, one, number, i, fit.Start{Shared: shared}, settings)
		if err != nil {
			return err
		}
		trials[i] = t
		return nil
	})
	return trials, err
}

// sizeOf returns the bytes of a data set that is drawn from the rows: sparse ones are
// put into order by column and by row.
func sizeOf(rows *matrix.Data) int64 {
	const cellBytes, entryBytes = 8, 3 * 16
	if rows.IsSparse() {
		return int64(rows.Entries())*entryBytes + int64(rows.Len())*cellBytes
	}
	return int64(rows.Len()) * int64(rows.Matrix().Cols) * cellBytes
}

// affordable returns how many workers there is memory for: each has a data set of its
// own, of so many bytes.
func (s Sweep) affordable(workers int, size int64) (int, error) {
	free := memory.AvailableFor(size * int64(workers))
	if size <= free || !slices.ContainsFunc(s.Draws, func(d Draw) bool { return d.Kind != Rows }) {
		return int(min(int64(workers), max(1, free/max(1, size)))), nil
	}
	return 0, framework.Faultf(framework.Data, "no-memory", "a data set drawn from the rows takes %d MiB, and %d are free", size>>20,
		free>>20).
		WithHint("look at fewer rows with %s, or use a method that draws none", framework.SettingTo("sample", 5000))
}

// HasLabels reports whether the trials of a draw have labels.
func (s Sweep) HasLabels(draw int) bool {
	switch s.Draws[draw].Kind {
	case Rows, Half, Bootstrap:
		return s.Labels
	}
	return false
}

// possible returns the numbers of clusters that n rows can have.
func (s Sweep) possible(n int) (ks []int) {
	for _, c := range s.Candidates {
		if c.K >= 1 && c.K <= n {
			ks = append(ks, c.K)
		}
	}
	return ks
}

func ofData(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Class == framework.Data
}

// trial makes one fit.
func (s Sweep) trial(ctx context.Context, e Engine, of dataset, one *single, number, candidate int, start fit.Start, settings fit.Settings,
) (Trial, error) {
	c := s.Candidates[candidate]
	t := Trial{Draw: number, Candidate: candidate, Objective: math.NaN(), Explained: math.NaN(), Rows: of.from}
	f, err := s.fit(ctx, e, of, c, start, settings)
	if err != nil {
		if !ofData(err) {
			return t, err
		}
		t.Err = err
		return t, nil
	}
	t.Columns = columns(f.Features)
	t.Outcome = Outcome{Stop: f.Stop, Converged: f.Converged, Iterations: f.Iterations, Selected: len(t.Columns)}
	t.Objective = f.Objective
	if s.HasLabels(number) {
		t.Labels, t.Local = f.Labels, local(f.Features, c.K)
	}
	if t.Explained = f.Objective; !f.Maximize {
		whole, err := one.objective(ctx, c.Params)
		t.Explained = whole - f.Objective
		return t, err
	}
	return t, nil
}

// fit fits a candidate to a data set.
func (s Sweep) fit(ctx context.Context, e Engine, of dataset, c Candidate, start fit.Start, settings fit.Settings) (f Fit, err error) {
	p := of.problem
	p.K, p.Params = c.K, c.Params
	if p.Labels, err = of.labels(c.K); err != nil {
		return f, err
	}
	if s.Start != nil {
		if start, err = s.Start(of.from, of.rows, p); err != nil {
			return f, err
		}
	}
	return e(ctx, p, of.rows, start, settings)
}

// single knows the objectives of one cluster for all rows of a data set, by the
// parameters.
type single struct {
	e        Engine
	of       dataset
	settings fit.Settings
	mu       sync.Mutex
	known    map[string]float64
}

func newSingle(e Engine, of dataset, s fit.Settings) *single {
	s.Restarts, s.Threads = 1, 1
	return &single{e: e, of: of, settings: s, known: map[string]float64{}}
}

// objective returns that of one cluster, NaN if the data do not allow it.
func (o *single) objective(ctx context.Context, params framework.Params) (float64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := fmt.Sprint(params) // sorted by name
	if whole, ok := o.known[key]; ok {
		return whole, nil
	}
	p := o.of.problem
	p.K, p.Params, p.Labels = 1, params, nil // limits leave one cluster no choice, if any
	f, err := o.e(ctx, p, o.of.rows, fit.Start{Labels: make([]int32, p.N)}, o.settings)
	switch {
	case err == nil:
		o.known[key] = f.Objective
	case ofData(err):
		o.known[key] = math.NaN()
	default:
		return 0, err
	}
	return o.known[key], nil
}
