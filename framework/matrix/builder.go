package matrix

import (
	"errors"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Storage says where a matrix lives.
type Storage string

// The storages.
const (
	Auto   Storage = "auto"   // plain memory for a little, else Memory, or File above half of the available memory
	Memory Storage = "memory" // sealed memory file (Linux)
	File   Storage = "file"   // private file: without a name on Linux, elsewhere removed in the end
	NoFile Storage = "nofile" // as Auto, but an error where that takes a File
)

// little is how many bytes Auto keeps in plain memory. A file takes longer to make
// than many a fit, so that there is one only if another process needs it: Data.Share.
const little = 1 << 20

// small reports whether size bytes are kept in plain memory.
func (o Options) small(size int64) bool {
	return (o.Storage == Auto || o.Storage == NoFile) && size <= little
}

// Options of a Builder.
type Options struct {
	RowsHint int // expected rows; 0: unknown
	Storage  Storage
	Dir      string // of a private file; "": the system's directory for temporary files
	Most     int64  // bytes of a NoFile; 0: what is available
}

// A Builder collects rows of a fixed number of columns.
type Builder struct {
	cols, rows int
	words      // the cells of a dense builder
	weights    []float64

	early *early // sums that are known; nil: none

	sparse *entries  // the rows of a sparse builder; nil: it is dense
	base   []float64 // of its columns, once it is fitted
}

// NewBuilder returns an empty builder. It must be sealed or discarded.
func NewBuilder(cols int, o Options) (*Builder, error) {
	if cols < 0 {
		panic(fmt.Sprintf("matrix: %d columns", cols))
	}
	if o.Storage == "" {
		o.Storage = Auto
	}
	b := &Builder{cols: cols, words: words{options: o}}
	size, err := bytesOf(max(o.RowsHint, 1), cols)
	if err != nil {
		return nil, err
	}
	if err := b.grow(size); err != nil {
		return nil, err
	}
	return b, nil
}

// Path returns the path by which another process opens the memory file that rows are being added to, to read it alone: a
// mapping that could be written keeps it from being sealed. It is empty if they are in plain memory or in a private file.
func (b *Builder) Path() string {
	if b.sparse != nil || b.file == nil || !b.memory {
		return ""
	}
	return pathOf(b.file)
}

// bytesOf returns the size of a matrix.
func bytesOf(rows, cols int) (int64, error) {
	if cols > 0 && rows > math.MaxInt64/8/cols {
		return 0, framework.Faultf(framework.Data, "too-large", "%d rows of %d columns are more than this machine can address", rows, cols)
	}
	return int64(rows) * int64(cols) * 8, nil
}

// Rows returns the number of rows so far.
func (b *Builder) Rows() int { return b.rows }

// Cols returns the number of columns.
func (b *Builder) Cols() int { return b.cols }

// Extend appends rows of zeros and returns their cells, row-major, to be
// written until the next call of Extend, Truncate, Permute or Seal.
func (b *Builder) Extend(rows int) ([]float64, error) {
	cells, err := b.ExtendUnprovided(rows)
	if err == nil {
		b.Provide(cells)
	}
	return cells, err
}

// ExtendUnprovided is Extend for cells that several goroutines are about to write, each of
// which calls Provide for its own.
func (b *Builder) ExtendUnprovided(rows int) ([]float64, error) {
	need, err := bytesOf(b.rows+rows, b.cols)
	if err != nil {
		return nil, err
	}
	if err := b.reserve(need); err != nil {
		return nil, err
	}
	from := b.rows * b.cols
	b.rows += rows
	b.early = nil
	return b.cells()[from : b.rows*b.cols], nil
}

// Provide gets the memory of some cells that are about to be written from the system at
// once, which takes less time than page by page, here and in each process that reads them. Several goroutines may call it.
func (b *Builder) Provide(cells []float64) { b.provide(cells) }

// Truncate drops the rows from the given number on.
func (b *Builder) Truncate(rows int) {
	if rows < 0 || rows > b.rows {
		panic(fmt.Sprintf("matrix: truncate %d rows to %d", b.rows, rows))
	}
	b.early = nil
	if b.rows = rows; b.sparse != nil {
		b.sparse.truncate(rows)
	}
}

func (b *Builder) permutedWeights(order []int) []float64 {
	weights := make([]float64, len(order))
	for to, from := range order {
		weights[to] = b.weights[from]
	}
	return weights
}

// Values returns all rows, to be written.
func (b *Builder) Values() framework.Matrix {
	b.early = nil
	return b.Cells()
}

// Cells returns all rows, to be read only.
func (b *Builder) Cells() framework.Matrix {
	return framework.Matrix{Rows: b.rows, Cols: b.cols, Data: b.cells()[: b.rows*b.cols : b.rows*b.cols]}
}

// Weights returns the row weights, or nil.
func (b *Builder) Weights() []float64 { return b.weights }

// SetWeights gives each row a weight.
func (b *Builder) SetWeights(w []float64) error {
	if w != nil && len(w) != b.rows {
		panic(fmt.Sprintf("matrix: %d weights for %d rows", len(w), b.rows))
	}
	b.weights = w
	return nil
}

// Permute puts row order[i] at place i, for the rows and their weights. It
// works in place, cycle by cycle, and panics if order is not a permutation.
func (b *Builder) Permute(order []int) error {
	if len(order) != b.rows {
		panic(fmt.Sprintf("matrix: permutation of %d rows for %d", len(order), b.rows))
	}
	if b.sparse != nil {
		if b.weights != nil {
			b.weights = b.permutedWeights(order)
		}
		return b.sparse.permute(order)
	}
	v := b.Values()
	done := make([]bool, len(order))
	held := make([]float64, b.cols)
	for start := range order {
		if done[start] {
			continue
		}
		copy(held, v.Row(start))
		var weight float64
		if b.weights != nil {
			weight = b.weights[start]
		}
		for to := start; ; {
			from := order[to]
			if done[to] {
				panic("matrix: order is not a permutation")
			}
			done[to] = true
			if from == start {
				copy(v.Row(to), held)
				if b.weights != nil {
					b.weights[to] = weight
				}
				break
			}
			copy(v.Row(to), v.Row(from))
			if b.weights != nil {
				b.weights[to] = b.weights[from]
			}
			to = from
		}
	}
	return nil
}

// Discard frees everything. It may be called more than once, and after Seal.
func (b *Builder) Discard() error {
	err := b.free()
	if b.sparse != nil {
		if freed := b.sparse.discard(); err == nil {
			err = freed
		}
		b.sparse = nil
	}
	return err
}

// Seal makes the rows read-only for good, and ends the builder, whether it
// succeeds or not.
func (b *Builder) Seal() (_ *Data, err error) {
	defer func() {
		if err != nil {
			_ = b.Discard() // the first error counts
		}
	}()
	if b.sparse != nil {
		return b.sealSparse()
	}
	if b.file == nil {
		if len(b.plain) < b.rows*b.cols {
			return nil, errors.New("the rows have been discarded")
		}
		d := FromMatrix(b.Cells(), b.weights, 0)
		d.dir, b.plain = b.options.Dir, nil
		return d, nil
	}
	size, err := bytesOf(b.rows, b.cols)
	if err != nil {
		return nil, err
	}
	if total := max(size+int64(len(b.weights))*8, 8); total != b.room() {
		if err := b.resize(total); err != nil {
			return nil, err
		}
	}
	copy(b.cells()[size/8:], b.weights)
	d := &Data{rows: b.rows, cols: b.cols, blockRows: BlockRows(b.rows, b.cols), weighted: b.weights != nil, own: true}
	if err := d.sealSoon(&b.words); err != nil {
		_ = d.Close() // the first error counts
		return nil, err
	}
	return d, nil
}
