package seeding

import (
	"context"
	"sync"
	"sync/atomic"
)

// each calls do(0) … do(count−1) on up to threads goroutines, in any order. It
// stops early, with ctx's error, when ctx is done.
func each(ctx context.Context, threads, count int, do func(i int)) error {
	threads = min(threads, count)
	if threads <= 1 {
		for i := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				do(i)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
