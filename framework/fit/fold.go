package fit

import (
	"context"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// A fold adds what the shards collect in a pass to the totals, in the order of the
// shards, while other shards are still at work. A shard has statistics of its own from its
// first row until they are added, and the next shard gets them then: as many are in use as
// shards are at work or wait for a lower one, and a pass of one worker needs no more than
// stay in its cache.
//
// The totals are cut into pieces, each of which knows which shard is its next one. A
// shard that ends goes over all pieces, and adds to each what is there up to the first
// shard that has not ended. So every number of the totals gets its terms in the same order
// whatever ends first, and several shards that end at once share the pieces.
type fold struct {
	totals framework.Stats
	shards []*shard
	pieces []piece                 // none if there is one shard, which writes to the totals
	zeros  spares[framework.Stats] // that no shard has now
}

// A piece is some numbers of one statistic.
type piece struct {
	stat, from, to int

	mu   sync.Mutex
	next int // the shard that is added next
}

// foldedAtOnce is how many numbers a piece has: few enough to stay in a first cache.
const foldedAtOnce = 2048

func newFold(declared []framework.Stat, totals framework.Stats, shards []*shard) *fold {
	f := &fold{totals: totals, shards: shards}
	f.zeros.fresh = func() framework.Stats { return newStats(declared) }
	for i, v := range totals {
		for from := 0; len(shards) > 1 && from < len(v); from += foldedAtOnce {
			f.pieces = append(f.pieces, piece{stat: i, from: from, to: min(from+foldedAtOnce, len(v))})
		}
	}
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
	for _, s := range f.shards {
		s.ended.Store(false)
		s.moves = nil // of a pass that an error has ended
	}
	for i := range f.pieces {
		f.pieces[i].next = 0
	}
}

// of returns the statistics of a shard in this pass.
func (f *fold) of(s *shard) framework.Stats {
	if len(f.shards) == 1 {
		return f.totals
	}
	if s.moves == nil {
		s.moves = f.zeros.take()
		s.left.Store(int64(len(f.pieces)))
	}
	return s.moves
}

// ends says that shard i has collected all it will, and adds what can be added now. Shards begin with
// different pieces, so that they do not wait for each other.
func (f *fold) ends(i int) {
	f.shards[i].ended.Store(true)
	n := len(f.pieces)
	for t := range n {
		f.addTo(&f.pieces[(i*n/len(f.shards)+t)%n])
	}
}

// addTo adds to a piece what has ended.
func (f *fold) addTo(p *piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; p.next < len(f.shards) && f.shards[p.next].ended.Load(); p.next++ {
		s := f.shards[p.next]
		if s.moves == nil {
			continue
		}
		kernel.Drain(f.totals[p.stat][p.from:p.to], s.moves[p.stat][p.from:p.to])
		if s.left.Add(-1) == 0 {
			zeros := s.moves // by now
			s.moves = nil
			f.zeros.give(zeros)
		}
	}
}

// gather is each for a pass in which shards collect statistics: it adds them, and the
// sizes of clusters, to the totals. So many workers help that have none of their own to begin.
func (st *state) gather(ctx context.Context, work func(worker, shard int) error, helpers int) error {
	st.fold.begin()
	st.work, st.ctx = work, ctx
	if err := st.pool.For(ctx, len(st.shards)+helpers, st.gatherShard); err != nil {
		return err
	}
	for _, s := range st.shards {
		for j, d := range s.sizes {
			st.sizes[j] += d
		}
		clear(s.sizes)
	}
	return nil
}

func (st *state) gatherBlocks(worker, i int) error {
	if i >= len(st.shards) { // few are left to begin
		return st.help(worker)
	}
	if err := st.work(worker, i); err != nil {
		return err
	}
	st.fold.ends(i)
	return nil
}
