package seeding

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// DistinctRows counts the distinct rows of positive weight, and stops when
// there are atLeast. Rows are equal when all their cells are: 0 equals −0, and
// a missing cell equals a missing cell. The memory is of order atLeast.
func DistinctRows(rows framework.Rows, atLeast int) int {
	if isSparse(rows) {
		return distinct(rows, atLeast, func(b framework.Block, i int) sparseRow { return sparseRow{b.Sparse, i} }, hashEntries, sparseRow.equal)
	}
	return distinct(rows, atLeast, denseRow, hashRow, equal)
}

func denseRow(b framework.Block, i int) []float64 { return b.X.Row(i) }

func distinct[R any](
	rows framework.Rows, atLeast int, of func(b framework.Block, i int) R, hash func(R) uint64, equal func(a, b R) bool,
) int {
	found := make(map[uint64][]R) // by hash, different rows
	count := 0
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if count >= atLeast {
				return count
			}
			if !(b.Weight(r) > 0) {
				continue
			}
			row := of(b, r)
			h := hash(row)
			if !slices.ContainsFunc(found[h], func(other R) bool { return equal(other, row) }) {
				found[h] = append(found[h], row)
				count++
			}
		}
	}
	return count
}

func equal(a, b []float64) bool {
	for l, v := range a {
		if w := b[l]; v != w && (v == v || w == w) {
			return false
		}
	}
	return true
}

// hashRow is the same for equal rows. Each step is the multiplication and shift
// of a splitmix64 round.
func hashRow(row []float64) uint64 {
	h := uint64(len(row))
	for _, v := range row {
		h = hashed(h, canonicalBits(v))
	}
	return h
}

func hashed(h, bits uint64) uint64 {
	h = (h ^ bits) * 0xbf58476d1ce4e5b9
	return h ^ h>>29
}

// A sparseRow is a row of a block.
type sparseRow struct {
	rows *framework.Sparse
	i    int
}

func (r sparseRow) equal(other sparseRow) bool { return r.rows.Same(r.i, other.rows, other.i) }

// hashEntries is hashRow of a sparse row.
func hashEntries(r sparseRow) (h uint64) {
	columns, offsets := r.rows.Row(r.i)
	for e, v := range offsets {
		if v != 0 {
			h = hashed(hashed(h, uint64(columns[e])), canonicalBits(v))
		}
	}
	return h
}

// canonicalBits are the same for all NaNs, and for both zeros.
func canonicalBits(v float64) uint64 {
	switch {
	case v != v:
		return math.Float64bits(math.NaN())
	case v == 0:
		return 0
	}
	return math.Float64bits(v)
}
