package seeding

import (
	"context"
	"sync"
	"sync/atomic"
)

// each calls do for all i below count on up to threads goroutines, in any order,
// and tells it which of them (0..threads−1) it is on. It stops early, with ctx's
// error, when ctx is done.
func each(ctx context.Context, threads, count int, do func(worker, i int)) error {
	threads = min(threads, count)
	if threads <= 1 {
		for i := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(0, i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range threads {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				do(worker, i)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
