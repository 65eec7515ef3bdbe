package fit

import (
	"math"
	"sync/atomic"

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
	taken      taken
	moved      int
	sizes      []int // change of the number of rows of positive weight, by cluster

	// Of the fold.
	moves framework.Stats // what it has collected; nil: nothing
	ended atomic.Bool     // it has collected all
	left  atomic.Int64    // pieces that moves are still to be added to
}

// newShards cuts the blocks evenly. The cut depends on the data and the plan
// only.
func newShards(rows framework.Rows, k int, stats []framework.Stat) []*shard {
	size := 0
	for _, s := range stats {
		size += s.Len
	}
	blocks, size := rows.Blocks(), max(1, size)
	entries := entriesOf(rows)
	least := min(4, max(2, entries/size))
	count := max(1, min(blocks, rows.Len()/shardRows, maxShards, max(least, min(shardMemory, entries)/size)))
	shards := make([]*shard, count)
	for i := range shards {
		shards[i] = &shard{first: i * blocks / count, end: (i + 1) * blocks / count, sizes: make([]int, k)}
	}
	return shards
}

// entriesOf returns the number of entries of sparse rows, and a large number for others: to
// fold the statistics of many clusters and features takes longer than to collect them from few entries.
func entriesOf(rows framework.Rows) (n int) {
	for i := range rows.Blocks() {
		s := rows.Block(i).Sparse
		if s == nil {
			return math.MaxInt
		}
		n += int(s.Start[s.Rows()] - s.Start[0])
	}
	return n
}

// resize keeps count of the rows of positive weight.
func (s *shard) resize(weights []float64, i int, from, to int32) {
	if weights != nil && weights[i] <= 0 {
		return
	}
	if from >= 0 {
		s.sizes[from]--
	}
	if to >= 0 {
		s.sizes[to]++
	}
}

// countMoves counts the labels that differ, and the sizes that follow. room is for
// their numbers. It reports whether a row has no cluster.
func (s *shard) countMoves(b framework.Block, before, after, room []int32) (noise bool) {
	n, noise := kernel.Changed(room, before, after)
	for _, i := range room[:n] {
		s.resize(b.RowWeight, int(i), before[i], after[i])
	}
	s.moved += n
	return noise
}
