package matrix

import (
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Data is a sealed matrix with its row weights: framework.Rows in fixed blocks.
type Data struct {
	rows, cols, blockRows int
	weighted              bool
	file                  *os.File     // nil: plain memory
	own                   bool         // the file is ours, and ends with the data
	sealed                func() error // waits until nobody can change the file any more; nil: nobody can
	touched               func()       // ends the touching of pages that goes on; nil: none does
	mapped                mapping
	values, weights       []float64

	isSparse bool
	sparse   *framework.Sparse
	entries  int64 // of sparse

	sharing sync.Mutex
	shared  *Data  // a copy that other processes can see; nil: none
	dir     string // where it may go
}

var _ framework.Rows = (*Data)(nil)

const (
	blockBytes   = 1 << 20
	minBlockRows = 64
	maxBlockRows = 4096
)

// BlockRows returns the number of rows of a block: the largest power of two of
// which a block has at most 1 MiB, but from 64 to 4096. It depends on nothing
// else, so that the same data are always cut alike.
func BlockRows(_, cols int) int {
	rows := maxBlockRows
	for rows > minBlockRows && rows*cols*8 > blockBytes {
		rows /= 2
	}
	return rows
}

// FromMatrix returns data in plain memory, which it shares with m and weights
// (nil: none), in blocks of the given number of rows (0: as BlockRows says).
func FromMatrix(m framework.Matrix, weights []float64, blockRows int) *Data {
	if weights != nil && len(weights) != m.Rows {
		panic(fmt.Sprintf("matrix: %d weights for %d rows", len(weights), m.Rows))
	}
	if blockRows <= 0 {
		blockRows = BlockRows(m.Rows, m.Cols)
	}
	return &Data{rows: m.Rows, cols: m.Cols, blockRows: blockRows, weighted: weights != nil, values: m.Data, weights: weights}
}

// mapIn maps the file for reading.
func (d *Data) mapIn() error { return d.mapFrom(d.file) }

// mapFrom is mapIn by a file that has been opened once more.
func (d *Data) mapFrom(f *os.File) error {
	size, err := d.size()
	if err != nil {
		return err
	}
	if d.mapped.bytes == nil { // which Open may have
		if d.mapped, err = mapFile(f, size, false); err != nil {
			return err
		}
	}
	all := numbers(d.mapped.bytes)
	if d.isSparse {
		d.sparseIn(all)
		return nil
	}
	d.values = all[: d.rows*d.cols : d.rows*d.cols]
	if d.weighted {
		d.weights = all[d.rows*d.cols:][:d.rows:d.rows]
	}
	return nil
}

// size returns the bytes of values and weights.
func (d *Data) size() (int64, error) {
	if d.isSparse {
		return d.sparseSize(), nil
	}
	size, err := bytesOf(d.rows, d.cols)
	if d.weighted {
		size += int64(d.rows) * 8
	}
	return size, err
}

// Len implements framework.Rows.
func (d *Data) Len() int { return d.rows }

// Blocks implements framework.Rows.
func (d *Data) Blocks() int { return (d.rows + d.blockRows - 1) / d.blockRows }

// Block implements framework.Rows.
func (d *Data) Block(i int) framework.Block {
	from, to := i*d.blockRows, min((i+1)*d.blockRows, d.rows)
	b := framework.Block{Index: i, Row0: from}
	if d.isSparse {
		b.X, b.Sparse = framework.Matrix{Rows: to - from, Cols: d.cols}, d.sparse.Slice(from, to)
	} else {
		b.X = d.Matrix().Slice(from, to)
	}
	if d.weighted {
		b.RowWeight = d.weights[from:to:to]
	}
	return b
}

// IsSparse reports whether blocks are sparse.
func (d *Data) IsSparse() bool { return d.isSparse }

// Entries returns the number of entries of sparse rows.
func (d *Data) Entries() int { return int(d.entries) }

// Matrix returns all rows, read-only. It has no data where rows are sparse.
func (d *Data) Matrix() framework.Matrix {
	return framework.Matrix{Rows: d.rows, Cols: d.cols, Data: d.values}
}

// Sparse returns all rows, read-only, or nil where they are not sparse.
func (d *Data) Sparse() *framework.Sparse { return d.sparse }

// Weights returns the row weights, read-only, or nil.
func (d *Data) Weights() []float64 { return d.weights }

// Close frees the memory; the data must not be used any more.
func (d *Data) Close() error {
	err := d.wait()
	if d.touched != nil {
		d.touched()
	}
	if unmapped := d.mapped.unmap(); err == nil {
		err = unmapped
	}
	d.values, d.weights, d.sparse = nil, nil, nil
	if d.file != nil {
		end := (*os.File).Close
		if d.own {
			end = dispose
		}
		if closed := end(d.file); err == nil {
			err = closed
		}
		d.file = nil
	}
	if d.shared != nil {
		if closed := d.shared.Close(); err == nil {
			err = closed
		}
		d.shared = nil
	}
	return err
}

// sealSoon takes the file of a builder, which it ends. To take the mapping apart that a large
// matrix was written through, in small pages, takes twice as long as to read it, so that this, and the
// seals after it, go on beside what the caller does: see wait.
func (d *Data) sealSoon(w *words) (err error) {
	var view *os.File
	if w.memory { // a mapping of the file as it is could be made writable, and would keep it from being sealed
		view, _ = os.Open(pathOf(w.file))
	}
	if view == nil {
		if d.file, err = w.sealed(); err != nil {
			return err
		}
		return d.mapIn()
	}
	defer func() { _ = view.Close() }() // the mapping stays
	if err := d.mapFrom(view); err != nil {
		return err
	}
	writing, end := *w, make(chan error, 1)
	d.file, *w = w.file, words{options: w.options}
	go func() {
		_, err := writing.sealed()
		end <- err
	}()
	d.sealed = sync.OnceValue(func() error { return <-end })
	return nil
}

// wait waits until nobody can change the file of the data any more.
func (d *Data) wait() error {
	if d.sealed == nil {
		return nil
	}
	return d.sealed()
}

// Share puts rows that are in plain memory where other processes can see them.
func (d *Data) Share() error {
	d.sharing.Lock()
	defer d.sharing.Unlock()
	if d.file != nil {
		return d.wait()
	}
	if d.shared != nil {
		return d.shared.wait()
	}
	if d.isSparse {
		var err error
		d.shared, err = d.sharedSparse()
		return err
	}
	b, err := BuilderOf(d.Matrix(), d.weights, Options{Storage: Memory, Dir: d.dir})
	if err != nil {
		return err
	}
	if d.shared, err = b.Seal(); err != nil {
		return err
	}
	return d.shared.wait()
}

// A Handle tells another process on this machine where the data are. It is
// valid until the Data are closed.
type Handle struct {
	Path                  string
	Rows, Cols, BlockRows int
	Weighted              bool
	Sparse                bool
	Entries               int // of sparse rows
}

// Handle returns the handle of the data. In plain memory, it has no path before Share.
func (d *Data) Handle() Handle {
	d.sharing.Lock()
	defer d.sharing.Unlock()
	h := Handle{Rows: d.rows, Cols: d.cols, BlockRows: d.blockRows, Weighted: d.weighted, Sparse: d.isSparse, Entries: int(d.entries)}
	switch {
	case d.file != nil:
		_ = d.wait() // whoever opens it is told if it is not sealed
		h.Path = pathOf(d.file)
	case d.shared != nil:
		h.Path = pathOf(d.shared.file)
	}
	return h
}

// Open maps the data of another process, read-only. It refuses a file that is
// smaller than the handle says, or a memory file that could still shrink, since
// reading past the end of a mapping would kill the process.
func Open(h Handle) (*Data, error) {
	bad := func(format string, args ...any) error {
		return framework.Faultf(framework.Plugin, "bad-data-handle", "the shared data cannot be used: %s", fmt.Sprintf(format, args...))
	}
	if h.Rows < 0 || h.Cols < 0 || h.BlockRows < 1 || h.Entries < 0 || h.Sparse && h.Cols > math.MaxInt32 {
		return nil, bad("%d rows of %d columns in blocks of %d", h.Rows, h.Cols, h.BlockRows)
	}
	d := &Data{rows: h.Rows, cols: h.Cols, blockRows: h.BlockRows, weighted: h.Weighted, isSparse: h.Sparse, entries: int64(h.Entries)}
	size, err := d.size()
	if err != nil {
		return nil, err
	}
	if d.file, err = os.Open(h.Path); err != nil {
		return nil, bad("%v", err)
	}
	info, err := d.file.Stat()
	if err == nil && info.Size() < size {
		err = fmt.Errorf("the file has %d bytes, but %d are needed", info.Size(), size)
	}
	inMemory := false
	if err == nil {
		inMemory, err = checkSeals(d.file)
	}
	if err == nil {
		d.mapped = takeAhead(info, size)
		err = d.mapIn()
	}
	if err == nil && d.isSparse {
		err = d.checkSparse()
	}
	if err != nil {
		_ = d.Close()
		return nil, bad("%v", err)
	}
	if inMemory {
		d.touched = d.mapped.touch()
	}
	return d, nil
}
