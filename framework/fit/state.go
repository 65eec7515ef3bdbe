package fit

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// state is one run in progress: the model, the labels and their statistics.
type state struct {
	c       framework.Clusterer
	plan    framework.Plan
	rows    framework.Rows
	pool    *parallel.Pool
	share   func(n int, work func(i int)) // of the model, where there are several workers
	workers []worker                      // of the pool
	ctx     context.Context               // of the pass in hand
	shards  []*shard
	scratch []framework.Scratch // by block
	lent    spares[[]int32]     // room for the labels before an Assign, of workers that help
	largest int                 // rows of the largest block

	fold *fold                     // of what shards collect, into stats
	work func(worker, i int) error // of the pass in hand, for each shard

	assignShard, collectShard, gatherShard func(worker, i int) error // kept, so that no pass allocates

	model  *framework.Model
	labels []int32
	stats  framework.Stats
	sizes  []int  // rows of positive weight in each cluster
	fresh  bool   // stats were collected from the labels, not moved
	moves  int    // of rows, since stats were collected
	fixed  []bool // rows that a hard link holds, so that they are not reseeded; nil: none

	trim *trimming       // nil: no row is left out
	part *framework.Part // the row of which a part is left out; nil: none

	limits *limits // nil: labels are free

	away *away // not nil: rows and labels are somewhere else, and there are no blocks, shards and workers
}

// newState makes a state, to be closed.
func newState(c framework.Clusterer, k int, rows framework.Rows, threads int) *state {
	st := &state{c: c, plan: c.Plan(), rows: rows}
	st.stats = newStats(st.plan.Stats)
	st.shards = newShards(rows, st.plan.Stats)
	st.pool = parallel.NewPool(min(threads, rows.Blocks()))
	if st.pool.Workers() > 1 {
		st.share = st.shareOut
	}
	st.scratch = make([]framework.Scratch, rows.Blocks())
	for i := range st.scratch {
		n := rows.Block(i).X.Rows
		st.scratch[i] = c.Scratch(n)
		st.largest = max(st.largest, n)
	}
	st.workers = newWorkers(st.pool.Workers(), k, st.largest)
	st.lent.fresh = func() []int32 { return make([]int32, st.largest) }
	st.labels = ram.Zeros[int32](rows.Len())
	st.sizes = make([]int, k)
	st.fold = newFold(st.plan.Stats, st.stats, st.shards, st.pool.Workers())
	st.assignShard, st.collectShard, st.gatherShard = st.assignBlocks, st.collectBlocks, st.gatherBlocks
	return st
}

func (st *state) close() { st.pool.Stop() }

// release drops the scratch of all blocks.
func (st *state) release() {
	for _, s := range st.scratch {
		if r, ok := s.(framework.Releaser); ok {
			r.Release()
		}
	}
	st.scratch = nil
}

// each calls work for every shard.
func (st *state) each(ctx context.Context, work func(worker, shard int) error) error {
	st.ctx = ctx
	return st.pool.For(ctx, len(st.shards), work)
}

// eachBlock calls work for every block, by shards.
func (st *state) eachBlock(ctx context.Context, work func(worker int, b framework.Block) error) error {
	return st.each(ctx, func(worker, i int) error {
		for n := st.shards[i].first; n < st.shards[i].end; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(worker, st.rows.Block(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// start puts the state at the beginning of a run from labels; nil: no row has one. Scratch
// is kept: it holds caches only.
func (st *state) start(labels []int32) {
	st.model = st.c.Begin()
	st.fresh = false
	if st.labels == nil && st.away == nil { // a result has them
		st.labels = ram.Zeros[int32](st.rows.Len())
	}
	if labels == nil {
		for i := range st.labels {
			st.labels[i] = -1
		}
	}
	copy(st.labels, labels)
}

// prepare makes the model ready to be used by all workers.
func (st *state) prepare() {
	if p, ok := framework.As[framework.Preparer](st.c); ok {
		st.sharing(func() { p.Prepare(st.model) })
	}
}

// sharing calls a step in which the model shares its work out.
func (st *state) sharing(step func()) {
	st.model.Share = st.share
	defer func() { st.model.Share = nil }()
	step()
}

// shareOut is Model.Share.
func (st *state) shareOut(n int, work func(i int)) {
	err := st.pool.For(context.Background(), n, func(_, i int) error {
		work(i)
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// assign assigns every row and moves the statistics of those whose label
// changed. It returns how many did.
func (st *state) assign(ctx context.Context) (int, error) {
	if st.away != nil {
		return st.assignAway(ctx)
	}
	st.prepare()
	switch {
	case st.plan.Linked:
		return st.assignThen(ctx, st.assignLinked)
	case st.trim != nil:
		return st.assignThen(ctx, st.leaveOut)
	case st.limits != nil:
		return st.assignTogether(ctx)
	}
	for _, s := range st.shards {
		s.taken.begin(s.first, s.end)
	}
	return st.gatherMoves(ctx, st.assignShard, st.pool.Workers()-1)
}

// gatherMoves is gather of rows that have moved. It returns how many there are.
func (st *state) gatherMoves(ctx context.Context, work func(worker, shard int) error, helpers int) (moved int, err error) {
	if err := st.gather(ctx, work, helpers); err != nil {
		return 0, err
	}
	for w := range st.workers {
		moved += st.workers[w].moved
	}
	st.fresh = st.fresh && moved == 0
	st.moves += moved
	return moved, nil
}

func (st *state) assignBlocks(worker, i int) error {
	s, w := st.shards[i], &st.workers[worker]
	for n := s.first; n < s.end; n++ {
		if err := st.ctx.Err(); err != nil {
			return err
		}
		h, alone := s.taken.take(n, st.pool.Look)
		if alone {
			h.before = w.previous
			h.err = st.assignBlock(worker, n, h.before)
		}
		if h.err != nil {
			return h.err
		}
		if err := st.collectMoves(worker, s, n, h.before); err != nil {
			return err
		}
		if !alone {
			st.lent.give(h.before)
		}
	}
	return nil
}

// assignBlock assigns a block, after it has written the labels to before.
func (st *state) assignBlock(worker, n int, before []int32) error {
	b := st.rows.Block(n)
	labels := st.labels[b.Row0 : b.Row0+b.X.Rows]
	copy(before, labels)
	st.workers[worker].assigned++
	return st.c.Assign(st.model, b, labels, st.scratch[b.Index])
}

// collectMoves moves the statistics of the rows of a block whose labels are not those of before.
func (st *state) collectMoves(worker int, s *shard, n int, before []int32) error {
	b := st.rows.Block(n)
	labels := st.labels[b.Row0 : b.Row0+b.X.Rows]
	before = before[:len(labels)]
	moved, noise := st.workers[worker].countMoves(b, before, labels)
	if noise && (moved > 0 || st.plan.Fresh) {
		if err := st.checkNoise(b.Row0, labels); err != nil {
			return err
		}
	}
	if moved == 0 {
		return nil
	}
	return st.c.Collect(b, before, labels, st.fold.of(worker, s))
}

// checkNoise refuses a row without a cluster where the plan declares none. labels are
// those of the rows from the first on.
func (st *state) checkNoise(first int, labels []int32) error {
	if st.plan.Noise {
		return nil
	}
	if i := slices.Index(labels, -1); i >= 0 {
		return framework.Faultf(framework.Plugin, "undeclared-noise", "the algorithm gives row %d no cluster", first+i).
			WithHint("a plan with Noise says that Assign may do so; ask the plugin's author")
	}
	return nil
}

// recollect computes the statistics from the labels alone.
func (st *state) recollect(ctx context.Context) error {
	if st.away != nil {
		return st.recollectAway(ctx)
	}
	st.stats.Zero()
	clear(st.sizes)
	if err := st.gather(ctx, st.collectShard, 0); err != nil {
		return err
	}
	st.fresh, st.moves = true, 0
	return nil
}

func (st *state) collectBlocks(worker, i int) error {
	s, w := st.shards[i], &st.workers[worker]
	for n := s.first; n < s.end; n++ {
		if err := st.ctx.Err(); err != nil {
			return err
		}
		b := st.rows.Block(n).Partly(st.part)
		labels := st.labels[b.Row0 : b.Row0+b.X.Rows]
		some := false
		for r, to := range labels {
			some = some || to >= 0
			w.resize(b.RowWeight, r, -1, to)
		}
		if !some {
			continue
		}
		if err := st.c.Collect(b, nil, labels, st.fold.of(worker, s)); err != nil {
			return err
		}
	}
	return nil
}

// update returns the objective of the present model and labels, and what to
// project next.
func (st *state) update(ctx context.Context) (step framework.Step, err error) {
	var rows framework.Rows
	var labels []int32
	if st.plan.NeedsRows {
		rows, labels = framework.Partly(st.rows, st.part), st.labels
	}
	st.sharing(func() { step, err = st.c.Update(ctx, st.model, st.stats, rows, labels) })
	if err == nil && st.trim != nil {
		step.Objective, err = st.trimmedObjective(ctx)
	}
	step.Objective = st.limits.charged(step.Objective, st.labels, st.plan.Maximize)
	return step, err
}

// project projects the targets that have the given cadence.
func (st *state) project(step framework.Step, cadence framework.Cadence) (framework.Outcome, error) {
	var all framework.Outcome
	for t, at := range step.At {
		if at == nil || st.plan.Cadence[t] != cadence {
			continue
		}
		st.trim.forget()
		o, err := st.c.Project(st.model, framework.Target(t), *at)
		if err != nil {
			return all, err
		}
		all.Change = max(all.Change, o.Change)
		if all.Stop == "" {
			all.Stop = o.Stop
		}
	}
	return all, nil
}

// empty returns the clusters without rows of positive weight.
func (st *state) empty() []int {
	var empty []int
	for j, n := range st.sizes {
		if n == 0 {
			empty = append(empty, j)
		}
	}
	return empty
}

// selected counts the selected entries of the model.
func (st *state) selected() int {
	n := 0
	for _, s := range st.model.Selected {
		if s {
			n++
		}
	}
	return n
}
