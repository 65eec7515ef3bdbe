package tune

import (
	"cmp"
	"context"
	"sync"
)

// smallCells is the number of cells up to which fits are made side by side, one
// thread each: see package fit.
const smallCells = 1 << 20

// sideBySide does n things on up to the given number of workers, each of which
// takes the next one that nobody has begun. The first error ends it, as soon as
// what was begun has ended, and is returned.
func sideBySide(ctx context.Context, n, workers int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var wait sync.WaitGroup
	var first error
	next := 0
	for range min(workers, n) {
		wait.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n || ctx.Err() != nil {
					return
				}
				if err := do(ctx, i); err != nil {
					mu.Lock()
					first = cmp.Or(first, err)
					mu.Unlock()
					cancel()
				}
			}
		})
	}
	wait.Wait()
	return cmp.Or(first, ctx.Err())
}
