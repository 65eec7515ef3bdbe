package judge

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Shown is a matrix that prints as a list of rows.
type Shown struct{ framework.Matrix }

func (m Shown) String() string { return RowsOf(m.Matrix) }

// RowsOf writes a matrix as a list of rows.
func RowsOf(x framework.Matrix) string {
	if x.Rows == 1 {
		return fmt.Sprint(x.Row(0))
	}
	rows := make([][]float64, x.Rows)
	for j := range rows {
		rows[j] = x.Row(j)
	}
	return fmt.Sprint(rows)
}

// Largest returns the largest absolute value, 0 if there is none.
func Largest(list []float64) (most float64) {
	for _, v := range list {
		most = math.Max(most, math.Abs(v))
	}
	return most
}

// NotFinite reports whether a number is NaN or infinite.
func NotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// SameBits reports whether two numbers are the same, bit for bit: 0 is not −0, and a NaN is itself.
func SameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Differ returns the first index at which the bits of two lists differ, or −1.
func Differ(a, b []float64) int {
	for i, v := range a {
		if !SameBits(v, b[i]) {
			return i
		}
	}
	return -1
}
