package fit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A team runs work over numbered shards on a number of workers. Which worker
// gets which shard is left to chance; no result may depend on it.
type team struct {
	workers int
	done    []int // blocks that each worker has assigned
}

func newTeam(threads, shards int) *team {
	workers := max(1, min(threads, shards))
	return &team{workers: workers, done: make([]int, workers)}
}

// each calls work for every shard and returns the error of the lowest shard
// that failed. A panic in work becomes a Fault: it must not take the process
// down from a goroutine that nobody can recover in.
func (t *team) each(ctx context.Context, shards int, work func(worker, shard int) error) error {
	if t.workers == 1 {
		for s := range shards {
			if err := guarded(ctx, work, 0, s); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, shards)
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range t.workers {
		wait.Go(func() {
			for {
				s := int(next.Add(1)) - 1
				if s >= shards {
					return
				}
				if errs[s] = guarded(ctx, work, w, s); errs[s] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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

// maxShards bounds the parallelism, and shardMemory the statistics that shards
// keep, in numbers.
const (
	maxShards   = 64
	shardMemory = 8 << 20
)

// A shard is a run of consecutive blocks with statistics of its own.
type shard struct {
	first, end int // blocks
	moves      framework.Stats
	moved      int
	sizes      []int // change of the number of rows of positive weight, by cluster
}

// newShards cuts the blocks evenly. The cut depends on the data and the plan
// only.
func newShards(blocks, k int, stats []framework.Stat) []*shard {
	size := 0
	for _, s := range stats {
		size += s.Len
	}
	count := max(1, min(blocks, maxShards, max(4, shardMemory/max(1, size))))
	shards := make([]*shard, count)
	for i := range shards {
		shards[i] = &shard{
			first: i * blocks / count, end: (i + 1) * blocks / count,
			moves: framework.NewStats(stats), sizes: make([]int, k),
		}
	}
	return shards
}

func (s *shard) reset() {
	s.moves.Zero()
	s.moved = 0
	clear(s.sizes)
}
