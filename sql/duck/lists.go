package duck

import (
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Lists are the numbers in a column of arrays or lists of DOUBLE.
type Lists struct {
	width int
	child Vector
	outer Vector
	spans unsafe.Pointer // offset and length of each row's list; nil: arrays
}

// Lists views the first rows entries of a vector, which are arrays of that width, or
// lists that ought to have it.
func (v Vector) Lists(rows, width int, varying bool) Lists {
	l := Lists{width: width, outer: v}
	if varying {
		l.spans = v.data
		l.child = vectorOf(mapping.ListVectorGetChild(v.handle), int(mapping.ListVectorGetSize(v.handle)))
	} else {
		l.child = vectorOf(mapping.ArrayVectorGetChild(v.handle), rows*width)
	}
	return l
}

// From returns the place of row i's first number, −1 if the row is NULL and −2 if
// its list has a wrong length.
func (l Lists) From(i int) int {
	if l.outer.Null(i) {
		return -1
	}
	if l.spans == nil {
		return i * l.width
	}
	span := (*[2]uint64)(unsafe.Add(l.spans, i*16))
	if span[1] != uint64(l.width) {
		return -2
	}
	return int(span[0])
}

// Null reports whether the number at a place is NULL.
func (l Lists) Null(place int) bool { return l.child.Null(place) }

// Numbers views the numbers of the row whose first one is at a place.
func (l Lists) Numbers(place int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(l.child.data, place*8)), l.width)
}
