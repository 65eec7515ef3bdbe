package kernel

import "fmt"

// Totals are sums over the cells of each column of some rows, all of length p. High
// and Low together are the sum of x − Pivot in doubled precision, after Ogita, Rump
// and Oishi (2005), Accurate sum and dot product, algorithms 3.1 and 4.4. Missing
// counts the NaN cells, which are left out.
type Totals struct {
	Pivot, High, Low, Min, Max, Missing []float64
}

// NewTotals returns totals to which no row has been added.
func NewTotals(p int) Totals {
	room := make([]float64, 6*p)
	at := func(i int) []float64 { return room[i*p : (i+1)*p : (i+1)*p] }
	return Totals{at(0), at(1), at(2), at(3), at(4), at(5)}
}

// Add adds the rows of x (… × p).
func (t Totals) Add(x []float64) {
	if p := len(t.Pivot); p > 0 && len(x) > 0 {
		checkRows(len(x), p, t.High, t.Low, t.Min, t.Max, t.Missing)
		chosen().totals(t, x)
	}
}

// Squares are sums over the observed cells of each column, all of length p: of d, of
// d² and of x², where d = (x − Mean)·Inverse.
type Squares struct {
	Mean, Inverse, Off, Centred, Square []float64
}

// NewSquares returns sums to which no row has been added.
func NewSquares(p int) Squares {
	room := make([]float64, 5*p)
	at := func(i int) []float64 { return room[i*p : (i+1)*p : (i+1)*p] }
	return Squares{at(0), at(1), at(2), at(3), at(4)}
}

// Add adds the rows of x (… × p).
func (s Squares) Add(x []float64) {
	if p := len(s.Mean); p > 0 && len(x) > 0 {
		checkRows(len(x), p, s.Inverse, s.Off, s.Centred, s.Square)
		chosen().squares(s, x)
	}
}

// checkRows panics if C would read outside the slices.
func checkRows(cells, p int, columns ...[]float64) {
	for _, c := range columns {
		if cells%p != 0 || len(c) != p {
			panic(fmt.Sprintf("kernel: %d cells and room for %d columns of %d", cells, len(c), p))
		}
	}
}
