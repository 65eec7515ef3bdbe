package fit

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// A worker is what one worker of a state has for itself. No other writes to the same cache lines: each
// block of rows needs them, and may take no longer than it takes to get a line from another processor a few times.
type worker struct {
	assigned int     // blocks, in all passes
	moved    int     // rows, in the pass in hand
	sizes    []int   // change of the number of rows of positive weight in this pass, by cluster
	previous []int32 // room for the labels before an Assign
	changed  []int32 // room for the numbers of rows in a block
	_        [64]byte
}

// newWorkers returns workers for k clusters and blocks of at most so many rows.
func newWorkers(n, k, largest int) []worker {
	const apart = 16 // numbers of 4 bytes in a cache line
	workers := make([]worker, n)
	for i := range workers {
		workers[i].sizes = make([]int, k, k+apart)
		workers[i].previous = make([]int32, largest, largest+apart)
		workers[i].changed = make([]int32, largest+kernel.ChangedRoom+apart)
	}
	return workers
}

// begin begins a pass.
func (w *worker) begin() {
	w.moved = 0
	clear(w.sizes)
}

// resize keeps count of the rows of positive weight.
func (w *worker) resize(weights []float64, i int, from, to int32) {
	if weights != nil && weights[i] <= 0 {
		return
	}
	if from >= 0 {
		w.sizes[from]--
	}
	if to >= 0 {
		w.sizes[to]++
	}
}

// countMoves counts the labels that differ, and the sizes that follow. It returns how many do, and whether a
// row has no cluster.
func (w *worker) countMoves(b framework.Block, before, after []int32) (moved int, noise bool) {
	moved, noise = kernel.Changed(w.changed, before, after)
	for _, i := range w.changed[:moved] {
		w.resize(b.RowWeight, int(i), before[i], after[i])
	}
	w.moved += moved
	return moved, noise
}
