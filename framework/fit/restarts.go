package fit

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// fitting is all runs of one fit.
type fitting struct {
	c        framework.Clusterer
	p        framework.Problem
	rows     framework.Rows
	start    Start
	settings Settings
	seeders  seeders // empty if the start is given
	progress func(Iteration)

	states   []*state // of runs side by side; the first also measures the result
	verifier *state   // of the runs that together verifies; nil before the first
	best     *Result
	trace    []Iteration

	seconds Seconds
}

func (f *fitting) close() {
	for _, st := range f.states {
		st.close()
		st.release()
	}
	if f.verifier != nil {
		f.verifier.release()
	}
}

// smallCells is the number of cells up to which fits run side by side. Starting
// the workers takes about as long as a pass over that many.
const smallCells = 1 << 20

// SideBySide says how several fits of so many cells share the threads: how many
// are made at a time, and with how many threads each. It changes no result.
func SideBySide(threads, cells int) (fits, each int) {
	if threads < 2 || cells > smallCells {
		return 1, threads
	}
	return threads, 1
}

// sideBySide reports whether restarts share the threads, one each, and not the
// rows. It changes no result.
func (f *fitting) sideBySide() bool {
	if f.p.Labels != nil && f.p.N*f.p.K > smallCells {
		return false // a run has n×k costs
	}
	return min(f.settings.Restarts, f.settings.Threads) > 1 && f.p.N*f.p.P <= smallCells && !f.states[0].plan.OneModel
}

// oneByOne makes one run after the other, with all threads.
func (f *fitting) oneByOne(ctx context.Context) error {
	for r := range f.settings.Restarts {
		res, err := f.run(ctx, f.states[0], r, f.settings.Threads, f.whether, f.note)
		if err != nil {
			return err
		}
		f.take(res)
	}
	return nil
}

// news of a run of together: an iteration, or its end.
type news struct {
	restart   int
	iteration Iteration
	ended     bool
	result    *Result
	open      *run // it has settled, but is not verified; nil: it needs no more
	err       error
}

// together makes as many runs at a time as there are threads.
func (f *fitting) together(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	workers := min(f.settings.Threads, f.settings.Restarts)
	wire := make(chan news)
	tell := func(n news) {
		select {
		case wire <- n:
		case <-ctx.Done():
		}
	}
	f.states[0].close() // it runs on one worker now
	for range workers - 1 {
		f.states = append(f.states, newState(f.c, f.p.K, f.rows, 1))
		f.states[len(f.states)-1].restrict(f.p)
	}
	wait.Go(func() {
		_ = parallel.Each(ctx, workers, f.settings.Restarts, func(worker, r int) { // the wire has all errors
			end := news{restart: r, ended: true}
			open := func(run *run, _ float64) verification { // earlier restarts may not have ended yet
				end.open = run
				return later
			}
			end.err = parallel.Guard(func() (err error) {
				end.result, err = f.run(ctx, f.states[worker], r, 1, open, func(it Iteration) { tell(news{restart: r, iteration: it}) })
				return err
			})
			tell(end)
		})
	})
	return f.listen(ctx, wire)
}

// listen takes the runs of together in the order of restarts.
func (f *fitting) listen(ctx context.Context, wire <-chan news) error {
	early := make([][]news, f.settings.Restarts) // of runs after the present one
	for present := 0; present < len(early); {
		var n news
		if len(early[present]) > 0 {
			n, early[present] = early[present][0], early[present][1:]
		} else {
			select {
			case n = <-wire:
			case <-ctx.Done():
				return ctx.Err()
			}
			if n.restart != present {
				early[n.restart] = append(early[n.restart], n)
				continue
			}
		}
		switch {
		case n.err != nil:
			return n.err
		case n.ended:
			if n.open != nil && f.mayWin(n.open, n.result.Objective) {
				if err := f.verify(ctx, n.open, n.result); err != nil {
					return err
				}
			}
			f.take(n.result)
			present++
		default:
			f.note(n.iteration)
		}
	}
	return nil
}

// note keeps and reports an iteration.
func (f *fitting) note(it Iteration) {
	f.trace = append(f.trace, it)
	f.progress(it)
}

// take keeps the better of two runs, the earlier of equals.
func (f *fitting) take(res *Result) {
	f.seconds.Seeding += res.Seconds.Seeding
	f.seconds.Iterations += res.Seconds.Iterations
	maximize := f.states[0].plan.Maximize
	if f.best == nil || maximize && res.Objective > f.best.Objective || !maximize && res.Objective < f.best.Objective {
		f.best = res
	}
}

// mayWin reports whether a run that has settled on moved sums may have a better
// objective than all before it, once its sums are collected anew: whether it is better,
// or worse by no more than rounding, generously, in an objective that began at first.
func (f *fitting) mayWin(r *run, objective float64) bool {
	if f.best == nil {
		return true
	}
	worse := objective - f.best.Objective
	if r.plan.Maximize {
		worse = -worse
	}
	return !(worse > 1e-6*math.Abs(f.best.Objective)+1e-10*math.Abs(r.first))
}

// whether a run is verified at all, where all runs before it have ended.
func (f *fitting) whether(r *run, objective float64) verification {
	if f.mayWin(r, objective) {
		return now
	}
	return never
}

// verify ends a run of together that settled on moved sums: result is what it ended
// with so far.
func (f *fitting) verify(ctx context.Context, r *run, result *Result) error {
	began := time.Now()
	if f.verifier == nil {
		f.verifier = newState(f.c, f.p.K, f.rows, 1)
		f.verifier.restrict(f.p)
	}
	r.state, r.report = f.verifier, f.note
	r.start(result.Labels)
	r.limits.resume(result.Limits)
	r.model = result.Model
	r.fixed = fixedRows(f.p.Links, f.p.N)
	return parallel.Guard(func() error {
		step, err := r.anew(ctx)
		if err != nil {
			return err
		}
		verified, err := r.iterate(ctx, step, true)
		if err != nil {
			return err
		}
		verified.Seconds = result.Seconds
		verified.Seconds.Iterations += time.Since(began).Seconds()
		*result = *verified
		return nil
	})
}

// run makes one run. verifies says when it is verified once it has settled.
func (f *fitting) run(ctx context.Context, st *state, restart, threads int, verifies func(*run, float64) verification,
	report func(Iteration),
) (*Result, error) {
	s := f.settings
	s.Threads = threads
	began := time.Now()
	labels, centers, err := f.begin(ctx, st.plan, restart, threads)
	if err != nil {
		return nil, err
	}
	seeded := time.Now()
	st.start(labels)
	st.fixed = fixedRows(f.p.Links, f.p.N)
	st.limits.restart()
	st.trim, st.part = newTrimming(f.rows, s.Trim), nil
	r := newRun(st, s, restart, f.p.Centers, report)
	r.settled = f.start.Settled
	if common, ok := framework.As[framework.CommonCollector](f.c); ok && centers == nil && !f.start.Given() && common.CollectsInCommon() {
		r.shared, r.of = f.start.Shared, startOf{f.p.K, restart}
	}
	if r.canWait() {
		r.verifies = verifies
	}
	res, err := r.fit(ctx, centers)
	if err != nil {
		return nil, err
	}
	res.Seconds = Seconds{Seeding: seeded.Sub(began).Seconds(), Iterations: time.Since(seeded).Seconds()}
	return res, nil
}
