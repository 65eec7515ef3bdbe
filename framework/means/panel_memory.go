package means

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// A PanelMemory is what the panels of one problem share: how much memory they may
// keep in all, and the buffers for the rows that a worker looks at. It affects time
// and memory, never results.
type PanelMemory struct {
	left   atomic.Int64 // bytes that panels may still keep
	brief  atomic.Bool  // runs are too short to repay copies of rows
	mu     sync.Mutex
	spare  []*batch // one for each worker, since none holds one for long
	panels []*Panel // small ones of fits that have ended
}

// rowBytes is the memory for each row that a fit and its results will still need
// after a PanelMemory was made, in the processes of the plugin and of the host.
const rowBytes = 48

// NewPanelMemory returns the room for panels of n rows of p columns: half of the memory
// that is available and not needed for labels, bounds and results. The panels of
// one run take no more than the rows do, and as many runs as there are processors
// share one.
func NewPanelMemory(n, p int) *PanelMemory {
	most := int64(n) * int64(p) * 8 * int64(parallel.Processors())
	return PanelMemoryOf(max(0, memory.AvailableFor(most)-int64(n)*rowBytes) / 2)
}

// PanelBytes returns about how many bytes panels of n rows of p columns take as a rule: a copy of the rows in numbers of
// 16 bits, and a gap for each row.
func PanelBytes(n, p int) int64 { return int64(n) * (2*int64(p) + 4) }

// PanelMemoryOf returns room for panels of so many bytes.
func PanelMemoryOf(bytes int64) *PanelMemory {
	r := new(PanelMemory)
	r.left.Store(bytes)
	return r
}

// A batch is some rows of a block, packed: those that a worker looks at.
type batch struct {
	x     []float64
	rows  []int32 // numbers in the block
	bound kernel.Bound
}

const (
	batchBytes = 128 << 10 // of x: with the centers it stays in a second-level cache
	batchRows  = 16        // but at least so many, which is how many the kernels take at a time
)

// take returns a batch with space for rows of s columns, to be given back.
func (r *PanelMemory) take(s int) (h *batch, rows int) {
	rows = max(batchRows, batchBytes/8/max(1, s)&^(batchRows-1))
	r.mu.Lock()
	if n := len(r.spare); n > 0 {
		h, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		h = new(batch)
	}
	r.mu.Unlock()
	h.x = slices.Grow(h.x[:0], rows*s)[:rows*s]
	h.rows = slices.Grow(h.rows[:0], rows)[:0]
	h.bound.Label = slices.Grow(h.bound.Label[:0], rows)
	h.bound.Gap = slices.Grow(h.bound.Gap[:0], rows)
	return h, rows
}

func (r *PanelMemory) give(h *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = append(r.spare, h)
}

// Panel returns an empty panel.
func (r *PanelMemory) Panel() *Panel {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.panels)
	if n == 0 {
		return &Panel{room: r}
	}
	p := r.panels[n-1]
	r.panels = r.panels[:n-1]
	return p
}

const (
	smallPanel  = 64 << 10 // bytes of the cells of a panel that is used again,
	smallPanels = 16       // and how many of those are kept
)

// Release implements framework.Releaser.
func (p *Panel) Release() {
	r, bytes := p.room, int64(cap(p.x))*8+int64(cap(p.bound.Lower)+cap(p.bound.Narrow))*4+p.entriesBytes
	if p.entriesBytes == 0 && bytes+int64(cap(p.bound.Gap)+cap(p.many))*4 <= smallPanel {
		p.owner, p.columns, p.entriesIn = nil, p.columns[:0], choice{}
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.panels) < smallPanels {
			r.panels = append(r.panels, p)
			return
		}
	}
	r.left.Add(bytes)
}

// resize returns room for n numbers in place of others, or nil if there is none. None
// is lost if n is 0.
func (r *PanelMemory) resize(had []float32, n int) []float32 {
	if n == 0 || n == len(had) {
		return had
	}
	if n <= cap(had) {
		return had[:n]
	}
	if r.left.Add(int64(cap(had)-n)*4) < 0 {
		r.left.Add(int64(n) * 4)
		return nil
	}
	return memory.Zeros[float32](n)
}
