package fit

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
)

// state is one run in progress: the model, the labels and their statistics.
type state struct {
	c        framework.Clusterer
	plan     framework.Plan
	rows     framework.Rows
	team     *team
	shards   []*shard
	scratch  []framework.Scratch // by block
	previous []int32             // room for the labels before an Assign
	largest  int                 // rows of the largest block

	model  *framework.Model
	labels []int32
	stats  framework.Stats
	sizes  []int // rows of positive weight in each cluster
	fresh  bool  // stats were collected from the labels, not moved
}

func newState(c framework.Clusterer, k int, rows framework.Rows, threads int) *state {
	st := &state{c: c, plan: c.Plan(), rows: rows}
	st.shards = newShards(rows.Blocks(), k, st.plan.Stats)
	st.team = newTeam(threads, len(st.shards))
	st.scratch = make([]framework.Scratch, rows.Blocks())
	for i := range st.scratch {
		n := rows.Block(i).X.Rows
		st.scratch[i] = c.Scratch(n)
		st.largest = max(st.largest, n)
	}
	st.previous = make([]int32, st.largest*st.team.workers)
	st.labels = make([]int32, rows.Len())
	st.stats = framework.NewStats(st.plan.Stats)
	st.sizes = make([]int, k)
	return st
}

// start puts the state at the beginning of a run. Scratch is kept: it holds
// caches only.
func (st *state) start(labels []int32) {
	st.model = st.c.Begin()
	copy(st.labels, labels)
}

// prepare makes the model ready to be used by all workers.
func (st *state) prepare() {
	if p, ok := st.c.(framework.Preparer); ok {
		p.Prepare(st.model)
	}
}

// assign assigns every row and moves the statistics of those whose label
// changed. It returns how many did.
func (st *state) assign(ctx context.Context) (int, error) {
	st.prepare()
	err := st.team.each(ctx, len(st.shards), func(worker, i int) error {
		s := st.shards[i]
		s.reset()
		for b := s.first; b < s.end; b++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := st.assignBlock(worker, s, st.rows.Block(b)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	moved := 0
	for _, s := range st.shards {
		moved += s.moved
	}
	if moved > 0 {
		st.fold()
		st.fresh = false
	}
	return moved, nil
}

func (st *state) assignBlock(worker int, s *shard, b framework.Block) error {
	labels := st.labels[b.Row0 : b.Row0+b.X.Rows]
	before := st.previous[worker*st.largest:][:len(labels)]
	copy(before, labels)
	if err := st.c.Assign(st.model, b, labels, st.scratch[b.Index]); err != nil {
		return err
	}
	st.team.done[worker]++
	moved := s.moved
	for i, to := range labels {
		if from := before[i]; from != to {
			s.moved++
			s.resize(b, i, from, to)
		}
	}
	if s.moved == moved {
		return nil
	}
	return st.c.Collect(b, before, labels, s.moves)
}

// resize keeps count of the rows of positive weight.
func (s *shard) resize(b framework.Block, i int, from, to int32) {
	if b.Weight(i) <= 0 {
		return
	}
	if from >= 0 {
		s.sizes[from]--
	}
	if to >= 0 {
		s.sizes[to]++
	}
}

// fold adds what the shards collected, in their order.
func (st *state) fold() {
	for _, s := range st.shards {
		st.stats.Add(s.moves)
		for j, d := range s.sizes {
			st.sizes[j] += d
		}
	}
}

// recollect computes the statistics from the labels alone.
func (st *state) recollect(ctx context.Context) error {
	err := st.team.each(ctx, len(st.shards), func(_, i int) error {
		s := st.shards[i]
		s.reset()
		for n := s.first; n < s.end; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := st.rows.Block(n)
			labels := st.labels[b.Row0 : b.Row0+b.X.Rows]
			for r, to := range labels {
				s.resize(b, r, -1, to)
			}
			if err := st.c.Collect(b, nil, labels, s.moves); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	st.stats.Zero()
	clear(st.sizes)
	st.fold()
	st.fresh = true
	return nil
}

// update returns the objective of the present model and labels, and what to
// project next.
func (st *state) update(ctx context.Context) (framework.Step, error) {
	if st.plan.NeedsRows {
		return st.c.Update(ctx, st.model, st.stats, st.rows, st.labels)
	}
	return st.c.Update(ctx, st.model, st.stats, nil, nil)
}

// project projects the targets that have the given cadence.
func (st *state) project(step framework.Step, cadence framework.Cadence) (framework.Outcome, error) {
	var all framework.Outcome
	for t, at := range step.At {
		if at == nil || st.plan.Cadence[t] != cadence {
			continue
		}
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
