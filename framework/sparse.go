package framework

import "math"

// Sparse are rows of which most cells are the base of their column. Row i has the
// entries Start[i] to Start[i+1], one a column at most, in ascending order of columns.
type Sparse struct {
	Base   []float64 // by column, fitted space: Column.Base
	Start  []int64   // one more than rows
	Column []int32   // of each entry
	Offset []float64 // of each entry: its cell less the base of its column; NaN: the cell is missing
}

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return len(s.Start) - 1 }

// Row returns the columns and the offsets of the entries of row i.
func (s *Sparse) Row(i int) (columns []int32, offsets []float64) {
	from, end := s.Start[i], s.Start[i+1]
	return s.Column[from:end:end], s.Offset[from:end:end]
}

// Slice returns rows [from, to), which share s's memory.
func (s *Sparse) Slice(from, to int) *Sparse {
	part := *s
	part.Start = s.Start[from : to+1 : to+1]
	return &part
}

// Cells writes the cells of row i to dst (one a column).
func (s *Sparse) Cells(dst []float64, i int) {
	copy(dst, s.Base)
	columns, offsets := s.Row(i)
	for e, l := range columns {
		dst[l] += offsets[e]
	}
}

// At returns the cell of row i in column l.
func (s *Sparse) At(i int, l int32) float64 {
	columns, offsets := s.Row(i)
	low, high := 0, len(columns)
	for low < high {
		if at := (low + high) / 2; columns[at] < l {
			low = at + 1
		} else {
			high = at
		}
	}
	if low < len(columns) && columns[low] == l {
		return s.Base[l] + offsets[low]
	}
	return s.Base[l]
}

// Same reports whether row i has the cells of row j of other, which has the same base. An
// entry of 0 is as none, and missing cells are equal.
func (s *Sparse) Same(i int, other *Sparse, j int) bool {
	a, x := s.Row(i)
	b, y := other.Row(j)
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && x[0] == 0:
			a, x = a[1:], x[1:]
		case len(b) > 0 && y[0] == 0:
			b, y = b[1:], y[1:]
		case len(a) == 0 || len(b) == 0 || a[0] != b[0] || x[0] != y[0] && (x[0] == x[0] || y[0] == y[0]):
			return false
		default:
			a, x, b, y = a[1:], x[1:], b[1:], y[1:]
		}
	}
	return true
}

// Cells returns the cells of row i of the block, read-only: the memory of the block, or
// room for one row (length P) that is overwritten if the rows are sparse. A nil room is
// made when it is needed.
func (b Block) Cells(i int, room []float64) []float64 {
	if b.Sparse == nil {
		return b.X.Row(i)
	}
	if room == nil {
		room = make([]float64, b.X.Cols)
	}
	b.Sparse.Cells(room, i)
	return room
}

// IsBlank reports whether row i of the block has no cell in any of the columns; nil
// means all columns.
func (b Block) IsBlank(i int, columns []int) bool {
	if b.Sparse == nil {
		return isBlank(b.X.Row(i), columns)
	}
	of, offsets := b.Sparse.Row(i)
	most := len(columns)
	if columns == nil {
		most = b.X.Cols
	}
	if len(of) < most {
		return false // the others have their base
	}
	if columns == nil {
		return isBlank(offsets, nil)
	}
	for _, l := range columns {
		if v := b.Sparse.At(i, int32(l)); v == v {
			return false
		}
	}
	return true
}

func isBlank(row []float64, columns []int) bool {
	if columns == nil {
		for _, v := range row {
			if !math.IsNaN(v) {
				return false
			}
		}
		return true
	}
	for _, l := range columns {
		if !math.IsNaN(row[l]) {
			return false
		}
	}
	return true
}
