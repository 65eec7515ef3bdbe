package input

import (
	"encoding/binary"
	"strconv"
)

// RowNumber is the name of the key column of rows that have no key of their
// own: their numbers in the relation, from 1.
const RowNumber = "row_id"

// Keys are the row keys of a table, in the order of its rows. Their type is that
// of the column that they come from, so that they can be written back unchanged.
type Keys interface {
	// Len returns the number of keys.
	Len() int
	// Value returns key i as bool, int64, uint64 or float64, and as text for every
	// other type.
	Value(i int) any
	// Text returns key i as text.
	Text(i int) string
	// Type returns the SQL of the keys' type.
	Type() string
	// Append appends bytes that tell key i from all others to b.
	Append(b []byte, i int) []byte
	// AppendAll appends what Append does for each of the keys from…to−1, in their order.
	AppendAll(b []byte, from, to int) []byte
}

// NoKeys are no keys, of a type: those of rows that are elsewhere.
type NoKeys struct {
	Numbered
	SQL string // of the type
}

// Type implements Keys.
func (k NoKeys) Type() string { return k.SQL }

// Numbered is the keys 1..n of rows without a key of their own.
type Numbered int

// Len implements Keys.
func (n Numbered) Len() int { return int(n) }

// Value implements Keys.
func (Numbered) Value(i int) any { return int64(i + 1) }

// Text implements Keys.
func (Numbered) Text(i int) string { return strconv.Itoa(i + 1) }

// Type implements Keys.
func (Numbered) Type() string { return "BIGINT" }

// Append implements Keys.
func (Numbered) Append(b []byte, i int) []byte {
	const signBit = 1 << 63
	b = binary.LittleEndian.AppendUint64(b, uint64(i+1)^signBit)
	return binary.LittleEndian.AppendUint64(b, 0)
}

// AppendAll implements Keys.
func (n Numbered) AppendAll(b []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		b = n.Append(b, i)
	}
	return b
}
