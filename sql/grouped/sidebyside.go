package grouped

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// SideBySide does some work n times, on so many threads. After an error no work of a higher
// number is begun; the error is that of the least number which has one. A panic is one, too.
func SideBySide(n, threads int, work func(i int) error) error {
	errs := make([]error, n)
	guarded := func(i int) { // a panic here would end the program
		defer func() {
			if r := recover(); r != nil {
				errs[i] = fmt.Errorf("internal error: %v", r)
			}
		}()
		errs[i] = work(i)
	}
	var next, end atomic.Int64 // end: n, or the least number that failed
	end.Store(int64(n))
	var all sync.WaitGroup
	for range min(n, max(threads, 1)) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if int64(i) >= end.Load() {
					return
				}
				if guarded(i); errs[i] == nil {
					continue
				}
				for least := end.Load(); int64(i) < least && !end.CompareAndSwap(least, int64(i)); {
					least = end.Load()
				}
			}
		})
	}
	all.Wait()
	if least := end.Load(); least < int64(n) {
		return errs[least]
	}
	return nil
}

// aLot is how many rows a group has at least that is given more than one thread.
const aLot = 10_000

// overGroups does some work for each of the groups from a number to before another: for
// those with more rows than a thread should have one after the other, on all threads, and
// then for the others side by side. The result of a group depends on none of that. A group
// that fails does not end the others, unless its fault is one that all have, or none of
// theirs. ended is called after each.
func overGroups[T any](ctx context.Context, r *result.Grouped[T], from, to, threads int, ended func(),
	run func(ctx context.Context, group, threads int) (T, result.Model, error)) error {
	n, all, sizes := to-from, 0, r.Groups.Sizes
	threads = max(threads, 1)
	order := make([]int, n) // the largest first
	for i := range order {
		order[i] = from + i
		all += sizes[from+i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	one := func(g, threads int) (err error) {
		r.Of[g], r.Models[g], err = run(ctx, g, threads)
		if f := framework.AsFault(err); f != nil && isOfGroup(f) && ctx.Err() == nil {
			r.Faults[g] = f
			r.Models[g] = result.Model{Status: f.Code, Message: whole(f), Objective: math.NaN(), Iterations: -1}
			err = nil
		}
		r.Models[g].Rows = sizes[g]
		ended()
		return err
	}
	large := 0
	for large < n && sizes[order[large]] > max(all/threads-1, aLot) {
		large++
	}
	for _, g := range order[:large] {
		if err := SideBySide(1, 1, func(int) error { return one(g, threads) }); err != nil {
			return err
		}
	}
	return SideBySide(n-large, threads, func(i int) error { return one(order[large+i], 1) })
}
