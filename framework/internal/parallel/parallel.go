// Package parallel runs a numbered piece of work on several goroutines. Which of
// them does what is left to chance, and no result may depend on it.
package parallel

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// For calls work(worker, i) for every i below n, on at most as many goroutines as
// there are threads; worker is the number of the goroutine. With one thread, the
// caller's goroutine makes all calls, in order.
//
// For returns the error of the lowest i that failed, so that the error does not
// depend on timing: all lower i have been done, and no higher i is begun after the
// failure. Once ctx is done, every i that is not begun fails with ctx's error. A
// panic in work is an error too, see Guard.
func For(ctx context.Context, threads, n int, work func(worker, i int) error) error {
	p := NewPool(min(threads, n))
	defer p.Stop()
	return p.For(ctx, n, work)
}

// Each is For for work that cannot fail but by a panic.
func Each(ctx context.Context, threads, n int, work func(worker, i int)) error {
	return For(ctx, threads, n, func(worker, i int) error {
		work(worker, i)
		return nil
	})
}

// A Pool is goroutines that wait for work between one For and the next. Only one
// For may run at a time. Its goroutines end with Stop.
type Pool struct {
	workers []*bell      // of each worker but the first, which is the caller
	caller  *bell        // of the caller, who waits for the others
	rounds  atomic.Int64 // how many For have begun; stopped: there will be none
	working atomic.Int64 // workers but the caller that have not ended this one

	// Of the For in hand.
	ctx    context.Context
	work   func(worker, i int) error
	n, run int64
	next   []next       // by worker, what is left of its own
	end    atomic.Int64 // n, or the lowest i that failed
	failed sync.Mutex   // guards err, and that end only falls
	err    error        // of end
}

// stopped is larger than any number of rounds.
const stopped = math.MaxInt64

// NewPool returns a pool of as many workers as there are threads, at least one.
func NewPool(threads int) *Pool {
	p := &Pool{caller: newBell(threads), next: make([]next, max(1, threads))}
	for w := 1; w < threads; w++ {
		bell := newBell(threads)
		p.workers = append(p.workers, bell)
		go p.serve(w, bell)
	}
	return p
}

// serve does a worker's part of each round.
func (p *Pool) serve(worker int, bell *bell) {
	for round := int64(1); ; round++ {
		bell.wait(func() bool { return p.rounds.Load() >= round })
		if p.rounds.Load() == stopped {
			return
		}
		p.take(worker)
		if p.working.Add(-1) == 0 {
			p.caller.ring()
		}
	}
}

// Workers returns the number of workers.
func (p *Pool) Workers() int { return 1 + len(p.workers) }

// Stop ends the goroutines. The pool still works, on that of the caller.
func (p *Pool) Stop() {
	p.rounds.Store(stopped)
	for _, b := range p.workers {
		b.ring()
	}
	p.workers = nil
}

// For is the function For, on the workers of the pool: Runs of one.
func (p *Pool) For(ctx context.Context, n int, work func(worker, i int) error) error {
	return p.Runs(ctx, n, 1, work)
}

// Runs is For, and says which i a worker has, unless another is faster: of W workers, worker w has every Wth run of
// so many i that follow each other, from run w on, and takes them in order. It takes what another has left when its
// own are begun or the other is far behind. So most of the memory of an i stays in the caches of one processor from
// one call to the next, what a run has in common stays there meanwhile, and those that are begun are close together.
func (p *Pool) Runs(ctx context.Context, n, run int, work func(worker, i int) error) error {
	p.ctx, p.work, p.n, p.run, p.err = ctx, work, int64(n), int64(run), nil
	p.next = p.next[:p.Workers()] // one after Stop
	for w := range p.next {
		p.next[w].Store(int64(w) * p.run)
	}
	p.end.Store(p.n)
	if len(p.workers) > 0 {
		p.working.Store(int64(len(p.workers)))
		p.rounds.Add(1)
		for _, b := range p.workers {
			b.ring()
		}
	}
	p.take(0)
	if p.working.Load() > 0 {
		p.caller.wait(func() bool { return p.working.Load() == 0 })
	}
	return p.err
}

// Failed reports whether anything in the For in hand has failed. Work that takes long may ask,
// and end, if what it does is not needed to know the error.
func (p *Pool) Failed() bool { return p.end.Load() < p.n }

// Look looks whether it is so for as long as workers do before they sleep. Work that waits for another
// worker may ask before it sleeps, too.
func (p *Pool) Look(isSo func() bool) bool { return p.caller.look(isSo) }

// take works until nothing is left to begin.
func (p *Pool) take(worker int) {
	for i := p.begin(worker); i < p.end.Load(); i = p.begin(worker) {
		err := p.ctx.Err()
		if err == nil {
			err = p.call(worker, int(i))
		}
		if err != nil {
			p.fail(i, err)
		}
	}
}

// ahead is how many rounds, of a run for each worker, one may be ahead of another before it takes from that one: the
// farther it is, the more of what both collect is in use at once.
const ahead = 2

// begin returns the next number of the worker, or the lowest that another has left, where that is
// far behind or the worker has none; n if none is left. To look at what others have left takes longer than
// short work does, so it does so once a run.
func (p *Pool) begin(worker int) int64 {
	for {
		of := &p.next[worker]
		i := of.Load()
		if i >= p.n || i%p.run == 0 {
			least, behind := i, of
			for w := range p.next {
				if other := p.next[w].Load(); other < least {
					least, behind = other, &p.next[w]
				}
			}
			if least >= p.n {
				return p.n
			}
			if i >= p.n || i > least+ahead*p.run*int64(len(p.next)) {
				i, of = least, behind
			}
		}
		if of.CompareAndSwap(i, p.after(i)) {
			return i
		}
	}
}

// after returns the number that a worker has after i.
func (p *Pool) after(i int64) int64 {
	if i++; i%p.run == 0 {
		i += p.run * int64(len(p.next)-1)
	}
	return i
}

// A next is the next number of a worker, in a cache line of its own.
type next struct {
	atomic.Int64
	_ [56]byte
}

func (p *Pool) call(worker, i int) (err error) {
	defer recovered(&err)
	return p.work(worker, i)
}

func (p *Pool) fail(i int64, err error) {
	p.failed.Lock()
	defer p.failed.Unlock()
	if i < p.end.Load() {
		p.end.Store(i)
		p.err = err
	}
}

// Guard makes a Fault of a panic of work, which must not take the process down
// from a goroutine that nobody can recover in.
func Guard(work func() error) (err error) {
	defer recovered(&err)
	return work()
}

func recovered(err *error) {
	if r := recover(); r != nil {
		*err = framework.Faultf(framework.Plugin, "plugin-panic", "the algorithm stopped with an internal error: %s", fmt.Sprint(r)).
			WithHint("this is a bug in the plugin; please report it to its author")
	}
}
