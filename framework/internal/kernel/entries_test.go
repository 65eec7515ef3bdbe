package kernel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// someEntries draws n sparse rows of s columns, and their cells.
func someEntries(r *rand.Rand, n, s int, missing bool) (kernel.Entries, []float64) {
	x := kernel.Entries{Start: []int64{0}}
	cells := make([]float64, n*s)
	share := r.Float64()
	for i := range n {
		for l := range s {
			if r.Float64() >= share {
				continue
			}
			v := r.NormFloat64()
			if missing && r.IntN(8) == 0 {
				v = math.NaN()
			}
			x.Column, x.Offset = append(x.Column, int32(l)), append(x.Offset, v)
			cells[i*s+l] = v
		}
		x.Start = append(x.Start, int64(len(x.Column)))
	}
	return x, cells
}

func TestProductsOfEntriesHaveTheSameBitsEverywhereAndGiveDistances(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		n, s, k := 1+r.IntN(20), 1+r.IntN(40), 1+r.IntN(70)
		missing := seed&1 != 0
		x, cells := someEntries(r, n, s, missing)
		centers := make([]float64, k*s)
		for i := range centers {
			centers[i] = r.NormFloat64()
		}
		var weights []float64
		if seed&2 != 0 {
			for range s {
				weights = append(weights, max(0, r.NormFloat64()))
			}
		}
		var rows []int32
		for i := range n {
			if r.IntN(4) > 0 {
				rows = append(rows, int32(i))
			}
		}
		var first []float64
		for at, name := range kernel.Names() {
			restore := kernel.Use(name)
			var table kernel.Table
			table.Make(centers, k, s, weights, missing)
			q, norm := make([]float64, len(rows)*table.Wide()), make([]float64, len(rows))
			table.Products(q, norm, x, rows)
			restore()
			for a, i := range rows {
				checkNorm(t, norm[a], cells[int(i)*s:][:s], weights)
			}
			q = append(q, norm...)
			if at == 0 {
				first = q
			} else if !slices.Equal(first, q) {
				t.Fatalf("seed %d: %s differs from %s", seed, name, kernel.Names()[0])
			}
			for a, i := range rows {
				for j := range k {
					want, size := distance(cells[int(i)*s:][:s], centers[j*s:][:s], weights)
					if got := q[a*table.Wide()+j]; math.Abs(got-want) > 1e-13*(1+size) {
						t.Fatalf("seed %d, %s: row %d and center %d: %v, want %v", seed, name, i, j, got, want)
					}
				}
				if rest := q[a*table.Wide()+k : (a+1)*table.Wide()]; slices.ContainsFunc(rest, func(v float64) bool { return !math.IsInf(v, 1) }) {
					t.Fatalf("seed %d, %s: behind the last center: %v", seed, name, rest)
				}
			}
		}
	}
}

// checkNorm checks Σ w x² of observed cells.
func checkNorm(t *testing.T, got float64, x, w []float64) {
	t.Helper()
	want := 0.0
	for l, v := range x {
		switch {
		case v != v:
		case w == nil:
			want += v * v
		default:
			want += w[l] * v * v
		}
	}
	if math.Abs(got-want) > 1e-13*(1+want) {
		t.Fatalf("norm %v, want %v", got, want)
	}
}

// distance returns Σ w (x−c)² − Σ w x² over observed cells, and the size of its terms.
func distance(x, c, w []float64) (d, size float64) {
	for l, v := range x {
		one := 1.0
		if w != nil {
			one = w[l]
		}
		if v == v {
			d += one * (c[l]*c[l] - 2*v*c[l])
			size += one * (c[l]*c[l] + 2*math.Abs(v*c[l]))
		} else {
			size += 2 * one * c[l] * c[l]
		}
	}
	return d, size
}

func TestMovedEntriesAreTheSumsOfTheirCells(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		n, s, k := 1+r.IntN(30), 1+r.IntN(20), 1+r.IntN(5)
		x, cells := someEntries(r, n, s, true)
		to, weight := make([]int32, n), make([]float64, n)
		for i := range to {
			to[i], weight[i] = int32(r.IntN(k+1)-1), float64(r.IntN(3)) // whole numbers: their products with 26 bits are exact
		}
		sums := func(low bool) kernel.Sums {
			v := kernel.Sums{Mass: make([]float64, k), Sum: make([]float64, k*s), Count: make([]float64, k*s)}
			if low {
				v.Low = make([]float64, k*s)
			}
			return v
		}
		for _, low := range []bool{true, false} {
			got, want := sums(low), sums(low)
			got.MoveEntries(x, nil, to, weight)
			want.Move(cells, nil, to, weight)
			for i := range want.Sum {
				if math.Abs(got.Sum[i]-want.Sum[i]) > 1e-13 || low && math.Abs(got.Low[i]-want.Low[i]) > 0 {
					t.Fatalf("seed %d: sum %d is %v, want %v", seed, i, got.Sum[i], want.Sum[i])
				}
				if got.Mass[i/s]-got.Count[i] != want.Count[i] {
					t.Fatalf("seed %d: %v of %v are missing, but %v are observed", seed, got.Count[i], got.Mass[i/s], want.Count[i])
				}
			}
			got.MoveEntries(x, to, slices.Repeat([]int32{-1}, n), weight)
			if low && slices.ContainsFunc(slices.Concat(got.Sum, got.Low, got.Mass, got.Count), func(v float64) bool { return v != 0 }) {
				t.Fatalf("seed %d: something is left of rows that were taken away", seed)
			}
		}
	}
}

// BenchmarkEntries is 20 000 rows of 10 000 columns, of 50 entries each, and 20 centers: the
// products of all, and the sums of all, in ns a row.
func BenchmarkEntries(b *testing.B) {
	const n, s, k = 20_000, 10_000, 20
	r := rand.New(rand.NewPCG(1, 1))
	x := kernel.Entries{Start: []int64{0}}
	rows, labels := make([]int32, n), make([]int32, n)
	for i := range n {
		var columns []int32
		for range 50 {
			columns = append(columns, int32(s*r.Float64()*r.Float64()))
		}
		slices.Sort(columns)
		for _, l := range slices.Compact(columns) {
			x.Column, x.Offset = append(x.Column, l), append(x.Offset, r.NormFloat64())
		}
		x.Start = append(x.Start, int64(len(x.Column)))
		rows[i], labels[i] = int32(i), int32(r.IntN(k))
	}
	centers := make([]float64, k*s)
	for i := range centers {
		centers[i] = r.NormFloat64()
	}
	var table kernel.Table
	table.Make(centers, k, s, nil, false)
	q, norm := make([]float64, 64*table.Wide()), make([]float64, 64)
	b.Run("products", func(b *testing.B) {
		for b.Loop() {
			for first := 0; first < n; first += 64 {
				table.Products(q, norm, x, rows[first:min(first+64, n)])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	sums := kernel.Sums{Mass: make([]float64, k), Sum: make([]float64, k*s), Low: make([]float64, k*s)}
	b.Run("sums", func(b *testing.B) {
		for b.Loop() {
			sums.MoveEntries(x, nil, labels, nil)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			table.Make(centers, k, s, nil, false)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
}
