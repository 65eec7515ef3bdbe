package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestEveryIndexIsDoneOnce(t *testing.T) {
	for threads := range 5 {
		for n := range 7 {
			pool := parallel.NewPool(threads)
			for range 2 { // a pool is used again, and after its end
				for _, run := range []func(func(int, int) error) error{
					func(work func(int, int) error) error { return parallel.For(t.Context(), threads, n, work) },
					func(work func(int, int) error) error { return pool.For(t.Context(), n, work) },
					func(work func(int, int) error) error { return pool.Runs(t.Context(), n, 3, work) },
				} {
					done := make([]atomic.Int64, n)
					must.Do(t, run(func(worker, i int) error {
						if worker < 0 || worker >= max(1, threads) {
							t.Errorf("worker %d of %d", worker, threads)
						}
						done[i].Add(1)
						return nil
					}))
					for i := range done {
						if got := done[i].Load(); got != 1 {
							t.Errorf("%d threads: %d of %d is done %d times", threads, i, n, got)
						}
					}
				}
				pool.Stop()
			}
		}
	}
}

// Workers that still look for work, that are about to sleep and that sleep all take part in the
// next round, and the caller sees all that they did; with a processor for each and without.
func TestEveryRoundIsDoneHoweverLongWorkersHaveWaited(t *testing.T) {
	for _, threads := range []int{2, 2 * runtime.GOMAXPROCS(0)} {
		pool := parallel.NewPool(threads)
		sums := make([]int, threads) // not atomic: For orders what is written
		const rounds, n = 600, 9
		for round := range rounds {
			for began := time.Now(); time.Since(began) < time.Duration(round)*time.Microsecond; { // a worker looks for 300
			}
			must.Do(t, pool.Runs(t.Context(), n, 1+round%3, func(worker, i int) error {
				sums[worker] += i
				return nil
			}))
			total := 0
			for _, s := range sums {
				total += s
			}
			if want := (round + 1) * n * (n - 1) / 2; total != want {
				t.Fatalf("%d threads, round %d: the sum is %d, not %d", threads, round, total, want)
			}
		}
		pool.Stop()
	}
}

// In each of their turns, all workers meet before one of them ends, so that none is left for another.
func TestAWorkerHasTheSameIndicesInEveryRound(t *testing.T) {
	const workers, each = 3, 6
	pool := parallel.NewPool(workers)
	defer pool.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for round, run := range []int{1, 1, 3, 3, 6, 2} {
		var begun [each]atomic.Int64
		all := [each]chan struct{}{}
		for i := range all {
			all[i] = make(chan struct{})
		}
		must.Do(t, pool.Runs(ctx, workers*each, run, func(worker, i int) error {
			turn := i/(run*workers)*run + i%run
			if i/run%workers != worker {
				t.Errorf("round %d, runs of %d: worker %d has %d", round, run, worker, i)
				cancel() // the others wait in vain
			}
			if begun[turn].Add(1) == workers {
				close(all[turn])
			}
			select {
			case <-all[turn]:
			case <-ctx.Done():
			}
			return nil
		}))
	}
}

// Worker 1 has begun its first index, and does not end before all others are done.
func TestAWorkerTakesWhatAnotherIsBehindWith(t *testing.T) {
	const n = 40
	for _, run := range []int{1, 2, 5} {
		most := 2*2*run + run - 1 // two rounds ahead, of two workers, and to the end of its run
		pool := parallel.NewPool(2)
		var order []int
		begun, done := make(chan struct{}), make(chan struct{})
		must.Do(t, pool.Runs(t.Context(), n, run, func(_, i int) error {
			if i == run {
				close(begun)
				<-done
				return nil
			}
			<-begun
			if order = append(order, i); len(order) == n-1 {
				close(done)
			}
			return nil
		}))
		pool.Stop()
		left := map[int]bool{}
		for i := range n {
			left[i] = i != run
		}
		for lowest, at := 0, 0; at < len(order); at++ {
			for ; !left[lowest]; lowest++ {
			}
			if order[at] > lowest+most {
				t.Errorf("runs of %d: %d is begun while %d is left: %v", run, order[at], lowest, order)
			}
			left[order[at]] = false
		}
	}
}

func TestAllBelowAFailureAreDoneAfterTheEndOfAPoolToo(t *testing.T) {
	pool := parallel.NewPool(3)
	pool.Stop()
	var order []int
	err := pool.For(t.Context(), 7, func(_, i int) error {
		if order = append(order, i); i == 4 {
			return errors.New("at 4")
		}
		return nil
	})
	if want := []int{0, 1, 2, 3, 4}; err == nil || !slices.Equal(order, want) {
		t.Errorf("%v, %v", order, err)
	}
}

func TestTheErrorIsThatOfTheLowestIndexWhateverComesFirst(t *testing.T) {
	const n, lowest = 200, 57
	for threads := 1; threads < 5; threads++ {
		higher := make(chan struct{}) // closed when a higher index has failed
		err := parallel.For(t.Context(), threads, n, func(_, i int) error {
			switch {
			case i == lowest && threads > 1:
				<-higher
				return errors.New("lowest")
			case i == lowest+1 && threads > 1:
				defer close(higher)
				fallthrough
			case i >= lowest:
				return fmt.Errorf("at %d", i)
			}
			return nil
		})
		want := "lowest"
		if threads == 1 {
			want = "at 57"
		}
		if err == nil || err.Error() != want {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestNothingIsBegunAfterAnErrorOrACancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := 0
	err := parallel.For(ctx, 1, 10, func(_, i int) error {
		begun++
		if i == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || begun != 4 {
		t.Errorf("%v after %d", err, begun)
	}
}

func TestAPanicIsAFault(t *testing.T) {
	for _, threads := range []int{1, 3} {
		err := parallel.For(t.Context(), threads, 8, func(_, i int) error { panic(fmt.Sprint("at ", i)) })
		const want = "the algorithm stopped with an internal error: at 0"
		if f := framework.AsFault(err); f == nil || f.Code != "plugin-panic" || f.Summary != want {
			t.Errorf("%v", err)
		}
	}
}
