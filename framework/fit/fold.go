package fit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// A fold adds what the shards collect in a pass to the totals, in the order of the
// shards, while other shards are still at work. A shard has statistics of its own from its
// first row until they are added, and a later shard gets them then: as many are in use as
// shards are at work or wait for a lower one, and a pass of one worker needs no more than
// stay in its cache.
//
// The totals are cut into pieces, each of which knows which shard is its next one. A
// shard that ends goes over all pieces, and adds to each what is there up to the first
// shard that has not ended. So every number of the totals gets its terms in the same order
// whatever ends first, and several shards that end at once share the pieces.
//
// To bring statistics from the cache of one processor to that of another takes longer than to add
// them. Where they are small, a worker therefore has runs of shards, and adds what it has collected itself only:
// the totals change their cache once a run, and what has been collected never does. What is then left is added at
// the end of the pass.
type fold struct {
	totals framework.Stats
	shards []*shard
	run    int     // shards that follow each other that a worker has
	pass   int64   // the number of the one in hand
	pieces []piece // none if there is one shard, which writes to the totals
	zeros  []zeros // by worker
}

// A zeros are statistics that a worker has filled, and that no shard has now.
type zeros struct {
	spares[framework.Stats]
	_ [64]byte // no other worker writes to the same cache line
}

// A piece is some numbers of one statistic.
type piece struct {
	stat, from, to int

	mu   sync.Mutex
	next atomic.Int64 // the shard that is added next; who has mu writes it
}

const (
	foldedAtOnce = 2048     // numbers of a piece: few enough to stay in a first cache
	longestRun   = 4        // shards: more would be left at the end of a pass
	runNumbers   = 32 << 10 // of a run: few enough to stay in a second cache, beside rows
	leastRuns    = 8        // of each worker
)

// newFold returns the fold of the shards on so many workers.
func newFold(declared []framework.Stat, totals framework.Stats, shards []*shard, workers int) *fold {
	f := &fold{totals: totals, shards: shards, zeros: make([]zeros, workers)}
	for w := range f.zeros {
		f.zeros[w].fresh = func() framework.Stats { return newStats(declared) }
	}
	size := 1
	for i, v := range totals {
		size += len(v)
		for from := 0; len(shards) > 1 && from < len(v); from += foldedAtOnce {
			f.pieces = append(f.pieces, piece{stat: i, from: from, to: min(from+foldedAtOnce, len(v))})
		}
	}
	f.run = max(1, min(longestRun, runNumbers/size, len(shards)/(leastRuns*workers)))
	return f
}

// newStats returns zeros that are about to be written.
func newStats(declared []framework.Stat) framework.Stats {
	s := framework.NewStats(declared)
	for _, v := range s {
		ram.Provide(v)
	}
	return s
}

// begin begins a pass.
func (f *fold) begin() {
	f.pass++
	for i := range f.pieces {
		f.pieces[i].next.Store(0)
	}
}

// forget drops what is left of a pass that an error has ended.
func (f *fold) forget() {
	for _, s := range f.shards {
		s.moves = nil
	}
}

// of returns the statistics of a shard, which the worker has in this pass.
func (f *fold) of(worker int, s *shard) framework.Stats {
	if len(f.shards) == 1 {
		return f.totals
	}
	if s.moves == nil {
		s.moves = f.take(worker)
		s.left.Store(int64(len(f.pieces)))
	}
	return s.moves
}

// take returns zeros that the worker has had before, or else another, or new ones. There are never more than shards:
// each of these takes one in a pass, and one that no other takes stays where it is found.
func (f *fold) take(worker int) framework.Stats {
	for w := range f.zeros {
		if zeros, ok := f.zeros[(worker+w)%len(f.zeros)].last(); ok {
			return zeros
		}
	}
	return f.zeros[worker].fresh()
}

// ends says that shard i has collected all it will, and adds what can be added now. Shards begin with
// different pieces, so that they do not wait for each other.
func (f *fold) ends(worker, i int) {
	s := f.shards[i]
	nothing := s.moves == nil
	if s.by = worker; nothing {
		s.by = nobody
	}
	s.ended.Store(f.pass)
	if nothing && f.run > 1 {
		return // whoever ends next and has something goes on
	}
	n := len(f.pieces)
	for t := range n {
		f.addTo(&f.pieces[(i*n/len(f.shards)+t)%n], worker)
	}
}

// addTo adds to a piece what has ended, unless another worker is about to.
func (f *fold) addTo(p *piece, worker int) {
	for f.addable(p.next.Load(), worker) && p.mu.TryLock() {
		i := p.next.Load()
		for ; f.addable(i, worker); i++ {
			f.add(p, i)
		}
		p.next.Store(i)
		p.mu.Unlock() // whoever came meanwhile has gone, so look again
	}
}

// addable reports whether the worker adds shard i when it is its turn.
func (f *fold) addable(i int64, worker int) bool {
	if i >= int64(len(f.shards)) {
		return false
	}
	s := f.shards[i]
	return s.ended.Load() == f.pass && (f.run == 1 || s.by == worker || s.by == nobody)
}

// addRest adds what is left when all shards have ended, on one worker.
func (f *fold) addRest() {
	for t := range f.pieces {
		p := &f.pieces[t]
		for i := p.next.Load(); i < int64(len(f.shards)); i++ {
			f.add(p, i)
		}
	}
}

// add adds to a piece what shard i has collected.
func (f *fold) add(p *piece, i int64) {
	s := f.shards[i]
	if s.by == nobody {
		return
	}
	kernel.Drain(f.totals[p.stat][p.from:p.to], s.moves[p.stat][p.from:p.to])
	if s.left.Add(-1) == 0 {
		zeros := s.moves // by now
		s.moves = nil
		f.zeros[s.by].give(zeros)
	}
}

// gather is each for a pass in which shards collect statistics: it adds them, and the
// sizes of clusters, to the totals. So many workers help that have none of their own to begin.
func (st *state) gather(ctx context.Context, work func(worker, shard int) error, helpers int) error {
	st.fold.begin()
	for w := range st.workers {
		st.workers[w].begin()
	}
	st.work, st.ctx = work, ctx
	if err := st.pool.Runs(ctx, len(st.shards)+helpers, st.fold.run, st.gatherShard); err != nil {
		st.fold.forget()
		return err
	}
	st.fold.addRest()
	for w := range st.workers {
		for j, d := range st.workers[w].sizes {
			st.sizes[j] += d
		}
	}
	return nil
}

func (st *state) gatherBlocks(worker, i int) error {
	if i >= len(st.shards) { // the worker has begun all of its own
		return st.help(worker)
	}
	if err := st.work(worker, i); err != nil {
		return err
	}
	st.fold.ends(worker, i)
	return nil
}
