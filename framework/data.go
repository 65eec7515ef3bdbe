package framework

import (
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// A Matrix is a dense row-major matrix: entry (i, l) is Data[i*Cols+l].
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix returns a rows × cols matrix of zeros.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Row returns row i as a slice that shares the matrix's memory.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

// Slice returns rows [from, to) as a matrix that shares m's memory.
func (m Matrix) Slice(from, to int) Matrix {
	return Matrix{Rows: to - from, Cols: m.Cols, Data: m.Data[from*m.Cols : to*m.Cols : to*m.Cols]}
}

// Clone returns a copy that shares nothing with m.
func (m Matrix) Clone() Matrix {
	return Matrix{Rows: m.Rows, Cols: m.Cols, Data: append([]float64(nil), m.Data...)}
}

// CopyFrom overwrites m with src. It panics if the shapes differ.
func (m Matrix) CopyFrom(src Matrix) {
	if m.Rows != src.Rows || m.Cols != src.Cols {
		panic(fmt.Sprintf("framework: copy of a %d×%d matrix into %d×%d", src.Rows, src.Cols, m.Rows, m.Cols))
	}
	copy(m.Data, src.Data)
}

// Dense returns m as a gonum matrix that shares its memory: what is written to one
// is in the other. gonum has no matrices without rows or columns; for these the
// result is the empty Dense.
func (m Matrix) Dense() *mat.Dense {
	if m.Rows == 0 || m.Cols == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// FromDense returns a gonum matrix as a Matrix. It shares the memory of d, unless d
// is part of a wider matrix: then it is a copy.
func FromDense(d *mat.Dense) Matrix {
	raw := d.RawMatrix()
	if raw.Rows == 0 || raw.Cols == 0 {
		return Matrix{}
	}
	if raw.Stride == raw.Cols {
		return Matrix{Rows: raw.Rows, Cols: raw.Cols, Data: raw.Data}
	}
	m := NewMatrix(raw.Rows, raw.Cols)
	for i := range m.Rows {
		copy(m.Row(i), raw.Data[i*raw.Stride:])
	}
	return m
}

// A Block is a run of consecutive rows: the unit of parallel work, of the ordered
// fold, and of cancellation. It is read-only.
type Block struct {
	Index     int       // this is Rows.Block(Index)
	Row0      int       // X's first row is row Row0 of the data
	X         Matrix    // fitted space; NaN is a missing cell; without Data where rows are sparse
	Sparse    *Sparse   // not nil: the rows, of an algorithm that is Sparse
	RowWeight []float64 // length X.Rows; nil: every row weighs 1
	Part      *Part     // not nil: RowWeight has less for this row of the block than the data have
}

// A Part is a row of which only a part counts: see package fit, Trimming.
type Part struct {
	Row    int     // of the data
	Weight float64 // > 0, and less than the row's
}

// Weight returns the weight of the block's i-th row.
func (b Block) Weight(i int) float64 {
	if b.RowWeight == nil {
		return 1
	}
	return b.RowWeight[i]
}

// Rows is the data of a fit as blocks, which are fixed for its life.
// Its methods are safe for concurrent use.
type Rows interface {
	Len() int // rows in all blocks
	Blocks() int
	Block(i int) Block
}

// Partly returns the rows with only a part of one of them; nil: all of each.
func Partly(rows Rows, part *Part) Rows {
	if part == nil {
		return rows
	}
	return partly{rows, part}
}

type partly struct {
	Rows
	part *Part
}

// PartOf returns what Partly was given.
func PartOf(rows Rows) *Part {
	p, _ := rows.(partly)
	return p.part
}

func (p partly) Block(i int) Block { return p.Rows.Block(i).Partly(p.part) }

// Partly returns the block with only a part of a row, if that is one of its rows.
func (b Block) Partly(part *Part) Block {
	if part == nil || part.Row < b.Row0 || part.Row >= b.Row0+b.X.Rows {
		return b
	}
	whole := b
	b.Part, b.RowWeight = part, make([]float64, b.X.Rows)
	for i := range b.RowWeight {
		b.RowWeight[i] = whole.Weight(i)
	}
	b.RowWeight[part.Row-b.Row0] = part.Weight
	return b
}

// Locate returns the block that has row i, and the row's place in it. It panics
// if there is no such row.
func Locate(rows Rows, i int) (Block, int) {
	if i < 0 || i >= rows.Len() {
		panic(fmt.Sprintf("framework: row %d of %d", i, rows.Len()))
	}
	after := sort.Search(rows.Blocks(), func(b int) bool { return rows.Block(b).Row0 > i })
	b := rows.Block(after - 1)
	return b, i - b.Row0
}

// Cells returns the cells of row i, read-only. It panics if there is no such row.
func Cells(rows Rows, i int) []float64 {
	b, at := Locate(rows, i)
	return b.Cells(at, nil)
}

// A Column describes one feature: how it was mapped from original units
// (fitted = (original − Location) / Scale), and its observed fitted cells.
type Column struct {
	Name     string
	Group    int     // number of its group in Problem.Groups; the column's own index when there are no groups
	Location float64 // original units
	Scale    float64 // original units per fitted unit, > 0
	Missing  int     // rows whose cell is missing
	Mass     float64 // sum of the weights of the rows in which it is observed
	Mean     float64 // weighted mean of the fitted cells; 0 if none is observed
	SumSq    float64 // Σ weight · (x − Mean)², fitted space
	Min, Max float64 // of the fitted cells; both 0 when none is observed
	Base     float64 // of sparse rows: the fitted cell of rows without an entry; 0 where all have one
}

// Constant reports whether the column has a single value, so that it cannot tell
// rows apart.
func (c Column) Constant() bool { return c.Min == c.Max }

// HasMissing reports whether any column has a missing cell.
func HasMissing(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Missing > 0 })
}

// A Problem is everything that a Clusterer may depend on, apart from the model, the
// rows and the labels.
type Problem struct {
	N, P, K  int
	Columns  []Column // length P
	Groups   []Group  // in the order of their first columns, none empty; nil: each column is its own group
	Links    []Link   // of rows; algorithms whose description does not have Links ignore them
	Mass     float64  // sum of the row weights; N when rows have no weights
	Weighted bool     // rows have weights
	Sparse   bool     // blocks are sparse
	Params   Params   // resolved by Description.Resolve: every declared parameter that is not optional has a value
	Seed     uint64

	// Centers is the set to which the user restricts the centers, in the fitted
	// space; nil: none. It is only given to algorithms that describe Constraints.
	Centers Set

	// Labels is the set to which the user restricts the labels; nil: none. It is for the
	// driver: a Clusterer has no use for it.
	Labels LabelSet
}
