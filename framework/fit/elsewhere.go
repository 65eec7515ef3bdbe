package fit

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// Passes are the steps over rows that are somewhere else, in an engine that makes each
// in one statement. A pass changes nothing there, so that it can be repeated. Labels stay
// there, too, and are not kept from one pass to the next: they are those that a model gives.
type Passes interface {
	// Assign labels each row by its nearest center of m, the first of equals, as
	// Clusterer.Assign does, and returns what Collect would collect of all rows. before is
	// the model that has labelled the rows until now; nil: they have the labels of the
	// start, or none.
	Assign(ctx context.Context, m, before *framework.Model) (Pass, error)

	// Farthest returns up to count rows of positive weight, no two of the same cells, in
	// the order of their distance > 0 (Clusterer.Distances, by m) to the center of the label
	// that by gives them (nil: the start), the farthest first. Which ones of equals is up
	// to the engine, but always the same.
	Farthest(ctx context.Context, m, by *framework.Model, count int) ([]FarRow, error)
}

// A Pass is what is known of all rows after they have been labelled.
type Pass struct {
	Stats framework.Stats
	Sizes []int // rows of positive weight, by cluster
	Moved int   // rows whose label was another one before
}

// A FarRow is a row that is far from its center.
type FarRow struct {
	Cells  []float64 // fitted space; NaN: missing
	Weight float64
	Label  int32
}

// A Beginning is how a run begins: with centers, or with labels that the engine
// has, of which only the pass is known here.
type Beginning struct {
	Centers *framework.Matrix
	Labels  *Pass
}

// A Stand is how far a fit has come: all that is needed to go on with it later, or in
// another process. One whose Restart is that of no run, since all have been, is of a fit that
// has ended: see Ended.
type Stand struct {
	Restart, Iteration int
	Model              *framework.Model
	By                 *framework.Model // that has labelled the rows; nil: none, or the start
	Round              Round
	Best               *Result     // of the runs before; nil: there were none
	Trace              []Iteration // so far
}

// Ended is where a fit of so many runs stands that has ended. To go on from there is its result, without a pass.
func Ended(r *Result, restarts int) Stand {
	best := *r
	best.Trace = nil
	return Stand{Restart: restarts, Best: &best, Trace: r.Trace}
}

// A Round is what a run knows of its present round. Objectives are nil as long as there
// are none.
type Round struct {
	Began, Stalled         int
	Last, Best, ReseededAt *float64
	Weighed                *float64
	Reseeds, Careful       bool
}

// A Distant is rows that are somewhere else, with a start and what a fit goes on from.
type Distant struct {
	Passes Passes
	Begin  func(ctx context.Context, restart int) (Beginning, error)
	From   *Stand            // not nil: goes on from there
	Keep   func(Stand) error // not nil: is told after each iteration from which the fit could go on
}

// Elsewhere is Run over rows that are somewhere else. Labels, distances and inertia are
// not in the Result, but where the rows are. Init and InitSpace of the settings are for
// Begin to heed; trimmed rows, links and limits of labels need all labels, and are refused.
func Elsewhere(ctx context.Context, c framework.Clusterer, p framework.Problem, d Distant, s Settings,
	progress func(Iteration)) (*Result, error) {
	if err := checkElsewhere(p, c.Plan(), s); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Iteration) {}
	}
	began := time.Now()
	f := &fitting{c: c, p: p, settings: s, progress: progress}
	f.states = []*state{newDistantState(c, p.K, d.Passes)}
	first := 0
	if d.From != nil {
		first, f.best, f.trace = d.From.Restart, d.From.Best, slices.Clone(d.From.Trace)
	}
	for restart := first; restart < s.Restarts; restart++ {
		res, err := f.runElsewhere(ctx, d, restart)
		if err != nil {
			return nil, err
		}
		f.take(res)
	}
	f.best.Trace, f.best.Seconds = f.trace, f.seconds.of(time.Since(began).Seconds())
	f.best.Labels = nil
	return f.best, nil
}

// checkElsewhere refuses what needs the labels of all rows.
func checkElsewhere(p framework.Problem, plan framework.Plan, s Settings) error {
	refuse := func(what, setting string) error {
		return framework.Faultf(framework.Usage, "needs-rows", "%s not possible where rows stay in an engine", what).At(setting)
	}
	switch {
	case s.Trim > 0:
		return refuse("leaving rows out is", "trim")
	case p.Labels != nil:
		return refuse("limits of clusters are", "constraints")
	case plan.Linked, len(p.Links) > 0:
		return refuse("pairs of rows are", "pairs")
	case p.K < 1 || p.K > p.N:
		return framework.Faultf(framework.Data, "too-few-rows", "k is %d, but there are only %d rows", p.K, p.N).At("k")
	}
	return s.Check()
}

// runElsewhere is run over rows that are somewhere else.
func (f *fitting) runElsewhere(ctx context.Context, d Distant, restart int) (*Result, error) {
	began, st := time.Now(), f.states[0]
	from := d.From
	if from != nil && (from.Restart != restart || from.Iteration == 0) {
		from = nil
	}
	var begin Beginning
	var err error
	if from == nil {
		if begin, err = d.Begin(ctx, restart); err != nil {
			return nil, err
		}
	}
	seeded := time.Now()
	st.start(nil)
	*st.away = away{passes: d.Passes, start: begin.Labels}
	r := newRun(st, f.settings, restart, f.p.Centers, f.note)
	r.verifies = f.whether
	if d.Keep != nil {
		r.keep = func(s Stand) error {
			s.Best, s.Trace = f.best, f.trace
			return d.Keep(s)
		}
	}
	var res *Result
	err = parallel.Guard(func() (err error) {
		if from != nil {
			res, err = r.goOn(ctx, *from)
			return err
		}
		centers := begin.Centers
		if centers != nil {
			if centers, err = f.nearestAllowed(*centers); err != nil {
				return err
			}
		}
		res, err = r.fit(ctx, centers)
		return err
	})
	if err != nil {
		return nil, err
	}
	res.Seconds = Seconds{Seeding: seeded.Sub(began).Seconds(), Iterations: time.Since(seeded).Seconds()}
	return res, nil
}

// away is what a state knows of rows that are somewhere else.
type away struct {
	passes Passes
	start  *Pass            // nil: the run has begun with centers
	by     *framework.Model // that has labelled the rows; nil: the start has, or nothing
	given  []given          // rows that clusters without rows have got since
}

// A given is a row that has got another label than the one that a model gives it.
type given struct {
	FarRow
	to int32
}

// block returns the row.
func (f FarRow) block() framework.Block {
	return framework.Block{X: framework.Matrix{Rows: 1, Cols: len(f.Cells), Data: f.Cells}, RowWeight: []float64{f.Weight}}
}

// newDistantState makes a state whose rows and labels are somewhere else.
func newDistantState(c framework.Clusterer, k int, p Passes) *state {
	st := &state{c: c, plan: c.Plan(), away: &away{passes: p}, sizes: make([]int, k)}
	st.stats = framework.NewStats(st.plan.Stats)
	return st
}

// assignAway is assign. Statistics are collected anew each time.
func (st *state) assignAway(ctx context.Context) (int, error) {
	by := st.model.Clone()
	pass, err := st.away.passes.Assign(ctx, by, st.away.by)
	if err != nil {
		return 0, err
	}
	moved, err := st.corrected(pass.Moved)
	st.away.by = by
	st.takePass(pass)
	return moved, err
}

// corrected returns how many rows have moved of which a pass has counted those whose label differs from the
// one that a model gave them before: rows that were given to a cluster since had its label.
func (st *state) corrected(moved int) (int, error) {
	if st.away.given == nil {
		return moved, nil
	}
	st.prepare()
	label := make([]int32, 1)
	for _, g := range st.away.given {
		if err := st.c.Assign(st.model, g.block(), label, st.c.Scratch(1)); err != nil {
			return 0, err
		}
		if label[0] != g.Label {
			moved--
		}
		if label[0] != g.to {
			moved++
		}
	}
	return moved, nil
}

// recollectAway is recollect: rows are labelled as they were.
func (st *state) recollectAway(ctx context.Context) error {
	switch {
	case st.away.by != nil:
		pass, err := st.away.passes.Assign(ctx, st.away.by, st.away.by)
		if err != nil {
			return err
		}
		st.takePass(pass)
	case st.away.start != nil:
		st.takePass(*st.away.start)
	default: // no row has a label
		st.stats.Zero()
		clear(st.sizes)
		st.fresh, st.moves = true, 0
	}
	return nil
}

func (st *state) takePass(p Pass) {
	for i, v := range p.Stats {
		copy(st.stats[i], v)
	}
	copy(st.sizes, p.Sizes)
	st.fresh, st.moves, st.away.given = true, 0, nil
}

// fillAway gives clusters without rows the farthest ones that are not the last of
// theirs: statistics move, and the next pass labels all rows by the centers that follow.
func (r *run) fillAway(ctx context.Context, empty []int) (moved int, err error) {
	rows, err := r.away.passes.Farthest(ctx, r.model.Clone(), r.away.by, len(empty)+len(r.sizes))
	if err != nil {
		return 0, err
	}
	for _, j := range empty {
		for len(rows) > 0 && r.sizes[rows[0].Label] <= 1 {
			rows = rows[1:]
		}
		if len(rows) == 0 {
			break
		}
		row := rows[0]
		rows = rows[1:]
		if err := r.c.Collect(row.block(), []int32{row.Label}, []int32{int32(j)}, r.stats); err != nil {
			return moved, err
		}
		r.sizes[row.Label]--
		r.sizes[j]++
		r.fresh = false
		r.away.given = append(r.away.given, given{row, int32(j)})
		moved++
	}
	return moved, nil
}

// stand returns what a run goes on from after this iteration.
func (r *run) stand() Stand {
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	at := r.round
	return Stand{Restart: r.restart, Iteration: r.iteration, Model: r.model.Clone(), By: clone(r.away.by), Round: Round{
		Began: at.began, Stalled: at.stalled, Last: known(at.last), Best: known(at.best), ReseededAt: known(at.reseededAt),
		Weighed: known(r.weighed), Reseeds: at.reseeds, Careful: r.careful}}
}

// clone is Clone of a model that may be missing.
func clone(m *framework.Model) *framework.Model {
	if m == nil {
		return nil
	}
	return m.Clone()
}

// goOn goes on with a run.
func (r *run) goOn(ctx context.Context, s Stand) (*Result, error) {
	value := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	at := s.Round
	r.round = round{began: at.Began, stalled: at.Stalled, last: value(at.Last), best: value(at.Best), reseededAt: value(at.ReseededAt),
		reseeds: at.Reseeds}
	r.iteration, r.weighed, r.careful = s.Iteration, value(at.Weighed), at.Careful
	r.model, r.away.by = s.Model.Clone(), s.By
	step, err := r.anew(ctx)
	if err != nil {
		return nil, err
	}
	r.first = step.Objective
	return r.iterate(ctx, step, false)
}
