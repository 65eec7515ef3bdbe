package fit

import (
	"context"
	"math"

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
	blocks, size := rows.Blocks(), max(1, size)
	entries := entriesOf(rows)
	least := min(4, max(2, entries/size))
	count := max(1, min(blocks, rows.Len()/shardRows, maxShards, max(least, min(shardMemory, entries)/size)))
	shards := make([]*shard, count)
	for i := range shards {
		shards[i] = &shard{first: i * blocks / count, end: (i + 1) * blocks / count, moves: total, sizes: make([]int, k)}
		if count > 1 {
			shards[i].moves = framework.NewStats(stats)
		}
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

// foldedAtOnce is how many numbers of the statistics one worker folds at a time: few
// enough to stay in a first cache.
const foldedAtOnce = 2048

// fold adds what the shards collected to the totals, in their order: each number of
// the totals is added up by one worker.
func (st *state) fold(ctx context.Context) error {
	used := st.used[:0]
	for _, s := range st.shards {
		if !s.used {
			continue
		}
		used = append(used, s)
		s.used = false
		for j, d := range s.sizes {
			st.sizes[j] += d
		}
		clear(s.sizes)
	}
	st.used = used
	if len(st.shards) == 1 || len(used) == 0 {
		return nil
	}
	return st.pool.For(ctx, len(st.pieces), st.foldPiece)
}

// A piece is some numbers of one statistic.
type piece struct{ stat, from, to int }

// piecesOf cuts statistics into pieces.
func piecesOf(stats framework.Stats) (pieces []piece) {
	for i, v := range stats {
		for from := 0; from < len(v); from += foldedAtOnce {
			pieces = append(pieces, piece{i, from, min(from+foldedAtOnce, len(v))})
		}
	}
	return pieces
}

func (st *state) addPiece(_, i int) error {
	p := st.pieces[i]
	for _, s := range st.used {
		v := s.moves[p.stat][p.from:p.to]
		kernel.Add(st.stats[p.stat][p.from:p.to], v)
		clear(v)
	}
	return nil
}

// countMoves counts the labels that differ, and the sizes that follow. room is for
// their numbers. It reports whether a row has no cluster.
func (s *shard) countMoves(b framework.Block, before, after, room []int32) (noise bool) {
	n, noise := kernel.Changed(room, before, after)
	for _, i := range room[:n] {
		s.resize(b, int(i), before[i], after[i])
	}
	s.moved += n
	return noise
}
