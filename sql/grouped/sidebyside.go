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
	"github.com/sqlcluster/sqlcluster/sql/input"
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

// RunEach makes the run of each group: see overGroups. A group that fails does not end the
// others, unless its fault is one that all have, or none of theirs.
func RunEach[T any](ctx context.Context, e *Each, run func(ctx context.Context, group, threads int) (T, result.Model, error)) (
	*result.Grouped[T], error) {
	groups := e.Groups()
	r, err := overGroups(ctx, groups, e.Settings.Threads, func() { e.tell(groups.Len()) }, run)
	if err != nil {
		return nil, err
	}
	return r, noneDone(r, "fitted")
}

// overGroups does some work for each group: for those with more rows than a thread should
// have one after the other, on all threads, and then for the others side by side. The
// result of a group depends on none of that. ended is called after each.
func overGroups[T any](ctx context.Context, groups *input.Groups, threads int, ended func(),
	run func(ctx context.Context, group, threads int) (T, result.Model, error)) (*result.Grouped[T], error) {
	n, all := groups.Len(), 0
	threads = max(threads, 1)
	r := &result.Grouped[T]{Groups: groups, Of: make([]T, n), Faults: make([]*framework.Fault, n), Models: make([]result.Model, n)}
	order := make([]int, n) // the largest first
	for g := range order {
		order[g] = g
		all += groups.Sizes[g]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(groups.Sizes[b], groups.Sizes[a]) })
	one := func(g, threads int) (err error) {
		r.Of[g], r.Models[g], err = run(ctx, g, threads)
		if f := framework.AsFault(err); f != nil && isOfGroup(f) && ctx.Err() == nil {
			r.Faults[g] = f
			r.Models[g] = result.Model{Status: f.Code, Message: whole(f), Objective: math.NaN(), Iterations: -1}
			err = nil
		}
		r.Models[g].Rows = groups.Sizes[g]
		ended()
		return err
	}
	large := 0
	for large < n && groups.Sizes[order[large]] > max(all/threads-1, aLot) {
		large++
	}
	for _, g := range order[:large] {
		if err := SideBySide(1, 1, func(int) error { return one(g, threads) }); err != nil {
			return nil, err
		}
	}
	return r, SideBySide(n-large, threads, func(i int) error { return one(order[large+i], 1) })
}
