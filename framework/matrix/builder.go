package matrix

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Storage says where a matrix lives.
type Storage string

// The storages.
const (
	Auto   Storage = "auto"   // plain memory for a little, else Memory, or File above half of the available memory
	Memory Storage = "memory" // sealed memory file (Linux)
	File   Storage = "file"   // private file: without a name on Linux, elsewhere removed in the end
)

// little is how many bytes Auto keeps in plain memory. A file takes longer to make
// than many a fit, so that there is one only if another process needs it: Data.Share.
const little = 1 << 20

// Options of a Builder.
type Options struct {
	RowsHint int // expected rows; 0: unknown
	Storage  Storage
	Dir      string // of a private file; "": the system's directory for temporary files
}

// A Builder collects rows of a fixed number of columns.
type Builder struct {
	cols, rows int
	plain      []float64 // the rows, if there is no file
	file       *os.File
	memory     bool    // file is a memory file
	mapped     mapping // the whole file, writable
	options    Options
	weights    []float64

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
	b := &Builder{cols: cols, options: o}
	size, err := bytesOf(max(o.RowsHint, 1), cols)
	if err != nil {
		return nil, err
	}
	if o.Storage == Auto && size <= little {
		b.plain = make([]float64, size/8)
		return b, nil
	}
	b.memory = o.Storage == Memory || o.Storage == Auto && fits(0, size)
	if b.file, b.memory, err = create(b.memory, o.Dir); err != nil {
		return nil, b.noFile(size, err)
	}
	if err := b.resize(size); err != nil {
		_ = b.Discard()
		return nil, err
	}
	return b, nil
}

// bytesOf returns the size of a matrix.
func bytesOf(rows, cols int) (int64, error) {
	if cols > 0 && rows > math.MaxInt64/8/cols {
		return 0, framework.Faultf(framework.Data, "too-large", "%d rows of %d columns are more than this machine can address", rows, cols)
	}
	return int64(rows) * int64(cols) * 8, nil
}

// resize gives the file a size, and maps it. When there is no room for it, the
// builder stays as it is.
func (b *Builder) resize(size int64) error {
	have := int64(len(b.mapped.bytes))
	if size > have {
		if err := reserve(b.file, b.memory, have, size); err != nil {
			return b.noMemory(size, err)
		}
	}
	if err := b.mapped.unmap(); err != nil {
		return b.noMemory(have, err)
	}
	if size < have {
		if err := b.file.Truncate(size); err != nil {
			return err
		}
	}
	var err error
	b.mapped, err = mapFile(b.file, size, true)
	return err
}

// Rows returns the number of rows so far.
func (b *Builder) Rows() int { return b.rows }

// Cols returns the number of columns.
func (b *Builder) Cols() int { return b.cols }

// Extend appends rows of zeros and returns their cells, row-major, to be
// written until the next call of Extend, Truncate, Permute or Seal.
func (b *Builder) Extend(rows int) ([]float64, error) {
	need, err := bytesOf(b.rows+rows, b.cols)
	if err != nil {
		return nil, err
	}
	if have := b.room(); need > have {
		err := b.grow(max(need, have+have/2))
		if framework.AsFault(err) != nil {
			err = b.grow(need) // there may be room for what is needed now
		}
		if err != nil {
			return nil, err
		}
	}
	from := b.rows * b.cols
	b.rows += rows
	return b.cells()[from : b.rows*b.cols], nil
}

// room returns for how many bytes there is room.
func (b *Builder) room() int64 { return int64(len(b.plain)*8 + len(b.mapped.bytes)) }

// grow makes room. It moves a matrix that is more than a little out of plain memory,
// and one that no longer fits into memory to a file.
func (b *Builder) grow(size int64) error {
	if b.file == nil && size <= little {
		rows := make([]float64, size/8)
		copy(rows, b.plain)
		b.plain = rows
		return nil
	}
	if b.file != nil && (!b.memory || b.options.Storage != Auto || fits(b.room(), size)) {
		return b.resize(size)
	}
	old := *b
	var err error
	if b.file, b.memory, err = create(b.file == nil && fits(0, size), b.options.Dir); err != nil {
		*b = old
		return b.noFile(size, err)
	}
	b.plain, b.mapped = nil, mapping{}
	if err := b.resize(size); err != nil {
		_ = b.Discard()
		*b = old
		return err
	}
	copy(b.cells(), old.cells())
	return old.Discard()
}

// cells returns all that there is room for.
func (b *Builder) cells() []float64 {
	if b.file == nil {
		return b.plain
	}
	return numbers(b.mapped.bytes)
}

// wordsOf returns the memory of words as n other numbers.
func wordsOf[T int32 | int64](words []float64, n int) []T {
	if n == 0 || len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), n)
}

func numbers(bytes []byte) []float64 {
	if len(bytes) < 8 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&bytes[0])), len(bytes)/8)
}

// Truncate drops the rows from the given number on.
func (b *Builder) Truncate(rows int) {
	if rows < 0 || rows > b.rows {
		panic(fmt.Sprintf("matrix: truncate %d rows to %d", b.rows, rows))
	}
	if b.rows = rows; b.sparse != nil {
		s, end := b.sparse, b.sparse.start[rows]
		s.start, s.column, s.value = s.start[:rows+1], s.column[:end], s.value[:end]
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
		b.sparse = b.sparse.permuted(order)
		if b.weights != nil {
			b.weights = b.permutedWeights(order)
		}
		return nil
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
	b.plain, b.sparse = nil, nil
	err := b.mapped.unmap()
	if b.file != nil {
		if disposed := dispose(b.file); err == nil {
			err = disposed
		}
		b.file = nil
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
		d := FromMatrix(b.Values(), b.weights, 0)
		d.dir, b.plain = b.options.Dir, nil
		return d, nil
	}
	size, err := bytesOf(b.rows, b.cols)
	if err != nil {
		return nil, err
	}
	total := size + int64(len(b.weights))*8
	if err := b.resize(max(total, 8)); err != nil {
		return nil, err
	}
	copy(numbers(b.mapped.bytes)[size/8:], b.weights)
	if err := b.mapped.unmap(); err != nil {
		return nil, b.noMemory(total, err)
	}
	if b.memory {
		if err := seal(b.file); err != nil {
			return nil, err
		}
	}
	d := &Data{rows: b.rows, cols: b.cols, blockRows: BlockRows(b.rows, b.cols), weighted: b.weights != nil, file: b.file, own: true}
	b.file = nil
	if err := d.mapIn(); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}
