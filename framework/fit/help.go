package fit

import (
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// taken says which blocks of a shard are taken in a pass that assigns. The worker that has
// the shard takes them from the first one on. Workers that have none of their own to begin help: they
// take blocks from the last one on, so that none waits long for another at the end of a
// pass, and more workers than shards have work. They assign only. What a shard collects is
// in the order of its blocks, by the worker that has it, whoever has assigned them. Its first
// block is not lent: a worker that begins late has a part in the pass nevertheless.
type taken struct {
	mu         sync.Mutex
	ends       *sync.Cond   // a help has ended
	ended      atomic.Int64 // how many have, in all passes
	next, last int          // blocks from next to last−1 are not taken
	lendable   int          // the first block that others may take
	helped     []help       // blocks that others have taken, the last block first
}

// A help is a block that is assigned by another worker than that of its shard.
type help struct {
	before []int32 // its labels before
	ended  bool
	err    error
}

// begin begins a pass.
func (t *taken) begin(first, end int) {
	if t.ends == nil {
		t.ends = sync.NewCond(&t.mu)
	}
	t.next, t.last, t.lendable, t.helped = first, end, first+1, t.helped[:0]
}

// take takes a block for the worker of the shard, which asks for one after the other. It
// returns whether nobody has helped, or else the help when it has ended, for which it looks before it sleeps.
func (t *taken) take(block int, look func(isSo func() bool) bool) (help, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if block < t.last {
		t.next = block + 1
		return help{}, true
	}
	at := len(t.helped) - 1 - (block - t.last)
	for !t.helped[at].ended {
		before := t.ended.Load()
		t.mu.Unlock()
		look(func() bool { return t.ended.Load() != before })
		t.mu.Lock()
		if t.ended.Load() == before {
			t.ends.Wait()
		}
	}
	return t.helped[at], false
}

// left returns how many blocks others may take.
func (t *taken) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last - max(t.next, t.lendable)
}

// lend takes a block for a worker that helps. before is room for its labels.
func (t *taken) lend(before []int32) (block int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last <= max(t.next, t.lendable) {
		return 0, false
	}
	t.last--
	t.helped = append(t.helped, help{before: before})
	return t.last, true
}

// end says that a block that was lent is assigned.
func (t *taken) end(block int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := &t.helped[len(t.helped)-1-(block-t.last)]
	h.ended, h.err = true, err
	t.ended.Add(1)
	t.ends.Broadcast()
}

// help assigns blocks of shards that other workers have, as long as there are any, and
// nothing has failed. The worker that has the shard returns the error of a block, too.
func (st *state) help(worker int) error {
	for st.ctx.Err() == nil && !st.pool.Failed() {
		most, of := 0, (*shard)(nil)
		for _, s := range st.shards {
			if n := s.taken.left(); n > most {
				most, of = n, s
			}
		}
		if of == nil {
			return nil
		}
		before := st.lent.take()
		block, ok := of.taken.lend(before)
		if !ok {
			st.lent.give(before)
			continue
		}
		err := parallel.Guard(func() error { return st.assignBlock(worker, block, before) })
		if of.taken.end(block, err); err != nil {
			return err
		}
	}
	return nil
}
