package seeding

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// DistinctRows counts the distinct rows of positive weight, and stops when
// there are atLeast. Rows are equal when all their cells are: 0 equals −0, and
// a missing cell equals a missing cell. The memory is of order atLeast.
func DistinctRows(rows framework.Rows, atLeast int) int { return distinct(rows, atLeast, hashRow) }

func distinct(rows framework.Rows, atLeast int, hash func([]float64) uint64) int {
	found := make(map[uint64][][]float64) // by hash, different rows
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
			row := b.Cells(r, nil) // which is kept
			h := hash(row)
			if !slices.ContainsFunc(found[h], func(other []float64) bool { return equal(other, row) }) {
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
		h = (h ^ canonicalBits(v)) * 0xbf58476d1ce4e5b9
		h ^= h >> 29
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
