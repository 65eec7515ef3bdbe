package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// oneChain is the definition: the features of one row and one center in order.
func oneChain(m kernel.Measure, x, c []float64) float64 {
	var d float64
	for l, v := range x {
		if m.Observed && math.IsNaN(v) {
			continue
		}
		t, w := v-c[l], 1.0
		if m.Weights != nil {
			w = m.Weights[l]
		}
		if m.Loss == kernel.Squared {
			d = math.FMA(w*t, t, d)
		} else {
			d = math.FMA(w, math.Abs(t), d)
		}
	}
	return d
}

// cells are the numbers to draw from: ties, denormals, and numbers whose squares
// nearly overflow or underflow.
var cells = []float64{0, 1, -1, 2, 0.1, -3, 1e-310, -5e-324, 1e150, 1e-160, math.Copysign(0, -1)}

func drawn(r *rand.Rand, n int, grid bool, missing bool) []float64 {
	v := make([]float64, n)
	for i := range v {
		switch {
		case missing && r.IntN(5) == 0:
			v[i] = math.NaN()
		case grid:
			v[i] = cells[r.IntN(len(cells))]
		default:
			v[i] = r.NormFloat64()
		}
	}
	return v
}

// problem is a random problem of a given size.
type problem struct {
	m       kernel.Measure
	x       []float64
	n       int
	centers kernel.Centers

	filtered bool
}

func newProblem(seed uint64, n, s, k int, loss kernel.Loss, observed, weighted, grid bool) problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := problem{m: kernel.Measure{Loss: loss, Observed: observed}, n: n, x: drawn(r, n*s, grid, observed)}
	p.centers = kernel.Centers{K: k, S: s, Rows: drawn(r, k*s, grid, false)}
	if weighted {
		p.m.Weights = make([]float64, s)
		for l := range p.m.Weights {
			p.m.Weights[l] = float64(r.IntN(3)) * 0.3
		}
	}
	return p
}

// find runs the implementation in use.
func (p problem) find() (kernel.Nearest, []float64) {
	c := p.centers
	c.Pack()
	f := kernel.Nearest{Label: make([]int32, p.n), Best: make([]float64, p.n), Second: make([]float64, p.n)}
	f.Find(p.m, p.x, &c)
	d := make([]float64, p.n*c.K)
	kernel.Distances(d, p.m, p.x, &c)
	return f, d
}

// check compares the implementation in use with the definition.
func (p problem) check(t *testing.T) {
	t.Helper()
	f, d := p.find()
	c := p.centers
	for i := range p.n {
		best, second, label := math.Inf(1), math.Inf(1), 0
		for j := range c.K {
			want := oneChain(p.m, p.x[i*c.S:][:c.S], c.Rows[j*c.S:][:c.S])
			if got := d[i*c.K+j]; math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s: row %d, center %d: %v, want %v", kernel.Name(), i, j, got, want)
			}
			switch {
			case want < best:
				best, second, label = want, best, j
			case want < second:
				second = want
			}
		}
		if int(f.Label[i]) != label || f.Best[i] != best || f.Second[i] != second {
			t.Fatalf("%s: row %d: center %d at %v and %v, want %d at %v and %v",
				kernel.Name(), i, f.Label[i], f.Best[i], f.Second[i], label, best, second)
		}
	}
}

// ‖x − c‖² = ‖x‖² − 2⟨x, c⟩ + ‖c‖², by products of matrices. The cells are about
// 1, and none of their 60 products is wrong by more than 2⁻⁵² of itself.
func TestDistancesAreThoseOfMatrixProducts(t *testing.T) {
	const n, s, k = 33, 20, 7
	p := newProblem(5, n, s, k, kernel.Squared, false, false, false)
	x, c := mat.NewDense(n, s, p.x), mat.NewDense(k, s, p.centers.Rows)
	var products, rows, centers mat.Dense
	products.Mul(x, c.T())
	rows.Mul(x, x.T())
	centers.Mul(c, c.T())
	eachImplementation(t, func(t *testing.T) {
		_, d := p.find()
		for at, got := range d {
			i, j := at/k, at%k
			if want := rows.At(i, i) - 2*products.At(i, j) + centers.At(j, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("row %d, center %d: %v, want %v", i, j, got, want)
			}
		}
	})
}

// eachImplementation runs the test with every implementation that the processor has.
func eachImplementation(t *testing.T, test func(t *testing.T)) {
	for _, name := range kernel.Names() {
		t.Run(name, func(t *testing.T) {
			defer kernel.Use(name)()
			test(t)
		})
	}
}

func TestEveryImplementationEqualsOneChainPerRowAndCenter(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		// Around the widths of vectors (2, 4, 8), rows (8, 16), tiles (5, 10),
		// panels (64) and groups of tiles (160).
		sizes := []struct{ n, s, k int }{
			{1, 1, 1}, {3, 2, 2}, {15, 3, 4}, {16, 4, 5}, {17, 7, 6}, {33, 8, 10}, {9, 9, 11}, {20, 63, 3}, {18, 64, 20},
			{31, 65, 21}, {5, 130, 9}, {2, 70, 161}, {3, 5, 333}, {40, 16, 1}, {8, 129, 170},
		}
		seed := uint64(0)
		for _, size := range sizes {
			for kind := range 16 {
				seed++
				newProblem(seed, size.n, size.s, size.k, kernel.Loss(kind)%kernel.Losses, kind&2 != 0, kind&4 != 0, kind&8 != 0).check(t)
			}
		}
	})
}

func FuzzEveryImplementationEqualsOneChainPerRowAndCenter(f *testing.F) {
	f.Add(uint64(1), uint8(17), uint8(65), uint8(11), uint8(31))
	f.Fuzz(func(t *testing.T, seed uint64, n, s, k, kind uint8) {
		p := newProblem(seed, int(n), 1+int(s), 1+int(k), kernel.Loss(kind)%kernel.Losses, kind&2 != 0, kind&4 != 0, kind&8 != 0)
		for _, name := range kernel.Names() {
			undo := kernel.Use(name)
			p.check(t)
			undo()
		}
	})
}

func TestSlicesThatAreTooShortPanicInGo(t *testing.T) {
	c := kernel.Centers{K: 1, S: 2, Rows: []float64{0, 0}}
	c.Pack()
	for name, call := range map[string]func(){
		"rows":      func() { kernel.Nearest{Label: make([]int32, 4)}.Find(kernel.Measure{}, make([]float64, 6), &c) },
		"distances": func() { kernel.Distances(make([]float64, 4), kernel.Measure{}, make([]float64, 6), &c) },
		"weights": func() {
			kernel.Nearest{Label: make([]int32, 1)}.Find(kernel.Measure{Weights: []float64{1}}, make([]float64, 6), &c)
		},
		"labels": func() {
			kernel.Sums{Sum: make([]float64, 2), Mass: make([]float64, 1)}.Move(make([]float64, 2), nil, []int32{1}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("memory past the end was used")
				}
			}()
			call()
		})
	}
}

func TestChangedNamesTheRowsWhoseLabelsDiffer(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for n := range 70 {
			r := rand.New(rand.NewPCG(uint64(n), 9))
			from, to, rows := make([]int32, n), make([]int32, n), make([]int32, n+kernel.ChangedRoom)
			var want []int32
			least := int32(0)
			for i := range to {
				from[i], to[i] = int32(r.IntN(4)-1), int32(r.IntN(4))
				if r.IntN(max(1, n)) == 0 {
					to[i] = -1
				}
				if least = min(least, to[i]); from[i] != to[i] {
					want = append(want, int32(i))
				}
			}
			got, negative := kernel.Changed(rows, from, to)
			if !slices.Equal(rows[:got], want) || negative != (least < 0) {
				t.Fatalf("%s, %d rows: %v and %v, want %v and %v", kernel.Name(), n, rows[:got], negative, want, least < 0)
			}
		}
	})
}
