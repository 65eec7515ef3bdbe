package fit

import (
	"math"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
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

	// Of the fold.
	moves framework.Stats // what it has collected; nil: nothing
	by    int             // the worker that has, or nobody, once it has ended
	ended atomic.Int64    // the pass in which it has collected all
	left  atomic.Int64    // pieces that moves are still to be added to
}

// nobody is who has collected nothing.
const nobody = -1

// newShards cuts the blocks evenly. The cut depends on the data and the plan
// only.
func newShards(rows framework.Rows, stats []framework.Stat) []*shard {
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
		shards[i] = &shard{first: i * blocks / count, end: (i + 1) * blocks / count}
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
