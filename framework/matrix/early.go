package matrix

import (
	"hash/crc32"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"
)

// A pass over all rows takes as long as memory takes to hand them over, which is longer than
// the sums take. So those that nothing has to be known for are made while the rows are read,
// piece by piece, as long as a piece is still in a cache.

// pieceRows are the rows of a piece. Blocks do not go beyond their piece.
const pieceRows = maxBlockRows

// mostEarly is how many bytes a piece may have to be in a cache.
const mostEarly = 2 << 20

// early are the sums of pieces that are known.
type early struct {
	pivot     atomic.Pointer[[]float64] // the first row, of which no cell is missing; nil: it is not there
	lacking   []atomic.Int32            // rows of each piece
	parts     [][]summary               // of blocks, with the pivot; nil: they are not wanted
	summed    []bool                    // by block
	checksums []uint32                  // by piece
	checked   []bool
}

// SumEarly says that the rows that the builder has now are about to be written, and that Filled
// will tell which are. Rows with weights are not summed up, only checked.
func (b *Builder) SumEarly(weighted bool) {
	if b.early = nil; b.rows == 0 || b.cols == 0 || b.sparse != nil || pieceRows*b.cols*8 > mostEarly {
		return
	}
	pieces := (b.rows + pieceRows - 1) / pieceRows
	e := &early{lacking: make([]atomic.Int32, pieces), checksums: make([]uint32, pieces), checked: make([]bool, pieces)}
	for i := range e.lacking {
		e.lacking[i].Store(int32(min(pieceRows, b.rows-i*pieceRows)))
	}
	if !weighted {
		e.parts = newParts(b)
		e.summed = make([]bool, len(e.parts))
	}
	b.early = e
}

// Filled says that rows from…to−1 are written, each row once, and will be read only, until
// another method is called that writes. Several goroutines may call it.
func (b *Builder) Filled(from, to int) {
	e := b.early
	if e == nil {
		return
	}
	if from == 0 {
		if first := slices.Clone(b.cells()[:b.cols]); !slices.ContainsFunc(first, math.IsNaN) {
			e.pivot.Store(&first)
		}
	}
	for from < to {
		piece := from / pieceRows
		end := min(to, (piece+1)*pieceRows)
		if e.lacking[piece].Add(int32(from-end)) == 0 {
			b.sumPiece(piece)
		}
		from = end
	}
}

// sumPiece makes the sums of a piece whose rows are all there.
func (b *Builder) sumPiece(piece int) {
	e := b.early
	e.checksums[piece], e.checked[piece] = checksum(b.piece(piece)), true
	pivot := e.pivot.Load()
	if e.parts == nil || pivot == nil {
		return
	}
	size := BlockRows(b.rows, b.cols)
	for at := piece * pieceRows; at < min(b.rows, (piece+1)*pieceRows); at += size {
		part := e.parts[at/size]
		for l := range part {
			part[l].pivot = (*pivot)[l]
		}
		firstPass(part, b.Cells().Slice(at, min(at+size, b.rows)), nil)
		e.summed[at/size] = true
	}
}

// summedEarly takes the first pass over a block from what is known of it, if that was about
// the same pivots. The parts of the total have nothing but those.
func (b *Builder) summedEarly(block int, part []summary) bool {
	e := b.early
	if e == nil || e.parts == nil || !e.summed[block] || b.weights != nil {
		return false
	}
	for l, c := range e.parts[block] {
		if c.pivot != part[l].pivot {
			return false
		}
	}
	copy(part, e.parts[block])
	return true
}

// Pieces returns how many checksums the cells have.
func (b *Builder) Pieces() int { return (b.rows + pieceRows - 1) / pieceRows }

// Checksum returns the CRC-32C (Castagnoli) of the cells of rows 4096·i to 4096·i + 4095, as
// they are in memory, and how many cells those are.
func (b *Builder) Checksum(i int) (sum uint32, cells int) {
	cellsOf := b.piece(i)
	if e := b.early; e != nil && e.checked[i] {
		return e.checksums[i], len(cellsOf)
	}
	return checksum(cellsOf), len(cellsOf)
}

func (b *Builder) piece(i int) []float64 {
	return b.Cells().Slice(i*pieceRows, min((i+1)*pieceRows, b.rows)).Data
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // in hardware on most machines

func checksum(cells []float64) uint32 {
	if len(cells) == 0 {
		return 0
	}
	return crc32.Checksum(unsafe.Slice((*byte)(unsafe.Pointer(&cells[0])), len(cells)*8), castagnoli)
}
