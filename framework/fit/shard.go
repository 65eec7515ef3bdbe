package fit

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

const (
	maxShards   = 64      // bounds the parallelism,
	shardMemory = 8 << 20 // the numbers in the statistics of all shards,
	shardRows   = 1024    // and the share of the fold: rows of a shard, at least
)

// A shard is a run of consecutive blocks with statistics of its own.
type shard struct {
	first, end int // blocks
	moves      framework.Stats
	used       bool // moves has been written since the last fold
	moved      int
	sizes      []int // change of the number of rows of positive weight, by cluster
}

// newShards cuts the blocks evenly. The cut depends on the data and the plan
// only. A single shard works on the statistics in total.
func newShards(rows framework.Rows, k int, stats []framework.Stat, total framework.Stats) []*shard {
	size := 0
	for _, s := range stats {
		size += s.Len
	}
	blocks := rows.Blocks()
	count := max(1, min(blocks, rows.Len()/shardRows, maxShards, max(4, shardMemory/max(1, size))))
	shards := make([]*shard, count)
	for i := range shards {
		shards[i] = &shard{first: i * blocks / count, end: (i + 1) * blocks / count, moves: total, sizes: make([]int, k)}
		if count > 1 {
			shards[i].moves = framework.NewStats(stats)
		}
	}
	return shards
}

// resize keeps count of the rows of positive weight.
func (s *shard) resize(b framework.Block, i int, from, to int32) {
	if b.Weight(i) <= 0 {
		return
	}
	if from >= 0 {
		s.sizes[from]--
	}
	if to >= 0 {
		s.sizes[to]++
	}
}

// fold adds what the shards collected to the totals, in their order.
func fold(shards []*shard, stats framework.Stats, sizes []int) {
	for _, s := range shards {
		if !s.used {
			continue
		}
		s.used = false
		for j, d := range s.sizes {
			sizes[j] += d
		}
		clear(s.sizes)
		if len(shards) == 1 {
			return
		}
		for i, v := range s.moves {
			kernel.Add(stats[i], v)
			clear(v)
		}
	}
}

// countMoves counts the labels that differ, and the sizes that follow. Mostly few
// do, so that some are compared at once.
func (s *shard) countMoves(b framework.Block, before, after []int32) {
	type some [16]int32
	for first := 0; first < len(before); first += len(some{}) {
		end := min(first+len(some{}), len(before))
		was, is := before[first:end], after[first:end]
		if len(was) == len(some{}) && some(was) == some(is) {
			continue
		}
		for i, label := range was {
			if label != is[i] {
				s.moved++
				s.resize(b, first+i, label, is[i])
			}
		}
	}
}
