package fit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A pool runs work over numbered shards on a number of pool. Each worker
// begins with the shard of its own number; who gets which of the others is left
// to chance, and no result may depend on it. The calling
// goroutine is worker 0; the others wait for work until the pool stops.
type pool struct {
	workers int
	done    []int // blocks that each worker has assigned

	begin []chan struct{} // one for each worker but the first
	wait  sync.WaitGroup
	ctx   context.Context // of the work in hand
	work  func(worker, shard int) error
	next  atomic.Int64
	errs  []error // by shard
}

func newPool(threads, shards int) *pool {
	t := &pool{workers: max(1, min(threads, shards)), errs: make([]error, shards)}
	t.done = make([]int, t.workers)
	for w := 1; w < t.workers; w++ {
		begin := make(chan struct{})
		t.begin = append(t.begin, begin)
		go func() {
			for range begin {
				t.take(w)
				t.wait.Done()
			}
		}()
	}
	return t
}

// stop ends the workers but the first, and forgets what they have done.
func (t *pool) stop() {
	for _, b := range t.begin {
		close(b)
	}
	t.begin, t.workers, t.done = nil, 1, t.done[:1]
}

// each calls work for every shard and returns the error of the lowest shard
// that failed. A panic in work becomes a Fault: it must not take the process
// down from a goroutine that nobody can recover in.
func (t *pool) each(ctx context.Context, work func(worker, shard int) error) error {
	t.ctx, t.work = ctx, work
	t.next.Store(int64(t.workers))
	clear(t.errs)
	t.wait.Add(len(t.begin))
	for _, b := range t.begin {
		b <- struct{}{}
	}
	t.take(0)
	t.wait.Wait()
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// take works on shards until none is left, or one has failed.
func (t *pool) take(worker int) {
	for s := worker; s < len(t.errs); s = int(t.next.Add(1)) - 1 {
		if t.errs[s] = guarded(t.ctx, t.work, worker, s); t.errs[s] != nil {
			return
		}
	}
}

func guarded(ctx context.Context, work func(worker, shard int) error, worker, shard int) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = panicFault(r)
		}
	}()
	return work(worker, shard)
}

func panicFault(r any) error {
	return framework.Faultf(framework.Plugin, "plugin-panic", "the algorithm stopped with an internal error: %s", fmt.Sprint(r)).
		WithHint("this is a bug in the plugin; please report it to its author")
}
