package fit

import (
	"context"
	"math"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// Reasons for which a run stops, besides an algorithm's own.
const (
	Settled   = "settled"   // no row moved and the model came to rest
	Tolerance = "tolerance" // the objective improved by less than Settings.Tol
	MaxIter   = "max_iter"
)

// mostMoves is how often the number of rows may move before statistics are collected
// anew.
const mostMoves = 4

// copied is the iteration after which copies of the rows have been made, if they are made at all.
const copied = 3

// atRest is the change of a model entry, in fitted units, below which it has come to
// rest.
const atRest = 1e-9

// Run fits the problem from one start or several and returns the best run: the
// first of those with the best objective. progress, if not nil, gets every
// iteration, in order of restarts, from the calling goroutine. The result does
// not depend on Settings.Threads. It returns ctx.Err() soon after ctx is cancelled.
func Run(ctx context.Context, c framework.Clusterer, p framework.Problem, rows framework.Rows, start Start, s Settings,
	progress func(Iteration)) (*Result, error) {
	return Stream(ctx, c, p, rows, start, s, progress, nil)
}

// Stream is Run, but hands what the result has of each row to pieces, some rows at a time:
// p has them from row first on, and pieces may keep it. They come in the order of the rows, each after the call for those before
// has returned, often from a goroutine of their own, after all progress. The Result has no Distance, Second and Margin then.
func Stream(ctx context.Context, c framework.Clusterer, p framework.Problem, rows framework.Rows, start Start, s Settings,
	progress func(Iteration), pieces func(p *Prediction, first int) error) (*Result, error) {
	if err := check(p, c.Plan(), rows, start, s); err != nil {
		return nil, err
	}
	if p.Labels != nil {
		if err := roomFor(p.N, p.K); err != nil {
			return nil, err.At("constraints").WithHint("use fewer clusters or rows")
		}
		if err := feasible(ctx, p.Labels); err != nil {
			return nil, err
		}
	}
	if start.Given() || seeding.Deterministic(s.Init) {
		s.Restarts = 1
	}
	seeders, err := start.seeders(p, rows, s)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Iteration) {}
	}
	began := time.Now()
	if foreseer, ok := framework.As[framework.Foreseer](c); ok {
		foreseer.Foresee(s.MaxIter)
	}
	f := &fitting{c: c, p: p, rows: rows, start: start, settings: s, seeders: seeders, progress: progress}
	f.states = []*state{newState(c, p.K, rows, s.Threads)}
	f.states[0].restrict(p)
	defer f.close()
	fit := f.oneByOne
	if f.sideBySide() {
		fit = f.together
	}
	if err := fit(ctx); err != nil {
		return nil, err
	}
	f.best.Trace, f.best.Seconds = f.trace, f.seconds.of(time.Since(began).Seconds())
	f.best.BlocksByWorker = make([]int, max(len(f.states), f.states[0].pool.Workers()))
	for i, st := range f.states {
		for w := range st.pool.Workers() {
			f.best.BlocksByWorker[i+w] += st.workers[w].assigned
		}
	}
	if f.verifier != nil {
		f.best.BlocksByWorker[0] += f.verifier.workers[0].assigned
	}
	return f.best, finish(ctx, f.states[0], f.best, pieces)
}

// run is one run from one start.
type run struct {
	*state
	settings Settings
	restart  int
	report   func(Iteration)

	iteration int
	held      Iteration // the last iteration,
	holds     bool      // as long as it is not reported
	round     round
	rounds    bool    // some target is projected when the labels have settled
	weighed   float64 // objective after the last such projection; NaN before the first

	shared     *Starts                                      // have the statistics of the start; nil: they are the run's own
	of         startOf                                      // which start that is
	settled    bool                                         // the run goes on from another one
	first      float64                                      // the objective of the start
	verifies   func(r *run, objective float64) verification // of the run, which has settled with this objective
	restricted bool                                         // the problem has a set of centers
	tied       bool                                         // which of them are nearest depends on weights that are projected later
	keep       func(Stand) error                            // is told what the run could go on from; nil: nobody is
	before     *memory                                      // of the last reseeding, until it is known what it led to; nil: nothing to undo

	// Rows at equal distances can be kept moving by the rounding of the sums
	// alone. A run in which that shows gets careful: sums are collected in every
	// iteration, and a round has settled when moves improve nothing any more.
	careful bool
}

func newRun(st *state, s Settings, restart int, centers framework.Set, report func(Iteration)) *run {
	r := &run{state: st, settings: s, restart: restart, report: report, weighed: math.NaN(), restricted: centers != nil}
	r.tied = r.restricted && !centers.Properties().Separable && st.plan.Cadence[framework.FeatureWeights] == framework.WhenSettled
	for _, cadence := range st.plan.Cadence {
		r.rounds = r.rounds || cadence == framework.WhenSettled
	}
	r.begins(math.NaN())
	r.verifies = func(*run, float64) verification { return now }
	return r
}

// verification says when a run that has settled on moved sums is verified.
type verification int

const (
	now verification = iota
	later
	never // nobody needs more of it than the objective
)

// canWait reports whether nothing but model and labels is needed to verify the run
// later: no rounds, of which each must end with exact sums, no rows that are left out,
// and no labels that a round forgets.
func (r *run) canWait() bool {
	return !r.rounds && r.trim == nil && !r.plan.Linked && !r.plan.Fresh
}

// fit runs to the end. centers, if not nil, are the first model.
func (r *run) fit(ctx context.Context, centers *framework.Matrix) (*Result, error) {
	step, stop, err := r.begin(ctx, centers)
	if err != nil {
		return nil, err
	}
	if stop != "" {
		return r.result(step, stop), nil
	}
	if r.limits != nil {
		if step, err = r.obeyStart(ctx, step); err != nil {
			return nil, err
		}
	}
	if r.settings.MaxIter == 0 {
		return r.updateOnly(ctx, step)
	}
	r.first = step.Objective
	return r.iterate(ctx, step, false)
}

// iterate runs from an update to the end. verifying says that this pass repeats a
// settled one with fresh statistics.
func (r *run) iterate(ctx context.Context, step framework.Step, verifying bool) (*Result, error) {
	for {
		exact := r.fresh // the model that follows has no drift in it
		rest, err := r.project(step, framework.EveryUpdate)
		if err != nil {
			return nil, err
		}
		moved, err := r.assign(ctx)
		if err != nil {
			return nil, err
		}
		if verifying && moved > 0 {
			r.careful = true
		}
		if !r.fresh && (r.careful || r.moves >= mostMoves*len(r.labels)) {
			if err := r.recollect(ctx); err != nil {
				return nil, err
			}
		}
		if step, err = r.update(ctx); err != nil {
			return nil, err
		}
		stop := Settled
		if !verifying || moved > 0 || rest.Change > atRest {
			if stop, err = r.record(ctx, &step, moved, rest); err != nil {
				return nil, err
			}
			if stop == Settled && !exact && r.iteration < r.settings.MaxIter {
				switch r.verifies(r, step.Objective) {
				case later:
					r.say()
					return r.result(step, stop), nil
				case never:
					r.say()
					return &Result{Objective: step.Objective, Restart: r.restart}, nil
				}
				if step, err = r.anew(ctx); err != nil {
					return nil, err
				}
				verifying = true
				continue
			}
		}
		verifying = false
		if stop != "" {
			if stop, err = r.endRound(ctx, &step, stop); err != nil {
				return nil, err
			}
		}
		r.say()
		if stop != "" {
			return r.result(step, stop), nil
		}
		if r.keep != nil && r.fresh { // not with rows that were reseeded: labels are those of a model then
			if err := r.keep(r.stand()); err != nil {
				return nil, err
			}
		}
		if r.plan.Fresh && r.iteration == r.round.began {
			r.forget()
		}
	}
}

// updateOnly is a run without iterations.
func (r *run) updateOnly(ctx context.Context, step framework.Step) (*Result, error) {
	_, err := r.project(step, framework.EveryUpdate)
	if err == nil && r.trim != nil {
		step, err = r.trimStart(ctx)
	}
	if err != nil {
		return nil, err
	}
	stop, err := r.endRound(ctx, &step, MaxIter)
	if err != nil {
		return nil, err
	}
	step, err = r.update(ctx)
	return r.result(step, stop), err
}

// begin collects the statistics of the start and updates. It returns a reason to
// stop if what is projected for a settled start gives one.
func (r *run) begin(ctx context.Context, centers *framework.Matrix) (framework.Step, string, error) {
	if centers != nil {
		r.model.Centers.CopyFrom(*centers)
	}
	fresh := r.plan.Fresh && r.settings.MaxIter > 0
	if fresh && centers != nil && !r.settled {
		r.forget()
		return framework.Step{}, "", nil // the first iteration assigns by the centers as they are
	}
	if err := r.collectStart(ctx, centers != nil && !r.settled); err != nil {
		return framework.Step{}, "", err
	}
	if fresh {
		defer r.forget()
	}
	if centers != nil && !r.settled {
		if _, err := r.assign(ctx); err != nil {
			return framework.Step{}, "", err
		}
	}
	step, err := r.update(ctx)
	if err != nil || !r.settled || !r.rounds {
		return step, "", err
	}
	rest, err := r.project(step, framework.WhenSettled)
	if err != nil {
		return step, "", err
	}
	if step, err = r.update(ctx); err != nil {
		return step, "", err
	}
	r.weighed = step.Objective
	r.begins(step.Objective)
	return step, rest.Stop, nil
}

// collectStart collects the statistics of the start, or gets them from another fit. Without
// labels there are none.
func (r *run) collectStart(ctx context.Context, unlabelled bool) error {
	switch {
	case unlabelled && r.away == nil:
		r.stats.Zero()
		clear(r.sizes)
		r.fresh, r.moves = true, 0
		return nil
	case r.shared == nil:
		return r.recollect(ctx)
	}
	if r.shared.load(r.of, r.state) {
		r.fresh, r.moves = true, 0
		return nil
	}
	err := r.recollect(ctx)
	if err == nil {
		r.shared.keep(r.of, r.state)
	}
	return err
}

// anew updates from statistics that are collected anew.
func (r *run) anew(ctx context.Context) (framework.Step, error) {
	if err := r.recollect(ctx); err != nil {
		return framework.Step{}, err
	}
	return r.update(ctx)
}

// record keeps an iteration to be reported and says whether the round stops,
// and why. It may reseed empty clusters, and then replaces the step.
func (r *run) record(ctx context.Context, step *framework.Step, moved int, rest framework.Outcome) (string, error) {
	r.say()
	if r.iteration++; r.iteration == copied {
		ram.ClearStock()
	}
	undone, err := r.undo(ctx, step)
	if err != nil {
		return "", err
	}
	objective := step.Objective
	r.held, r.holds = Iteration{Restart: r.restart, Iteration: r.iteration, Objective: objective, Moved: moved, Selected: r.selected()}, true
	if rest.Stop != "" {
		return rest.Stop, nil
	}
	reseeded, err := r.fillEmpty(ctx, objective)
	if err != nil {
		return "", err
	}
	if r.iteration >= r.settings.MaxIter && r.round.reseeds && len(r.empty()) > 0 {
		return MaxIter, nil // reseeded rows would not be assigned any more
	}
	if reseeded > 0 {
		if *step, err = r.update(ctx); err != nil {
			return "", err
		}
	}
	previous := r.round.last
	r.round.last = objective
	switch {
	case moved == 0 && reseeded == 0 && !undone && rest.Change <= atRest:
		return Settled, nil
	case r.isStalled(moved+reseeded, objective) && reseeded == 0:
		return Settled, nil
	case r.iteration >= r.settings.MaxIter:
		return MaxIter, nil
	case r.plan.Passes > 0 && r.iteration-r.round.began >= r.plan.Passes:
		if r.rounds {
			return Settled, nil // as far as this round may go
		}
		return MaxIter, nil
	case r.settings.Tol > 0 && reseeded == 0 && math.Abs(previous-objective) <= r.settings.Tol*math.Abs(objective):
		return Tolerance, nil
	}
	return "", nil
}

// result is what the run ended with. It takes the labels from the state, and the model of the only run, so
// that the state must be started again before they are used.
func (r *run) result(step framework.Step, stop string) *Result {
	model := r.model
	if r.settings.Restarts > 1 {
		model = model.Clone() // without what is kept for the next iteration
	}
	res := &Result{
		Model: model, Labels: r.labels, Part: r.part, Objective: step.Objective,
		Restart: r.restart, Iterations: r.iteration, Converged: stop != MaxIter, Stop: stop, Limits: r.limits.result(r.labels),
	}
	r.labels = nil
	if stop == framework.AllZero {
		for i := range res.Labels {
			res.Labels[i] = -1
		}
		res.Part = nil
	}
	return res
}
