package means

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// A Panel is what is kept of one block between assignments: a packed copy of
// the columns that tell the centers apart, if there is room for it, and which
// rows need not be looked at again. It is a framework.Scratch.
type Panel struct {
	room    *PanelMemory
	columns []int
	x       []float64 // rows × len(columns)
	packing packing

	entries      kernel.Entries // of sparse rows in informative columns
	entriesBytes int64          // of room
	entriesIn    choice         // the columns of the last assignment, which are those of the entries
	noRoom       bool           // for entries in these columns

	bound kernel.Bound
	owner *Centers // for which, and in which era, the bound holds
	era   int
	kept  []uint8 // the labels that the gaps are of, where there are few centers and many rows;
	many  []int32 // otherwise
}

// A choice is the informative columns of a state of some centers.
type choice struct {
	owner  *Centers
	number int
}

// bytesRows is from how many rows on labels are kept in bytes, if they can be. A few are copied
// in less time than it takes to narrow them.
const bytesRows = 1024

func inBytes(c *Centers, n int) bool { return c.near.K <= kernel.RememberedCenters && n >= bytesRows }

// pack returns the block's informative columns, rows × s, or nil if there is no
// room to keep them.
func (p *Panel) pack(b framework.Block, columns []int) []float64 {
	s := len(columns)
	if s == b.X.Cols {
		return b.X.Data
	}
	if p.x != nil && slices.Equal(p.columns, columns) {
		return p.x
	}
	need := b.X.Rows * s
	if need > cap(p.x) && !p.keep(need) {
		return nil
	}
	had := len(p.columns)
	anew := had == 0 || len(b.X.Data) <= cachedCells
	if !anew {
		p.packing.plan(p.columns, columns)
	}
	p.columns, p.x = append(p.columns[:0], columns...), p.x[:need]
	if anew {
		kernel.Pick(p.x, b.X.Data, b.X.Cols, columns)
	} else {
		p.repack(b.X, had)
	}
	return p.x
}

// cachedCells is how many cells of a block stay in a cache from one assignment to the next: to read
// them takes no longer than to read those that are packed.
const cachedCells = 1 << 14

// A packing says how a packed row of other columns becomes one of the columns that
// are wanted now. Columns whose place stays are not in it.
type packing struct {
	fresh  []shift   // columns that no packed row has, one by one, from the row that is packed
	shifts []shift   // of columns that are in both rows, but not in the same place
	span   shift     // all places before that are shifted from
	before []float64 // room for the span of a row
}

// A shift is of n columns that are next to each other before and after.
type shift struct{ from, to, n int }

// plan finds out what a change from p.columns to other columns takes. Both ascend.
func (w *packing) plan(had, columns []int) {
	w.shifts, w.fresh, w.span = slices.Grow(w.shifts[:0], len(columns)), slices.Grow(w.fresh[:0], len(columns)), shift{}
	stays := len(had) == len(columns) // or rows begin elsewhere
	from := 0
	for to, l := range columns {
		for from < len(had) && had[from] < l {
			from++
		}
		switch n := len(w.shifts); {
		case from == len(had) || had[from] != l:
			w.fresh = append(w.fresh, shift{l, to, 1})
		case stays && from == to:
		case n > 0 && w.shifts[n-1].from+w.shifts[n-1].n == from && w.shifts[n-1].to+w.shifts[n-1].n == to:
			w.shifts[n-1].n++
		default:
			w.shifts = append(w.shifts, shift{from, to, 1})
		}
	}
	if n := len(w.shifts); n > 0 {
		last := w.shifts[n-1]
		w.span = shift{from: w.shifts[0].from, n: last.from + last.n - w.shifts[0].from}
		for i := range w.shifts {
			w.shifts[i].from -= w.span.from
		}
	}
	w.before = slices.Grow(w.before[:0], w.span.n)[:w.span.n]
}

// repack writes p.columns of x over the columns that p.x had before. Rows that get
// longer are written from the last one on, so that none is written over before it is
// read. Reading a cell of x takes much longer than copying one that is packed already.
func (p *Panel) repack(x framework.Matrix, had int) {
	w, s := &p.packing, len(p.columns)
	packed := p.x[:cap(p.x)] // rows may have been longer
	for r := range x.Rows {
		i := r
		if s > had {
			i = x.Rows - 1 - r
		}
		if len(w.shifts) > 0 {
			copy(w.before, packed[i*had+w.span.from:])
		}
		row, to := x.Row(i), packed[i*s:(i+1)*s]
		for _, v := range w.shifts {
			copy(to[v.to:v.to+v.n], w.before[v.from:])
		}
		for _, v := range w.fresh {
			to[v.to] = row[v.from]
		}
	}
}

// keep makes room for so many cells in place of those that are kept, and reports
// whether there was any.
func (p *Panel) keep(cells int) bool {
	p.room.left.Add(int64(cap(p.x)) * 8)
	p.x, p.columns = nil, p.columns[:0]
	if p.room.left.Add(-int64(cells)*8) < 0 {
		p.room.left.Add(int64(cells) * 8)
		return false
	}
	p.x = memory.Zeros[float64](cells)
	return true
}

// keepToSaveTime makes room for what saves the bound time, as far as there is any: n
// bounds of groups, and a copy of the rows (cells numbers).
func (p *Panel) keepToSaveTime(bounds, cells int) {
	p.bound.Lower = p.room.resize(p.bound.Lower, bounds)
	p.bound.Narrow = p.room.resize(p.bound.Narrow, cells)
}

// pick writes the given columns of a row to dst.
func pick(dst, row []float64, columns []int) {
	for t, l := range columns {
		dst[t] = row[l]
	}
}

// Assign labels each row of the block by its nearest center, the lowest of
// equals. Rows that cannot have changed are skipped; the labels are the same as
// without that. The distance must not be Filled.
func (c *Centers) Assign(labels []int32, b framework.Block, p *Panel) {
	if c.near.K == 1 {
		clear(labels)
		return
	}
	all := p.owner != c || p.era != c.era || len(p.bound.Gap) != len(labels)
	p.owner, p.era = c, c.era
	p.recall(c, labels, all)
	if b.Sparse != nil {
		c.assignSparse(b, p, all)
	} else if x := p.pack(b, c.columns); x != nil || len(c.columns) == 0 {
		cells := c.near.Narrow(len(labels))
		if all && !c.d.Steady || p.room.brief.Load() {
			cells = 0 // the columns may change at once, or the run ends
		}
		p.keepToSaveTime(c.near.Groups()*len(labels), cells)
		p.bound.Assign(c.measure, x, &c.near, c.drift, all)
	} else {
		c.assignByHand(b, p, all)
	}
	p.remember(c, labels)
}

// recall gives the bound the labels that its gaps are of, which may not be those of the
// caller: a driver has reseeded rows, or another model has labelled them. Where they are kept in bytes,
// they are in the caller's place.
func (p *Panel) recall(c *Centers, labels []int32, all bool) {
	bytes, n := inBytes(c, len(labels)), len(labels)
	if len(p.bound.Gap) != n {
		p.bound.Gap = memory.Zeros[float32](n)
	}
	if bytes && len(p.kept) != n {
		p.kept = memory.Zeros[uint8](n)
	}
	if !bytes && len(p.many) != n {
		p.many = memory.Zeros[int32](n)
	}
	switch p.bound.Label = p.many; {
	case bytes && all:
		p.bound.Label = labels
	case bytes:
		p.bound.Label = labels
		kernel.Recall(labels, p.kept)
	}
}

// remember gives the caller the labels of the bound.
func (p *Panel) remember(c *Centers, labels []int32) {
	if inBytes(c, len(labels)) {
		kernel.Remember(p.kept, labels)
	} else {
		copy(labels, p.many)
	}
	p.bound.Label = nil
}

// assignByHand does what kernel.Bound.Assign does without a packed block: the
// rows that must be looked at are packed, some at a time.
func (c *Centers) assignByHand(b framework.Block, p *Panel, all bool) {
	h, room := p.room.take(len(c.columns))
	defer p.room.give(h)
	p.room.left.Add(int64(cap(p.bound.Lower)+cap(p.bound.Narrow)) * 4)
	p.bound.Lower, p.bound.Narrow = nil, nil // they would be of labels and columns of before
	for i, label := range p.bound.Label {
		if all || !(float64(p.bound.Gap[i]) > c.drift[label]) {
			h.rows = append(h.rows, int32(i))
		}
		if len(h.rows) == room || i == len(p.bound.Label)-1 {
			c.assignBatch(h, b, p)
			h.rows = h.rows[:0]
		}
	}
}

// assignBatch finds the nearest centers of the rows in hand.
func (c *Centers) assignBatch(h *batch, b framework.Block, p *Panel) {
	s, n := len(c.columns), len(h.rows)
	for t, i := range h.rows {
		pick(h.x[t*s:(t+1)*s], b.X.Row(int(i)), c.columns)
	}
	h.bound.Label, h.bound.Gap = h.bound.Label[:n], h.bound.Gap[:n]
	h.bound.Assign(c.measure, h.x, &c.near, c.drift, true)
	for t, i := range h.rows {
		p.bound.Label[i], p.bound.Gap[i] = h.bound.Label[t], h.bound.Gap[t]
	}
}

// AssignFilled labels each row by its nearest center. A missing cell counts as the
// value that fill (k×p) has for the row's present label, and as 0 if the row has
// none.
func (c *Centers) AssignFilled(labels []int32, b framework.Block, fill framework.Matrix, p *Panel) {
	s := len(c.columns)
	h, room := p.room.take(s)
	defer p.room.give(h)
	x := p.pack(b, c.columns)
	for first := 0; first < len(labels); first += room {
		some := labels[first:min(first+room, len(labels))]
		for t, label := range some {
			row := h.x[t*s : (t+1)*s]
			if x != nil {
				copy(row, x[(first+t)*s:])
			} else {
				pick(row, b.X.Row(first+t), c.columns)
			}
			c.fill(row, fill, label)
		}
		kernel.Nearest{Label: some}.Find(c.measure, h.x, &c.near)
	}
}

// fill replaces the missing cells of a packed row.
func (c *Centers) fill(row []float64, fill framework.Matrix, label int32) {
	for t, v := range row {
		if v == v {
			continue
		}
		row[t] = 0
		if label >= 0 {
			row[t] = fill.Row(int(label))[c.columns[t]]
		}
	}
}
