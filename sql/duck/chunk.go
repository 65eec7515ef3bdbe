package duck

import (
	"fmt"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/sql/duck/internal/kind"
)

// ChunkRows is the greatest number of rows of a chunk.
const ChunkRows = 2048

// A Chunk is a piece of a result.
type Chunk struct {
	data mapping.DataChunk
	row  []mapping.Vector // the columns, where they are the fields of a row; nil: those of data
	Rows int
}

// A Vector is one column of a chunk: DuckDB's own memory.
type Vector struct {
	handle mapping.Vector
	data   unsafe.Pointer
	valid  []uint64 // bit i is set when entry i is not NULL; nil: none is NULL
}

// Column returns column i of the chunk.
func (c Chunk) Column(i int) Vector {
	if c.row != nil {
		return vectorOf(c.row[i], c.Rows)
	}
	return vectorOf(mapping.DataChunkGetVector(c.data, mapping.IdxT(i)), c.Rows)
}

// width returns the number of columns.
func (c Chunk) width() int {
	if c.row != nil {
		return len(c.row)
	}
	return int(mapping.DataChunkGetColumnCount(c.data))
}

// vectorOf views the first n entries of a vector.
func vectorOf(handle mapping.Vector, n int) Vector {
	v := Vector{handle: handle, data: mapping.VectorGetData(handle)}
	if mask := mapping.VectorGetValidity(handle); mask != nil && n > 0 {
		v.valid = unsafe.Slice((*uint64)(mask), (n+63)/64)
		if allSet(v.valid, n) {
			v.valid = nil
		}
	}
	return v
}

// allSet reports whether the first n bits are set.
func allSet(mask []uint64, n int) bool {
	set := 0
	for w, word := range mask {
		if rest := n - w*64; rest < 64 {
			word &= 1<<rest - 1
		}
		set += bits.OnesCount64(word)
	}
	return set == n
}

// Null reports whether entry i is NULL.
func (v Vector) Null(i int) bool {
	return v.valid != nil && v.valid[i/64]>>(i%64)&1 == 0
}

// View views the first n entries of a vector whose type is T in Go: BOOLEAN,
// BIGINT or DOUBLE. Those that are NULL may be anything.
func View[T bool | int64 | float64](v Vector, n int) []T { return unsafe.Slice((*T)(v.data), n) }

// Text returns the bytes of entry i of a VARCHAR or BLOB vector, which belong
// to the chunk. The layout is duckdb_string_t: a length, then up to 12 bytes in
// place, or 4 bytes of prefix and a pointer.
func (v Vector) Text(i int) []byte {
	at := unsafe.Add(v.data, i*16)
	n := *(*uint32)(at)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(at, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(at, 8)), n)
}

// Words returns a function that reads entry i of a vector of text, ENUM or BOOLEAN as
// DuckDB casts it to VARCHAR; nil for other types. The text belongs to the chunk.
func (v Vector) Words() func(i int) string {
	k, _ := v.Kind()
	switch {
	case k.ID == mapping.TypeVarchar:
		return func(i int) string { text := v.Text(i); return unsafe.String(unsafe.SliceData(text), len(text)) }
	case k.Words != nil:
		return func(i int) string { return v.Word(k, i) }
	case k.ID == mapping.TypeBoolean:
		return func(i int) string { return strconv.FormatBool(*(*bool)(unsafe.Add(v.data, i))) }
	}
	return nil
}

// Full reports whether no entry is NULL.
func (v Vector) Full() bool { return v.valid == nil }

// Nulls calls f for each NULL entry among the first n.
func (v Vector) Nulls(n int, f func(i int)) {
	for w, word := range v.valid {
		word = ^word
		if rest := n - w*64; rest < 64 {
			word &= 1<<rest - 1
		}
		for ; word != 0; word &= word - 1 {
			f(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// A Kind says how values of a type are stored. A value of at most 16 bytes is held as
// two words that have the order of the values; text is held as bytes.
type Kind = kind.Kind

// Word returns entry i of a vector of an ENUM.
func (v Vector) Word(k Kind, i int) string {
	code, _ := k.Load(v.data, i)
	return k.Words[code]
}

// Kind returns the kind of the vector's type, or false if values of that type
// cannot be held.
func (v Vector) Kind() (Kind, bool) {
	t := mapping.VectorGetColumnType(v.handle)
	defer mapping.DestroyLogicalType(&t)
	return kind.Of(t)
}

// Each hands over the rows, with values as Keys.Value gives them and nil for NULL.
// A row is valid during the call only.
func (c Chunk) Each(use func(row []any) error) error {
	columns := make([]func(i int) any, c.width())
	for j := range columns {
		v := c.Column(j)
		k, ok := v.Kind()
		if v.Type() == `"NULL"` { // of NULL alone
			columns[j] = func(int) any { return nil }
			continue
		}
		if !ok {
			return fmt.Errorf("column %d has a type that cannot be shown", j+1)
		}
		one := &Keys{kind: k}
		columns[j] = func(i int) any {
			if v.Null(i) {
				return nil
			}
			one.Clear()
			one.Add(v, i)
			return one.Value(0)
		}
	}
	row := make([]any, len(columns))
	for i := range c.Rows {
		for j, value := range columns {
			row[j] = value(i)
		}
		if err := use(row); err != nil {
			return err
		}
	}
	return nil
}
