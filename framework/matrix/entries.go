package matrix

import "slices"

// entries are the cells of a sparse builder that are not 0. They are where the cells of
// a dense one would be, and may be more than memory holds.
type entries struct {
	start           []int64   // one more than rows
	column          []int32   // of the entries so far
	value           []float64 // NaN: the cell is missing
	columns, values words     // their room
	provided        int       // entries whose memory has been asked for
}

// provideAtOnce is for how many entries memory is asked for at once.
const provideAtOnce = 1 << 16

func newEntries(rows int, o Options) *entries {
	return &entries{start: make([]int64, 1, rows+1), columns: words{options: o}, values: words{options: o}}
}

func (e *entries) row(i int) ([]int32, []float64) {
	from, end := e.start[i], e.start[i+1]
	return e.column[from:end:end], e.value[from:end:end]
}

// add appends a row. An error leaves entries that are good for nothing but discard.
func (e *entries) add(columns []int32, values []float64) error {
	n := len(e.column)
	if need := n + len(columns); need > min(cap(e.column), cap(e.value)) {
		need := int64(max(need, 64))
		err := e.values.reserve(need * 8)
		if err == nil {
			err = e.columns.reserve((need + 1) / 2 * 8)
		}
		if err != nil {
			return err
		}
		e.see(n)
	}
	if n+len(columns) > e.provided {
		e.provide(n + len(columns))
	}
	e.column, e.value = append(e.column, columns...), append(e.value, values...)
	e.start = append(e.start, int64(len(e.column)))
	return nil
}

// provide gets the memory of entries that are about to be added from the system, n of them at least.
func (e *entries) provide(n int) {
	from, end := e.provided, min(max(n, e.provided+provideAtOnce), cap(e.column), cap(e.value))
	e.values.provide(e.values.cells()[from:end])
	e.columns.provide(e.columns.cells()[from/2 : end/2])
	e.provided = end
}

// see finds the first n entries in the room that there is.
func (e *entries) see(n int) {
	columns := e.columns.cells()
	e.column, e.value = wordsOf[int32](columns, 2*len(columns))[:n], e.values.cells()[:n]
}

// truncate drops the rows from the given number on.
func (e *entries) truncate(rows int) {
	end := e.start[rows]
	e.start, e.column, e.value = e.start[:rows+1], e.column[:end], e.value[:end]
}

// become replaces the rows: row returns, in room of its own, what the row of each number
// in order becomes (nil: of all). In place, order must ascend, and no row become longer.
func (e *entries) become(order []int, inPlace bool, row func(columns []int32, values []float64) ([]int32, []float64)) error {
	n := len(order)
	if order == nil {
		n = len(e.start) - 1
	}
	to := newEntries(n, e.values.options)
	if inPlace {
		to.column, to.value, to.provided = e.column[:0], e.value[:0], e.provided
	}
	for i := range n {
		if order != nil {
			i = order[i]
		}
		if err := to.add(row(e.row(i))); err != nil {
			_ = to.discard() // the first error counts
			return err
		}
	}
	if inPlace {
		e.start, e.column, e.value = to.start, to.column, to.value
		return nil
	}
	old := *e
	*e = *to
	return old.discard()
}

// permute puts the rows into another order.
func (e *entries) permute(order []int) error {
	return e.become(order, false, func(columns []int32, values []float64) ([]int32, []float64) { return columns, values })
}

// discard frees the room. Entries that share the memory of others stay as they are.
func (e *entries) discard() error {
	err := e.columns.free()
	if freed := e.values.free(); err == nil {
		err = freed
	}
	return err
}

// Keep leaves out rows and columns of a sparse builder, in place. rows are the numbers
// of those that stay, in ascending order (nil: all). Column l becomes to[l], or is left
// out if that is −1; those that stay are cols in number, and in the same order (nil: all).
func (b *Builder) Keep(rows []int, cols int, to []int32) error {
	if rows != nil && !slices.IsSorted(rows) {
		panic("matrix: rows to keep are not in ascending order")
	}
	var columns []int32
	var values []float64
	err := b.sparse.become(rows, true, func(c []int32, v []float64) ([]int32, []float64) {
		if to == nil {
			return c, v
		}
		columns, values = columns[:0], values[:0]
		for e, l := range c {
			if to[l] >= 0 {
				columns, values = append(columns, to[l]), append(values, v[e])
			}
		}
		return columns, values
	})
	if rows != nil {
		if b.weights != nil {
			b.weights = b.permutedWeights(rows)
		}
		b.rows = len(rows)
	}
	if to != nil {
		b.cols = cols
	}
	return err
}
