package store

import (
	"math/bits"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// chunkRows is the greatest number of rows of a chunk.
const chunkRows = 2048

// A chunk is a piece of a result.
type chunk struct {
	data bindings.DataChunk
	rows int
}

// A vector is one column of a chunk: DuckDB's own memory.
type vector struct {
	handle bindings.Vector
	data   unsafe.Pointer
	valid  []uint64 // bit i is set when entry i is not NULL; nil: none is NULL
}

// column returns column i of the chunk.
func (c chunk) column(i int) vector {
	return vectorOf(bindings.DataChunkGetVector(c.data, bindings.IdxT(i)), c.rows)
}

// vectorOf views the first n entries of a vector.
func vectorOf(handle bindings.Vector, n int) vector {
	v := vector{handle: handle, data: bindings.VectorGetData(handle)}
	if mask := bindings.VectorGetValidity(handle); mask != nil && n > 0 {
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

// null reports whether entry i is NULL.
func (v vector) null(i int) bool {
	return v.valid != nil && v.valid[i/64]>>(i%64)&1 == 0
}

// floats views the first n entries of a DOUBLE vector.
func (v vector) floats(n int) []float64 {
	return unsafe.Slice((*float64)(v.data), n)
}

// text returns the bytes of entry i of a VARCHAR or BLOB vector, which belong
// to the chunk. The layout is duckdb_string_t: a length, then up to 12 bytes in
// place, or 4 bytes of prefix and a pointer.
func (v vector) text(i int) []byte {
	at := unsafe.Add(v.data, i*16)
	n := *(*uint32)(at)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(at, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(at, 8)), n)
}

// nulls calls f for each NULL entry among the first n.
func (v vector) nulls(n int, f func(i int)) {
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

// width returns the number of columns.
func (c chunk) width() int { return int(bindings.DataChunkGetColumnCount(c.data)) }

// kind returns the kind of the vector's type, or false if values of that type
// cannot be held.
func (v vector) kind() (kind, bool) {
	t := bindings.VectorGetColumnType(v.handle)
	defer bindings.DestroyLogicalType(&t)
	return kindOf(t)
}
