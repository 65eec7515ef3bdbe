package grouped

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// Results of many groups take more memory than their rows, so that those of some groups
// are made and written at a time.
const (
	batchGroups = 1 << 13
	batchRows   = 1 << 20
)

// Batches are runs of one kind, one for each group, which are made some groups at a time.
type Batches[T any] struct {
	Result *result.Grouped[T]
	Keep   bool // all results are read in the end: there is one batch, and nothing is released

	each *Each
	run  func(ctx context.Context, group, threads int) (T, result.Model, error)
	next int // group
	kept int // the first group with a result, which is not released; −1: there is none so far
}

var _ result.Batches[int] = (*Batches[int])(nil)

// batches returns runs that are still to be made.
func batches[T any](e *Each, run func(ctx context.Context, group, threads int) (T, result.Model, error)) *Batches[T] {
	return &Batches[T]{Result: emptyResult[T](e.Groups()), each: e, run: run, kept: -1}
}

// emptyResult has no results yet.
func emptyResult[T any](g *input.Groups) *result.Grouped[T] {
	n := g.Len()
	return &result.Grouped[T]{Groups: g, Of: make([]T, n), Faults: make([]*framework.Fault, n), Models: make([]result.Model, n)}
}

// Next implements result.Batches. There is one batch, too, if a run may read the database,
// in which results are being written then.
func (b *Batches[T]) Next(ctx context.Context) (r *result.Grouped[T], from, to int, err error) {
	from, to = b.next, b.Result.Groups.Len()
	if !b.Keep && b.each.held() {
		to = endOfBatch(b.Result.Groups.Sizes, from)
	}
	b.next = to
	n := b.Result.Groups.Len()
	if err := overGroups(ctx, b.Result, from, to, b.each.Settings.Threads, func() { b.each.tell(n) }, b.run); err != nil {
		return nil, from, to, err
	}
	for g := from; g < to && b.kept < 0; g++ {
		if b.Result.Faults[g] == nil {
			b.kept = g
		}
	}
	if to == n {
		err = noneDone(b.Result, "fitted")
	}
	return b.Result, from, to, err
}

// endOfBatch is the end of the batch that begins with a group, by the rows of each.
func endOfBatch(sizes []int, from int) int {
	rows := 0
	for g := from; g < len(sizes); g++ {
		if rows += sizes[g]; g == from+batchGroups || rows > batchRows && g > from {
			return g
		}
	}
	return len(sizes)
}

// Release implements result.Batches. The first result stays.
func (b *Batches[T]) Release(from, to int) {
	if b.Keep {
		return
	}
	var none T
	for g := from; g < to; g++ {
		if g != b.kept {
			b.Result.Of[g] = none
		}
	}
}
