package store

import (
	"math"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// entries are the numbers inside an array or list column.
type entries struct {
	typ   string // SQL of the column's type
	width int
	child vector
	outer vector
	lists unsafe.Pointer // offset and length of each row's list; nil: an array
}

func (in *reader) entries(s source, v vector, rows int) entries {
	e := entries{typ: s.typ, width: s.width, outer: v}
	if s.list {
		e.lists = v.data
		e.child = vectorOf(bindings.ListVectorGetChild(v.handle), int(bindings.ListVectorGetSize(v.handle)))
	} else {
		e.child = vectorOf(bindings.ArrayVectorGetChild(v.handle), rows*s.width)
	}
	return e
}

// from returns the place of row i's first entry, −1 if the row is NULL and −2
// if its list has a wrong length.
func (e entries) from(i int) int {
	if e.outer.null(i) {
		return -1
	}
	if e.lists == nil {
		return i * e.width
	}
	span := (*[2]uint64)(unsafe.Add(e.lists, i*16))
	if span[1] != uint64(e.width) {
		return -2
	}
	return int(span[0])
}

// takeEntries writes an array column to columns place… of the matrix.
func (in *reader) takeEntries(cells []float64, place int, e entries, key *vector, rows int) {
	p := len(in.features)
	limit := exactUpTo(e.typ)
	for i := range rows {
		dst := cells[i*p+place:][:e.width]
		from := e.from(i)
		if from < 0 {
			for l := range dst {
				dst[l] = math.NaN()
				in.missing[place+l]++
			}
			if from == -2 {
				in.badLists.add(func() string { return in.rowName(key, i) })
			}
			continue
		}
		values := unsafe.Slice((*float64)(unsafe.Add(e.child.data, from*8)), e.width)
		for l, x := range values {
			switch {
			case e.child.null(from + l):
				x = math.NaN()
				in.missing[place+l]++
			case x-x != 0:
				in.badCell(key, i, place+l, x)
			}
			dst[l] = x
			in.rounded[place+l] = in.rounded[place+l] || x > limit || x < -limit
		}
	}
}
