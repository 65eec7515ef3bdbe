package duck

import (
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Returned are the values that a function returns, to be set.
type Returned struct {
	vector mapping.Vector
	at     int // place of the first
}

// A Field fills a field of a struct: a cell, or a list.
type Field struct {
	Cell Cells // nil: a list
	List *List // nil: NULL
}

// A List has entries that are structs, a column for each of their fields, or values,
// which is one column.
type List struct {
	Entries int
	Columns []Cells
}

// Set sets value i, a struct, to these fields in their order.
func (r Returned) Set(i int, fields []Field) {
	at := r.at + i
	for f, field := range fields {
		child := mapping.StructVectorGetChild(r.vector, mapping.IdxT(f))
		if field.Cell != nil {
			field.Cell(targetAt(child, at, 1), 0, 1)
			continue
		}
		setList(child, at, field.List)
	}
}

// Fill sets the first n values with cells.
func (r Returned) Fill(n int, cells Cells) { cells(targetAt(r.vector, r.at, n), 0, n) }

// FillFields sets the first n values, which are structs, with the cells of each field.
func (r Returned) FillFields(n int, fields []Cells) {
	for f, cells := range fields {
		cells(targetAt(mapping.StructVectorGetChild(r.vector, mapping.IdxT(f)), r.at, n), 0, n)
	}
}

// setList sets an entry of a vector of lists.
func setList(v mapping.Vector, at int, l *List) {
	entries := targetAt(v, at, 1)
	from := mapping.ListVectorGetSize(v)
	span := (*[2]uint64)(unsafe.Add(entries.data, at*16))
	*span = [2]uint64{uint64(from), 0}
	if l == nil {
		entries.null(0)
		return
	}
	if l.Entries == 0 {
		return
	}
	span[1] = uint64(l.Entries)
	all := from + mapping.IdxT(l.Entries)
	mapping.ListVectorReserve(v, all)
	mapping.ListVectorSetSize(v, all)
	child := mapping.ListVectorGetChild(v)
	kind := mapping.VectorGetColumnType(child)
	isStruct := mapping.GetTypeId(kind) == mapping.TypeStruct
	mapping.DestroyLogicalType(&kind)
	for c, write := range l.Columns {
		column := child
		if isStruct {
			column = mapping.StructVectorGetChild(child, mapping.IdxT(c))
		}
		write(targetAt(column, int(from), l.Entries), 0, l.Entries)
	}
	if isStruct {
		targetAt(child, int(from), l.Entries)
	}
}
