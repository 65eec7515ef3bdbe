package kernel

import "fmt"

// Pick writes some columns, which ascend, of rows of p cells to dst (rows × len(columns)), of as many rows as x has.
func Pick(dst, x []float64, p int, columns []int) {
	s := len(columns)
	if s == 0 || len(x) == 0 {
		return
	}
	if last := columns[s-1]; columns[0] < 0 || last >= p || len(x)%p != 0 || len(dst) != len(x)/p*s {
		panic(fmt.Sprintf("kernel: %d cells for columns %d to %d of %d, %d of them, of %d cells", len(dst), columns[0], last, p, s, len(x)))
	}
	chosen().pick(dst, x, p, columns)
}

func pick(dst, x []float64, p int, columns []int) {
	for ; len(x) > 0; x = x[p:] {
		for t, l := range columns {
			dst[t] = x[l]
		}
		dst = dst[len(columns):]
	}
}
