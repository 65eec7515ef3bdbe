package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestMovedSumsHaveTheSameBitsInEveryImplementation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for kind := range 64 {
		missing, weighted, fromNone, about, inParts := kind&1 != 0, kind&2 != 0, kind&4 != 0, kind&8 != 0, kind&16 != 0
		n, p, k := 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(6)
		x := drawn(r, n*p, false, missing)
		labels := func() []int32 {
			l := make([]int32, n)
			for i := range l {
				l[i] = int32(r.IntN(k+1)) - 1
			}
			return l
		}
		from, to := labels(), labels()
		if fromNone {
			from = nil
		}
		var weight []float64
		if weighted {
			weight = drawn(r, n, false, false)
			weight[r.IntN(n)] = 0
		}
		var origin []float64
		if about {
			origin = drawn(r, p, false, false)
		}
		var want kernel.Sums
		for _, name := range slices.Backward(kernel.Names()) { // the portable one first
			undo := kernel.Use(name)
			got := kernel.Sums{Sum: make([]float64, k*p), Mass: make([]float64, k), Origin: origin}
			if missing {
				got.Count = make([]float64, k*p)
			}
			if inParts {
				got.Low = make([]float64, k*p)
			}
			got.Move(x, from, to, weight)
			undo()
			if want.Sum == nil {
				want = got
			}
			for i, pair := range [][2][]float64{{got.Sum, want.Sum}, {got.Mass, want.Mass}, {got.Count, want.Count}, {got.Low, want.Low}} {
				for at := range pair[1] {
					if math.Float64bits(pair[0][at]) != math.Float64bits(pair[1][at]) {
						t.Fatalf("%s, kind %d: part %d, entry %d is %v, want %v", name, kind, i, at, pair[0][at], pair[1][at])
					}
				}
			}
		}
	}
}

// sumsAreAlike collects n rows, and moves one in so many, in every implementation.
func sumsAreAlike(t *testing.T, r *rand.Rand, n, p, k, moved int) {
	t.Helper()
	x, from, to := drawn(r, n*p, false, false), make([]int32, n), make([]int32, n)
	for i := range to {
		from[i] = int32(r.IntN(k+1)) - 1
		if to[i] = from[i]; r.IntN(moved) == 0 {
			to[i] = int32(r.IntN(k+1)) - 1
		}
	}
	var want kernel.Sums
	for _, name := range slices.Backward(kernel.Names()) { // the portable one first
		undo := kernel.Use(name)
		got := kernel.Sums{Sum: make([]float64, k*p), Low: make([]float64, k*p), Mass: make([]float64, k)}
		got.Move(x, nil, from, nil)
		got.Move(x, from, to, nil)
		undo()
		if want.Sum == nil {
			want = got
		}
		must.Equal(t, want, got)
	}
}

// Rows of a small table are moved cluster by cluster in C, those of a large one one by one, as many at a time as fit into
// a list: all of some chunks, or the few that move of more.
func TestSumsOfShortRowsHaveTheSameBitsInEveryImplementation(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for p := 1; p <= 40; p++ { // from no whole vector to more than are summed at once
		for _, n := range []int{1 + r.IntN(1000), 1024 + r.IntN(4000)} { // those of a chunk are 1024
			k, moved := 1+r.IntN(30), 1+r.IntN(30) // one row in so many
			if p < 4 {
				k = 55 + r.IntN(20) // fewer than a vector has are padded up to 64 clusters
			}
			sumsAreAlike(t, r, n, p, k, moved)
		}
	}
}

func TestALabelThatIsNoClusterIsNamedWithTheFirstRowThatHasIt(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const k = 7
		for _, p := range []int{1, 4, 17, 20, 21, 60, 300} { // one for each way of moving rows
			for _, n := range []int{90, 1024, 2900} {
				x, from, to := make([]float64, n*p), make([]int32, n), make([]int32, n)
				to[n/2], from[n-3] = k, k
				s := kernel.Sums{Sum: make([]float64, k*p), Low: make([]float64, k*p), Mass: make([]float64, k)}
				func() {
					defer func() { must.Equal(t, any(fmt.Sprintf("kernel: label of row %d is not below %d", n/2, k)), recover()) }()
					s.Move(x, from, to, nil)
				}()
			}
		}
	})
}

// Rows of many features are moved panel by panel in C.
func TestSumsOfLongRowsHaveTheSameBitsInEveryImplementation(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for p := 250; p <= 330; p++ { // from before the first that are, with every rest of a panel
		n, k := 1+r.IntN(140), 1+r.IntN(30)
		if p%8 == 0 {
			k = 250 + r.IntN(10) // up to more than are sorted
		}
		moved := 1 + r.IntN(20) // one row in so many
		sumsAreAlike(t, r, n, p, k, moved)
	}
}

func TestMeansHaveTheSameBitsInEveryImplementation(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for kind := range 32 {
		missing, about, inParts := kind&1 != 0, kind&2 != 0, kind&4 != 0
		p, k := 1+r.IntN(150), 1+r.IntN(6)
		s := kernel.Sums{Sum: drawn(r, k*p, false, false), Mass: make([]float64, k)}
		for j := range s.Mass {
			s.Mass[j] = float64(r.IntN(4)) // 0: no rows
		}
		if missing {
			s.Count = make([]float64, k*p)
			for i := range s.Count {
				s.Count[i] = float64(r.IntN(4))
			}
		}
		if about {
			s.Origin = drawn(r, p, false, false)
		}
		if inParts {
			s.Low = drawn(r, k*p, false, false)
			for i := range s.Low {
				s.Low[i] *= 0x1p-26
			}
		}
		theta, square := drawn(r, k*p, false, false), drawn(r, p, false, false)
		var want []float64
		for _, name := range slices.Backward(kernel.Names()) {
			undo := kernel.Use(name)
			got := make([]float64, k*p+p)
			s.Means(got[:k*p], theta, square, got[k*p:], nil)
			kernel.Add(got, s.Sum)
			kernel.AddSquares(got[k*p:], theta, s.Mass)
			undo()
			if want == nil {
				want = got
			}
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s, kind %d: entry %d of %d×%d is %v, want %v", name, kind, i, k, p, got[i], want[i])
				}
			}
		}
	}
}

func TestRootsAreThoseOfGoAndAddedInTheOrderOfTheRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	const k = 3
	for n := range 40 {
		const rows = 11
		x, weights, labels := make([]float64, rows*n), make([]float64, rows), make([]int32, rows)
		for i := range x {
			x[i] = []float64{0, 5e-324, 1e-300, 2, math.Inf(1), math.NaN(), r.Float64(), 1e300 * r.Float64()}[r.IntN(8)]
		}
		want := make([]float64, k*n)
		for i := range labels {
			labels[i], weights[i] = int32(r.IntN(k)), []float64{1, 3, r.Float64()}[r.IntN(3)]
			for l, v := range x[i*n : (i+1)*n] {
				want[int(labels[i])*n+l] += float64(weights[i] * math.Sqrt(v))
			}
		}
		for _, name := range kernel.Names() {
			got := make([]float64, k*n)
			undo := kernel.Use(name)
			kernel.AddRoots(got, x, labels, weights, n)
			undo()
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%s: sum %d of %d is %v, want %v", name, i, n, got[i], want[i])
				}
			}
		}
	}
}

func TestDrainAddsAndLeavesZeros(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 70 {
		start, x := make([]float64, n), make([]float64, n)
		for i := range n {
			start[i] = r.NormFloat64()
			if r.IntN(4) == 0 {
				x[i] = []float64{r.NormFloat64(), math.NaN(), math.Inf(1), math.Copysign(0, -1), 0x1p-1074}[r.IntN(5)]
			}
		}
		for _, name := range kernel.Names() {
			undo := kernel.Use(name)
			got, rest := slices.Clone(start), slices.Clone(x)
			kernel.Drain(got, rest)
			undo()
			for i := range n {
				want := start[i] + x[i]
				same := math.Float64bits(got[i]) == math.Float64bits(want) || want != want && got[i] != got[i]
				if !same || rest[i] != 0 {
					t.Fatalf("%s: entry %d of %d: %v + %v is %v, and %v is left", name, i, n, start[i], x[i], got[i], rest[i])
				}
			}
		}
	}
}
