package source

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTranspose(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows, width, before, after := rapid.IntRange(1, 600).Draw(rt, "rows"), rapid.IntRange(1, 20).Draw(rt, "columns"),
			rapid.IntRange(0, 3).Draw(rt, "before"), rapid.IntRange(0, 3).Draw(rt, "after")
		columns := make([][]float64, width)
		for j := range columns {
			columns[j] = make([]float64, rows)
			for i := range columns[j] {
				columns[j][i] = float64(i*width + j + 1)
			}
		}
		odd := rapid.Bool().Draw(rt, "odd")
		if odd {
			columns[rapid.IntRange(0, width-1).Draw(rt, "column")][rapid.IntRange(0, rows-1).Draw(rt, "row")] = math.Inf(-1)
		}
		stride := before + width + after
		dst := make([]float64, rows*stride)
		if transpose(dst, stride, before, columns) == odd {
			rt.Fatalf("finite is %v", odd)
		}
		for i := range rows {
			for j := range stride {
				want := 0.0
				if j >= before && j < before+width {
					want = columns[j-before][i]
				}
				if dst[i*stride+j] != want {
					rt.Fatalf("cell (%d, %d) is %v, want %v", i, j, dst[i*stride+j], want)
				}
			}
		}
	})
}
