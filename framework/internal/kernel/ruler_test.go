package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// drawEntries draws a row of p columns: some entries, of them some 0 and some missing.
func drawEntries(r *rand.Rand, p int, cell func() float64) (columns []int32, offsets []float64) {
	for l := range p {
		if r.IntN(3) > 0 {
			continue
		}
		v := cell()
		switch r.IntN(10) {
		case 0:
			v = 0
		case 1:
			v = math.NaN()
		}
		columns, offsets = append(columns, int32(l)), append(offsets, v)
	}
	return columns, offsets
}

// entrySquare is the squared distance by its definition.
func entrySquare(p int, a []int32, x []float64, b []int32, y []float64, weights []float64) (d float64) {
	u, v := make([]float64, p), make([]float64, p)
	for e, l := range a {
		u[l] = x[e]
	}
	for e, l := range b {
		v[l] = y[e]
	}
	for l := range p {
		e, w := u[l]-v[l], 1.0
		if weights != nil {
			w = weights[l]
		}
		if e == e && w != 0 {
			d += w * e * e
		}
	}
	return d
}

func TestARulerMeasuresSquaredDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const p = 12
	var weights []float64
	ruler := kernel.NewRuler(p, nil)
	for i := range 2000 {
		if i == 1000 {
			for range p {
				weights = append(weights, float64(r.IntN(4)))
			}
			ruler = kernel.NewRuler(p, weights)
		}
		a, x := drawEntries(r, p, r.NormFloat64)
		b, y := drawEntries(r, p, r.NormFloat64)
		ruler.Set(a, x)
		got, want := ruler.Square(b, y), entrySquare(p, a, x, b, y, weights)
		if math.Abs(got-want) > 1e-14*want {
			t.Fatalf("the square is %v, not %v: %v %v from %v %v, weights %v", got, want, b, y, a, x, weights)
		}
		if d := ruler.Square(a, x); d != 0 {
			t.Fatalf("the point is %v from itself: %v %v", d, a, x)
		}
		// The other columns of a row change nothing of what is left of the point.
		all, cells := make([]int32, p), make([]float64, p)
		far := 0.0
		for l, e := 0, 0; l < p; l++ {
			all[l] = int32(l)
			if e < len(a) && int(a[e]) == l {
				cells[l] = x[e]
				e++
			} else if w := 3.0; weights == nil || weights[l] != 0 {
				if cells[l] = w; weights != nil {
					w *= weights[l]
				}
				far += 3 * w
			}
		}
		if d := ruler.Square(all, cells); d != far {
			t.Fatalf("a row with the entries of the point and others is %v from it, not %v", d, far)
		}
	}
}

func TestARulerLosesNothingBesideAMuchLargerEntry(t *testing.T) {
	// By hand: the rows differ by 1 in a column that one of them does not have.
	ruler := kernel.NewRuler(3, nil)
	ruler.Set([]int32{0, 2}, []float64{1e12, 1})
	if d := ruler.Square([]int32{0}, []float64{1e12}); d != 1 {
		t.Errorf("the square is %v, not 1", d)
	}
	ruler.Set([]int32{0}, []float64{1e12})
	if d := ruler.Square([]int32{0, 2}, []float64{1e12, 1}); d != 1 {
		t.Errorf("the other way round it is %v, not 1", d)
	}
}

func TestARulerSaysThatASquareOverflows(t *testing.T) {
	ruler := kernel.NewRuler(2, nil)
	ruler.Set([]int32{0}, []float64{1e200})
	for _, row := range [][]float64{{}, {1}, {-1e200}} {
		if d := ruler.Square([]int32{0}[:len(row)], row); !math.IsInf(d, 1) {
			t.Errorf("%v is %v from 1e200", row, d)
		}
	}
}
