package seeding_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// sparseCase is a table with much of one value in each column, dense and sparse.
type sparseCase struct {
	dense   clustertest.Rows
	sparse  clustertest.SparseRows
	options seeding.Options
}

// drawSparseCase draws a table, with weights or not, a space or not, missing cells or not.
func drawSparseCase(seed uint64, whole bool) sparseCase {
	r := rand.New(rand.NewPCG(seed, 3))
	n, p := 40+r.IntN(80), 5+r.IntN(40)
	x := clustertest.DrawSparse(r, n, p, 0.02+0.3*r.Float64(), whole)
	var base []float64
	if !whole {
		for l := range p {
			base = append(base, r.NormFloat64())
			for i := range n {
				x.Row(i)[l] += base[l]
			}
		}
	}
	for i := range n { // some equal rows
		if r.IntN(5) == 0 {
			copy(x.Row(i), x.Row(r.IntN(n)))
		}
	}
	if r.IntN(2) == 0 {
		for i := range x.Data {
			if r.IntN(30) == 0 {
				x.Data[i] = math.NaN()
			}
		}
	}
	c := sparseCase{dense: clustertest.Rows{X: x, Size: 1 + r.IntN(64)}, options: seeding.Options{K: 2 + r.IntN(9), Seed: seed, Threads: 1}}
	if r.IntN(2) == 0 {
		for range n {
			c.dense.Weights = append(c.dense.Weights, float64(r.IntN(4)))
		}
	}
	if r.IntN(2) == 0 {
		for range p {
			c.options.Space = append(c.options.Space, float64(r.IntN(4)))
		}
	}
	for range 5 {
		a := r.IntN(n - 1)
		c.options.Links = append(c.options.Links, framework.Link{A: int32(a), B: int32(a + 1 + r.IntN(n-a-1)), Weight: 1})
	}
	if r.IntN(2) == 0 {
		c.options.Restarts = 200 // distances of all rows are kept
	}
	c.sparse = c.dense.Sparse(base)
	return c
}

// start is what a method makes of rows.
type start struct {
	labels  []int32
	centers framework.Matrix
}

func startOf(t testing.TB, name string, rows framework.Rows, o seeding.Options) start {
	t.Helper()
	s := must.Get(seeding.New(name, rows, o))(t)
	labels := must.Get(s.Labels(context.Background(), 1, o.Threads))(t)
	centers, _, err := s.Centers(context.Background(), 1, o.Threads)
	must.Do(t, err)
	return start{labels, centers}
}

func TestSparseRowsHaveTheStartsOfDenseOnesWhereArithmeticIsExact(t *testing.T) {
	for _, name := range seeding.Names() {
		for seed := range uint64(20) {
			c := drawSparseCase(seed, true)
			if name == "robin" || name == "seeding" {
				c.options.Space = nil // means are not exact: ties are broken by their rounding
				c.options.Links = nil
			}
			want, got := startOf(t, name, c.dense, c.options), startOf(t, name, c.sparse, c.options)
			if !slices.Equal(want.labels, got.labels) {
				t.Errorf("%s, case %d: labels %v of sparse rows, %v of dense ones", name, seed, got.labels, want.labels)
			}
			if !slices.EqualFunc(want.centers.Data, got.centers.Data, same) {
				t.Errorf("%s, case %d: other centers", name, seed)
			}
		}
	}
}

// alike reports whether starts are the same up to labels of equally near centers.
func alike(c sparseCase, a, b start) bool {
	if !slices.EqualFunc(a.centers.Data, b.centers.Data, near) {
		return false
	}
	for i, j := range a.labels {
		if other := b.labels[i]; j != other && a.centers.Data == nil {
			return false
		} else if j != other {
			row := c.dense.X.Row(i)
			if !near(seeding.Square(row, a.centers.Row(int(j)), c.options.Space), seeding.Square(row, a.centers.Row(int(other)), c.options.Space)) {
				return false
			}
		}
	}
	return true
}

func same(a, b float64) bool { return a == b || a != a && b != b }

func near(a, b float64) bool { return same(a, b) || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) }

func TestSparseRowsHaveTheStartsOfDenseOnes(t *testing.T) {
	for _, name := range seeding.Names() {
		cases, other := 200, 0
		if name == "dkm++" || name == "robin" {
			cases = 50 // all pairs of rows take their time
		}
		for seed := range uint64(cases) {
			c := drawSparseCase(seed, false)
			want, got := startOf(t, name, c.dense, c.options), startOf(t, name, c.sparse, c.options)
			if !alike(c, want, got) {
				other++
			}
		}
		if other > cases/50 { // where a draw is nearly between two rows, or two rows are nearly as far
			t.Errorf("%s: %d of %d starts are others", name, other, cases)
		}
	}
}

func TestStartsOfSparseRowsDependOnNeitherThreadsNorBlocks(t *testing.T) {
	for _, name := range seeding.Names() {
		for seed := range uint64(10) {
			c := drawSparseCase(seed, false)
			want := startOf(t, name, c.sparse, c.options)
			c.sparse.Size, c.options.Threads = 7, 3
			got := startOf(t, name, c.sparse, c.options)
			if !slices.Equal(want.labels, got.labels) || !slices.EqualFunc(want.centers.Data, got.centers.Data, same) {
				t.Errorf("%s, case %d: %v is %v on 3 threads", name, seed, want.labels, got.labels)
			}
		}
	}
}

func TestNoChosenRowOfSparseOnesEqualsAnotherWhileThereAreOthers(t *testing.T) {
	// Large and small cells in one row: a distance that cancels would be wrong.
	r := rand.New(rand.NewPCG(1, 1))
	x := clustertest.DrawSparse(r, 300, 20, 0.3, false)
	for i := range x.Data {
		x.Data[i] *= math.Pow(10, float64(r.IntN(12)))
	}
	for i := range 150 {
		copy(x.Row(150+i), x.Row(i))
	}
	rows := clustertest.Rows{X: x, Size: 50}.Sparse(nil)
	distinct := seeding.DistinctRows(rows, 300)
	if want := seeding.DistinctRows(rows.Rows, 300); distinct != want {
		t.Fatalf("%d distinct rows, not %d", distinct, want)
	}
	for _, name := range []string{"kmeans++", "maximin"} {
		s := startOf(t, name, rows, seeding.Options{K: distinct, Threads: 2})
		if got := seeding.DistinctRows(clustertest.Rows{X: s.centers, Size: 10}, 300); got != distinct {
			t.Errorf("%s: %d of %d chosen rows differ", name, got, distinct)
		}
	}
}

func TestDistinctSparseRowsAreCountedAsDenseOnes(t *testing.T) {
	for seed := range uint64(50) {
		c := drawSparseCase(seed, true)
		for _, atLeast := range []int{1, 10, 1000} {
			want, got := seeding.DistinctRows(c.dense, atLeast), seeding.DistinctRows(c.sparse, atLeast)
			if got != want {
				t.Errorf("case %d: %d distinct rows, not %d", seed, got, want)
			}
		}
	}
}

func TestMeansAndSquaresOfSparseRowsAreThoseOfDenseOnes(t *testing.T) {
	for seed := range uint64(50) {
		c := drawSparseCase(seed, false)
		some := []int{0, 3, 4, 30}
		mean := seeding.Mean(c.dense, some, false)
		if got := seeding.Mean(c.sparse, some, false); !slices.EqualFunc(mean, got, near) {
			t.Errorf("case %d: the mean is %v, not %v", seed, got, mean)
		}
		want, got := seeding.Squares(c.dense, some, mean, c.options.Space), seeding.Squares(c.sparse, some, mean, c.options.Space)
		if !slices.EqualFunc(want, got, near) {
			t.Errorf("case %d: squares are %v, not %v", seed, got, want)
		}
	}
}

func TestManyChosenSparseRowsAreMeasuredAsEachAlone(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		n, p := 200, 5+r.IntN(40)
		x := clustertest.DrawSparse(r, n, p, 0.2, seed%2 == 0)
		for i := range n {
			if r.IntN(4) == 0 {
				copy(x.Row(i), x.Row(r.IntN(n)))
			}
			if seed%3 == 0 && r.IntN(4) == 0 {
				x.Row(i)[r.IntN(p)] = math.NaN()
			}
			if seed%5 == 0 {
				x.Row(i)[0] += 1e9 // sums of the sieve are not exact
			}
		}
		var space []float64
		if seed%4 == 0 {
			for range p {
				space = append(space, float64(r.IntN(3)))
			}
		}
		rows := clustertest.Rows{X: x, Size: 30}.Sparse(nil)
		chosen, all := make([]int, 4+r.IntN(150)), make([]int, n)
		for i := range all {
			all[i] = i
		}
		label, square := make([]int32, n), slices.Repeat([]float64{math.Inf(1)}, n)
		for j := range chosen {
			chosen[j] = r.IntN(n)
			for i, d := range seeding.Squares(rows, all, x.Row(chosen[j]), space) {
				if d < square[i] {
					label[i], square[i] = int32(j), d
				}
			}
		}
		must.Equal(t, label, must.Get(seeding.Nearest(t.Context(), rows, chosen, space))(t))
	}
}
