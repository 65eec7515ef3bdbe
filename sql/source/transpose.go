package source

// The transposition goes by blocks of rows, so that the rows being written
// stay in the second-level cache while the columns pass, and by tiles of eight
// columns, which fill one cache line of a row.
const (
	tileRows    = 256
	tileColumns = 8
)

// transpose writes columns of equal length into a row-major matrix of stride
// columns: entry i of column j goes to dst[i*stride+at+j]. It reports whether
// all numbers are finite.
func transpose(dst []float64, stride, at int, columns [][]float64) bool {
	if len(columns) == 0 {
		return true
	}
	rows := len(columns[0])
	odd := 0.0
	for from := 0; from < rows; from += tileRows {
		to := min(from+tileRows, rows)
		block := dst[from*stride : to*stride]
		j := 0
		for ; j+tileColumns <= len(columns); j += tileColumns {
			odd += eight(block[at+j:], stride, columns[j:j+tileColumns], from, to)
		}
		for ; j < len(columns); j++ {
			place := at + j
			for _, x := range columns[j][from:to] {
				block[place] = x
				odd += x - x
				place += stride
			}
		}
	}
	return odd == 0
}

// eight writes rows from..to of eight columns. It returns 0 if all numbers are
// finite, and NaN if not: x − x is 0 for finite numbers only.
func eight(dst []float64, stride int, columns [][]float64, from, to int) float64 {
	c0 := columns[0][from:to]
	c1 := columns[1][from:to][:len(c0)]
	c2 := columns[2][from:to][:len(c0)]
	c3 := columns[3][from:to][:len(c0)]
	c4 := columns[4][from:to][:len(c0)]
	c5 := columns[5][from:to][:len(c0)]
	c6 := columns[6][from:to][:len(c0)]
	c7 := columns[7][from:to][:len(c0)]
	odd := 0.0
	place := 0
	for i, x0 := range c0 {
		d := (*[tileColumns]float64)(dst[place:])
		x1, x2, x3, x4, x5, x6, x7 := c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i]
		d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = x0, x1, x2, x3, x4, x5, x6, x7
		odd += ((x0 - x0) + (x1 - x1)) + ((x2 - x2) + (x3 - x3)) + ((x4 - x4) + (x5 - x5)) + ((x6 - x6) + (x7 - x7))
		place += stride
	}
	return odd
}
