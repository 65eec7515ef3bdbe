package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawnRows are rows as dense and as sparse data, of which column 0 is full.
type drawnRows struct {
	dense, sparse     *matrix.Data
	ofDense, ofSparse framework.Problem
	base, weights     []float64
}

func drawRows(seed uint64, n, p int, weighted bool) drawnRows {
	r := rand.New(rand.NewPCG(seed, 11))
	d := drawnRows{base: make([]float64, p)}
	x := clustertest.DrawSparse(r, n, p, 0.15, true)
	for l := 1; l < p; l++ {
		d.base[l] = float64(l % 3)
	}
	for i := range n {
		for l := range p {
			switch v := &x.Row(i)[l]; {
			case l == 0:
				*v = float64(1 + r.IntN(9))
			case r.IntN(60) == 0:
				*v = math.NaN()
			default:
				*v += d.base[l]
			}
		}
		if weighted {
			d.weights = append(d.weights, float64(r.IntN(4)))
		}
	}
	of := clustertest.Rows{X: x, Weights: d.weights, Size: n}
	d.dense, d.sparse = matrix.FromMatrix(x, d.weights, 0), matrix.FromSparse(of.Sparse(d.base).Block(0).Sparse, d.weights, 0)
	d.ofDense, d.ofSparse = of.Problem(3), of.Sparse(d.base).Problem(3)
	return d
}

// columnOf returns the sorted entries of a column.
func columnOf(s *framework.Sparse, l int32) (offsets []float64) {
	for i := range s.Rows() {
		columns, cells := s.Row(i)
		if at, ok := slices.BinarySearch(columns, l); ok {
			offsets = append(offsets, cells[at])
		}
	}
	slices.Sort(offsets)
	return offsets
}

func one(t *testing.T, rows *matrix.Data, p framework.Problem, of Draw) dataset {
	t.Helper()
	d := must.Get(newDrawer(rows, p, []Draw{of}))(t)
	return d.draw(of, new([]float64))
}

func TestAPermutationOfSparseRowsKeepsTheEntriesOfEachColumn(t *testing.T) {
	for seed := range uint64(20) {
		d := drawRows(seed, 60, 12, false)
		before := d.sparse.Sparse()
		drawn := one(t, d.sparse, d.ofSparse, Draw{Kind: Permuted, Number: int(seed)})
		after := drawn.rows.Sparse()
		moved := false
		for i := range after.Rows() {
			columns, _ := after.Row(i)
			if !slices.IsSorted(columns) || len(slices.Compact(slices.Clone(columns))) != len(columns) {
				t.Fatalf("case %d: row %d has entries in columns %v", seed, i, columns)
			}
			moved = moved || !after.Same(i, before, i)
		}
		for l := range int32(12) {
			if want, got := columnOf(before, l), columnOf(after, l); !cmp.Equal(want, got, cmp.Comparer(same)) {
				t.Errorf("case %d: column %d has %v, not %v", seed, l, got, want)
			}
		}
		if !moved {
			t.Errorf("case %d: no row has changed", seed)
		}
		again := one(t, d.sparse, d.ofSparse, Draw{Kind: Permuted, Number: int(seed)})
		must.Equal(t, after.Column, again.rows.Sparse().Column)
	}
}

func same(a, b float64) bool { return a == b || a != a && b != b }

func TestFeaturesOfAGroupOfSparseRowsArePermutedTogether(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		d := drawRows(1, 80, 6, weighted)
		for l, g := range []int{0, 1, 2, 1, 3, 1} {
			d.ofSparse.Columns[l].Group = g
		}
		after := one(t, d.sparse, d.ofSparse, Draw{Kind: Permuted}).rows.Sparse()
		of := func(s *framework.Sparse, i int) (cells [3]float64) {
			for at, l := range []int32{1, 3, 5} {
				if cells[at] = s.At(i, l); cells[at] != cells[at] {
					cells[at] = -1 // a missing cell equals another
				}
			}
			return cells
		}
		before, now := map[[3]float64]int{}, map[[3]float64]int{}
		for i := range after.Rows() {
			before[of(d.sparse.Sparse(), i)]++
			now[of(after, i)]++
		}
		for row, count := range now {
			if before[row] == 0 || !weighted && before[row] != count {
				t.Errorf("%d rows have the cells %v, %d had them", count, row, before[row])
			}
		}
	}
}

func TestEveryPlaceOfAPermutedEntryIsAsLikely(t *testing.T) {
	const n, draws = 10, 5000
	x := framework.NewMatrix(n, 1)
	x.Data[3], x.Data[7] = 1, 2
	of := clustertest.Rows{X: x, Size: n}.Sparse(nil)
	d := must.Get(newDrawer(matrix.FromSparse(of.Block(0).Sparse, nil, 0), of.Problem(2), nil))(t)
	var count [n]float64
	for b := range draws {
		s := d.draw(Draw{Permuted, b}, nil).rows.Sparse()
		for i := range n {
			if s.At(i, 0) == 2 {
				count[i]++
			}
		}
	}
	for i, c := range count { // 4 standard deviations of a binomial number
		if p := 1. / n; math.Abs(c-draws*p) > 4*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("row %d got the entry %v times of %d", i, c, draws)
		}
	}
}

func TestAPermutationOfWeightedSparseRowsKeepsMass(t *testing.T) {
	const draws = 3000
	d := drawRows(5, 40, 5, true)
	of := must.Get(newDrawer(d.sparse, d.ofSparse, nil))(t)
	var sum, squares [5]float64
	for b := range draws {
		drawn := of.draw(Draw{Permuted, b}, nil)
		for l, c := range drawn.problem.Columns {
			sum[l], squares[l] = sum[l]+c.Mean, squares[l]+c.Mean*c.Mean
		}
		if c := drawn.problem.Columns[0]; c.Min < 1 {
			t.Fatalf("draw %d: a row has lost its cell of a full column", b)
		}
	}
	for l, c := range d.ofSparse.Columns {
		mean := sum[l] / draws
		e := math.Sqrt((squares[l]/draws - mean*mean) / draws)
		if math.Abs(mean-c.Mean) > 4*e {
			t.Errorf("column %d: the mean of the draws is %v ± %v, that of the rows %v", l, mean, e, c.Mean)
		}
	}
}

func TestSomeOfSparseRowsAreThoseOfDenseOnes(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		d := drawRows(3, 200, 8, weighted)
		check := func(what string, want, got dataset) {
			t.Helper()
			if diff := cmp.Diff(want.from, got.from); diff != "" {
				t.Errorf("%s draws other rows: %s", what, diff)
			}
			for i := range want.rows.Len() {
				if cells := framework.Cells(got.rows, i); !slices.EqualFunc(cells, want.rows.Matrix().Row(i), same) {
					t.Errorf("%s: row %d is %v, not %v", what, i, cells, want.rows.Matrix().Row(i))
				}
			}
			if diff := cmp.Diff(want.rows.Weights(), got.rows.Weights()); diff != "" || want.problem.Mass != got.problem.Mass {
				t.Errorf("%s: other weights: %s", what, diff)
			}
			for l, c := range want.problem.Columns {
				of := got.problem.Columns[l]
				if of.Base != d.base[l] {
					t.Errorf("%s: the base of column %d is %v", what, l, of.Base)
				}
				of.Base = 0
				if diff := cmp.Diff(c, of, cmp.Comparer(func(a, b float64) bool {
					return math.Abs(a-b) <= 1e-12*math.Max(1,
						math.Abs(a))
				})); diff != "" {
					t.Errorf("%s, column %d: %s", what, l, diff)
				}
			}
			if !got.problem.Sparse || !got.rows.IsSparse() {
				t.Errorf("%s: the rows are not sparse any more", what)
			}
		}
		for _, kind := range []Kind{Half, Bootstrap} {
			check(string(kind), one(t, d.dense, d.ofDense, Draw{Kind: kind}), one(t, d.sparse, d.ofSparse, Draw{Kind: kind}))
		}
		rows, p, from, err := Sample(d.dense, d.ofDense, 50)
		must.Do(t, err)
		sparse, of, same, err := Sample(d.sparse, d.ofSparse, 50)
		must.Do(t, err)
		must.Equal(t, from, same)
		check("a sample", dataset{rows: rows, problem: p}, dataset{rows: sparse, problem: of})
		a, b := drawer{rows: d.dense, problem: d.ofDense}, drawer{rows: d.sparse, problem: d.ofSparse}
		check("a batch", a.spread(32), b.spread(32))
	}
}

func TestDrawsAlongTheAxesOfAFewSparseRowsAreThoseOfDenseOnes(t *testing.T) {
	d := drawRows(4, 30, 5, true)
	for _, kind := range []Kind{Uniform, Normal} {
		want, got := one(t, d.dense, d.ofDense, Draw{Kind: kind}), one(t, d.sparse, d.ofSparse, Draw{Kind: kind})
		if got.problem.Sparse || got.rows.IsSparse() {
			t.Errorf("%s rows are sparse", kind)
		}
		if !slices.EqualFunc(want.rows.Matrix().Data, got.rows.Matrix().Data, same) {
			t.Errorf("%s rows are others", kind)
		}
	}
}

func TestDrawsAlongTheAxesOfManySparseRowsAreRefused(t *testing.T) {
	d := drawRows(4, 30, 5, false)
	d.ofSparse.P = mostDense
	_, err := newDrawer(d.sparse, d.ofSparse, []Draw{{Kind: Uniform}})
	must.Fault(t, err, "too-large-dense")
}

// lloyd is the Engine of k-means.
func lloyd(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (Fit, error) {
	r, err := fit.Run(ctx, means.NewLloyd(p, means.Squared), p, rows, start, s, nil)
	return Fit{Result: r}, err
}

func TestASweepOfSparseRowsDoesNotDependOnThreads(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		d := drawRows(7, 300, 6, weighted)
		s := Sweep{Candidates: []Candidate{{K: 2}, {K: 4}}, Settings: fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 3,
			MaxIter: 50, Empty: framework.Reseed, Threads: 1}}
		for _, kind := range []Kind{Rows, Permuted, Half, Bootstrap, Uniform} {
			s.Draws = append(s.Draws, Draw{Kind: kind})
		}
		objectives := func(threads int) []float64 {
			s.Settings.Threads = threads
			all := make([]float64, 2*len(s.Draws))
			must.Do(t, s.Run(t.Context(), lloyd, d.ofSparse, d.sparse, func(f Trial) error {
				must.Do(t, f.Err)
				all[2*f.Draw+f.Candidate] = f.Objective
				return nil
			}))
			return all
		}
		must.Equal(t, objectives(1), objectives(3))
	}
}

func TestBatchesOfSparseRowsEndAtTheCentersOfDenseOnes(t *testing.T) {
	d := drawRows(9, 2000, 6, false)
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 2, MaxIter: 100, Empty: framework.Reseed, Threads: 1}
	want := must.Get(Begin(t.Context(), lloyd, d.ofDense, d.dense, s, 64))(t)
	got := must.Get(Begin(t.Context(), lloyd, d.ofSparse, d.sparse, s, 64))(t)
	for i, v := range want.Centers.Data {
		if w := got.Centers.Data[i]; math.Abs(v-w) > 1e-9 {
			t.Fatalf("center %d is %v, not %v", i, w, v)
		}
	}
}
