package matrix

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// NewSparseBuilder returns an empty builder of rows that are given by their cells that
// are not 0, and are kept so. It has no Extend and no Values.
func NewSparseBuilder(cols int, o Options) *Builder {
	if cols < 0 || cols > math.MaxInt32 {
		panic(fmt.Sprintf("matrix: %d columns", cols))
	}
	if o.Storage == "" {
		o.Storage = Auto
	}
	return &Builder{cols: cols, words: words{options: o}, sparse: newEntries(max(o.RowsHint, 1), o)}
}

// IsSparse reports whether rows are added by AppendRow.
func (b *Builder) IsSparse() bool { return b.sparse != nil }

// AppendRow adds a row of a sparse builder: columns, in ascending order, and their
// values in original units; NaN is a missing cell, and a cell of no column is 0. It
// returns a Fault (no-storage) if there is no room; the builder is then to be discarded.
func (b *Builder) AppendRow(columns []int32, values []float64) error {
	if len(columns) != len(values) {
		panic(fmt.Sprintf("matrix: %d values in %d columns", len(values), len(columns)))
	}
	last := int32(-1)
	for _, l := range columns {
		if l <= last || int(l) >= b.cols {
			panic(fmt.Sprintf("matrix: column %d of %d after column %d", l, b.cols, last))
		}
		last = l
	}
	b.rows++
	return b.sparse.add(columns, values)
}

// Row returns the columns and the values of a row of a sparse builder, read-only.
func (b *Builder) Row(i int) (columns []int32, values []float64) { return b.sparse.row(i) }

// Entries returns the number of cells that AppendRow was given.
func (b *Builder) Entries() int { return len(b.sparse.column) }

// Dense returns a builder with all cells of a sparse one, which it discards. It returns
// a Fault (too-large-dense) if they do not fit into half of the memory that is available;
// the builder is then as it was.
func (b *Builder) Dense() (*Builder, error) {
	size, err := bytesOf(b.rows, b.cols)
	if err != nil {
		return nil, err
	}
	if !fits(0, size) {
		return nil, framework.Faultf(framework.Data, "too-large-dense",
			"%d rows of %d features take %s when every cell is kept, and there is not room for that", b.rows, b.cols, megabytes(size))
	}
	o := b.options
	o.RowsHint = b.rows
	to, err := NewBuilder(b.cols, o)
	if err != nil {
		return nil, err
	}
	cells, err := to.Extend(b.rows)
	if err != nil {
		_ = to.Discard() // the first error counts
		return nil, err
	}
	for i := range b.rows {
		columns, values := b.sparse.row(i)
		for e, l := range columns {
			cells[i*b.cols+int(l)] = values[e]
		}
	}
	if err := to.SetWeights(b.weights); err != nil {
		_ = to.Discard()
		return nil, err
	}
	return to, b.Discard()
}

// weight returns the weight of a row.
func (b *Builder) weight(i int) float64 {
	if b.weights == nil {
		return 1
	}
	return b.weights[i]
}

// summariseSparse is summarise of a sparse builder: of the entries and, about 0, of the
// rows without one.
func summariseSparse(b *Builder) []summary {
	total := make([]summary, b.cols)
	nothing := make([]kernel.Exact, b.cols) // less: the mass of the rows with an entry
	entered := make([]int, b.cols)          // rows of positive weight that have one
	for l := range total {
		total[l].min, total[l].max = math.Inf(1), math.Inf(-1)
	}
	var all kernel.Exact
	rows := 0
	for i := range b.rows {
		w := b.weight(i)
		columns, values := b.sparse.row(i)
		if w > 0 {
			rows++
			all.Add(w)
		}
		for e, l := range columns {
			c, v := &total[l], values[e]
			if v != v {
				c.missing++
			}
			if w == 0 {
				continue
			}
			entered[l]++
			nothing[l].Add(w)
			if v != v {
				continue
			}
			c.rows++
			c.weights.Add(w)
			c.sum.AddDifference(w, v, 0)
			c.min, c.max = min(c.min, v), max(c.max, v)
		}
	}
	zero := make([]float64, b.cols) // the mass of the rows without an entry
	for l := range total {
		c := &total[l]
		rest := all
		rest.AddSum(kernel.Exact{High: -nothing[l].High, Low: -nothing[l].Low})
		if entered[l] < rows {
			zero[l] = rest.Value()
			c.rows += rows - entered[l]
			c.weights.AddSum(rest)
			c.min, c.max = min(c.min, 0), max(c.max, 0)
		}
		c.divide()
	}
	squares := func(l int, w, v float64) {
		c := &total[l]
		d := (v - c.mean) / c.unit
		c.off += float64(w * d)
		c.centred += float64(float64(w*d) * d)
		c.squares += float64(float64(w*v) * v)
	}
	for i := range b.rows {
		w := b.weight(i)
		if w == 0 {
			continue
		}
		columns, values := b.sparse.row(i)
		for e, l := range columns {
			if v := values[e]; v == v {
				squares(int(l), w, v)
			}
		}
	}
	for l := range total {
		if zero[l] > 0 {
			squares(l, zero[l], 0)
		}
		total[l].correct()
	}
	return total
}

// markFull finds the features in which more than half of the rows have an entry: all get
// one, about a value near their mean, so that numbers that are far from 0 keep their digits.
func markFull(b *Builder, features []Feature) {
	count := make([]int, b.cols)
	for e, l := range b.sparse.column {
		if v := b.sparse.value[e]; v != 0 {
			count[l]++
		}
	}
	for l := range features {
		features[l].Full = 2*count[l] > b.rows
	}
}

// Base returns the base of each column of sparse rows: the fitted value of 0, or of
// About where all rows have an entry.
func (r Recipe) Base() []float64 {
	base := make([]float64, len(r.Features))
	for l, f := range r.Features {
		about := 0.0
		if f.Full {
			about = f.About
		}
		if about != f.Location {
			base[l] = (about - f.Location) / f.Scale
		}
	}
	return base
}

// applySparse maps a sparse builder's original values to offsets from the base of their
// columns, the fitted value of 0.
func (r Recipe) applySparse(b *Builder) error {
	b.base = r.Base()
	var full []int32
	for l, f := range r.Features {
		if f.Full {
			full = append(full, int32(l))
		}
	}
	var columns []int32
	var values []float64
	put := func(l int32, v float64) {
		f := &r.Features[l]
		switch {
		case f.Full:
			v = (v - f.About) / f.Scale
		case v == 0:
			return
		default:
			v /= f.Scale
		}
		columns, values = append(columns, l), append(values, v)
	}
	return b.sparse.become(nil, full == nil, func(c []int32, v []float64) ([]int32, []float64) {
		columns, values = columns[:0], values[:0]
		next := full
		for e, l := range c {
			for len(next) > 0 && next[0] < l {
				put(next[0], 0)
				next = next[1:]
			}
			if len(next) > 0 && next[0] == l {
				next = next[1:]
			}
			put(l, v[e])
		}
		for _, l := range next {
			put(l, 0)
		}
		return columns, values
	})
}

// sparseBlockRows is BlockRows of sparse rows: of so many entries that a block has at
// most 1 MiB on average.
func sparseBlockRows(rows int, count int64) int {
	const entryBytes = 12
	size := maxBlockRows
	for size > minBlockRows && count/int64(max(1, rows))*int64(size)*entryBytes > blockBytes {
		size /= 2
	}
	return size
}

// sparseSize returns the bytes of sparse data in a file: the offsets, where rows start,
// the base, the weights, and the columns.
func (d *Data) sparseSize() int64 {
	words := d.entries + int64(d.rows) + 1 + int64(d.cols)
	if d.weighted {
		words += int64(d.rows)
	}
	return words*8 + (d.entries+1)/2*8
}

// sparseIn finds the parts of sparse data in the words of a file.
func (d *Data) sparseIn(all []float64) {
	next := func(n int64) []float64 {
		some := all[:n:n]
		all = all[n:]
		return some
	}
	d.sparse = new(framework.Sparse)
	d.sparse.Offset = next(d.entries)
	d.sparse.Start = wordsOf[int64](next(int64(d.rows)+1), d.rows+1)
	d.sparse.Base = next(int64(d.cols))
	if d.weighted {
		d.weights = next(int64(d.rows))
	}
	d.sparse.Column = wordsOf[int32](all, int(d.entries))
}

// checkSparse refuses entries that are not what they should be, since following them
// would kill the process.
func (d *Data) checkSparse() error {
	s := d.sparse
	if s.Start[0] != 0 || s.Start[d.rows] != d.entries || !slices.IsSorted(s.Start) {
		return fmt.Errorf("its rows do not follow each other")
	}
	for i := range d.rows {
		last := int32(-1)
		columns, _ := s.Row(i)
		for _, l := range columns {
			if l <= last || int(l) >= d.cols {
				return fmt.Errorf("row %d has column %d after column %d of %d", i, l, last, d.cols)
			}
			last = l
		}
	}
	return nil
}

// FromSparse returns data in plain memory, which it shares with s and weights (nil:
// none), in blocks of the given number of rows (0: as many as suit the entries).
func FromSparse(s *framework.Sparse, weights []float64, blockRows int) *Data {
	if weights != nil && len(weights) != s.Rows() {
		panic(fmt.Sprintf("matrix: %d weights for %d rows", len(weights), s.Rows()))
	}
	if blockRows <= 0 {
		blockRows = sparseBlockRows(s.Rows(), int64(len(s.Column)))
	}
	return &Data{
		rows: s.Rows(), cols: len(s.Base), blockRows: blockRows, weighted: weights != nil, weights: weights,
		isSparse: true, sparse: s, entries: int64(len(s.Column)),
	}
}

// sealSparse is Seal of a sparse builder. The file of the values becomes that of all.
func (b *Builder) sealSparse() (*Data, error) {
	e := b.sparse
	if b.base == nil {
		b.base = make([]float64, b.cols)
	}
	d := FromSparse(&framework.Sparse{Base: b.base, Start: e.start, Column: e.column, Offset: e.value}, b.weights, 0)
	d.dir = b.options.Dir
	if b.options.small(d.sparseSize()) {
		if e.values.file != nil || e.columns.file != nil { // there were more of them once
			d.sparse.Column, d.sparse.Offset = slices.Clone(e.column), slices.Clone(e.value)
		}
		return d, b.Discard()
	}
	to, err := d.filed(&e.values)
	if err != nil {
		return nil, err
	}
	return to, b.Discard()
}

// filed returns a copy of sparse data that other processes can see. Its file is that of
// w, which has the offsets already, and is left without one.
func (d *Data) filed(w *words) (_ *Data, err error) {
	if err := w.cut(d.sparseSize()); err != nil {
		return nil, err
	}
	to := &Data{
		rows: d.rows, cols: d.cols, blockRows: d.blockRows, weighted: d.weighted, isSparse: true, entries: d.entries, own: true, dir: d.dir,
	}
	w.provide(w.cells()[d.entries:]) // the others are there
	to.sparseIn(w.cells())
	copy(to.sparse.Start, d.sparse.Start)
	copy(to.sparse.Base, d.sparse.Base)
	copy(to.weights, d.weights)
	copy(to.sparse.Column, d.sparse.Column)
	if to.file, err = w.sealed(); err != nil {
		return nil, err
	}
	if err := to.mapIn(); err != nil {
		_ = to.Close() // the first error counts
		return nil, err
	}
	return to, nil
}

// sharedSparse returns a copy of sparse data in plain memory that other processes can see.
func (d *Data) sharedSparse() (*Data, error) {
	w := words{options: Options{Storage: Memory, Dir: d.dir}}
	if err := w.grow(d.sparseSize()); err != nil {
		return nil, err
	}
	w.provide(w.cells()[:d.entries])
	copy(w.cells(), d.sparse.Offset)
	to, err := d.filed(&w)
	if err != nil {
		_ = w.free() // the first error counts
	}
	return to, err
}
