package matrix_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestSparseRowsHaveTheCellsAndColumnsOfDenseOnes(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		table := clustertest.DrawSparseTable(r, seed&1 != 0, seed&2 != 0)
		scaling := matrix.Scaling{Center: []string{"mean", "none"}[r.IntN(2)], Scale: []string{"sd", "sd_n", "none"}[r.IntN(3)]}
		dense, want := table.Prepared(t, scaling, false)
		sparse, got := table.Prepared(t, scaling, true)
		if !got.Sparse || want.Sparse || !sparse.IsSparse() {
			t.Fatal("the problem does not say whether rows are sparse")
		}
		for i := range want.N {
			near(t, seed, "cell of row", framework.Cells(sparse, i), framework.Cells(dense, i), 1e-12)
		}
		for l, c := range want.Columns {
			g := got.Columns[l]
			near(t, seed, "column", []float64{g.Location, g.Scale, g.Mass, g.Mean, g.Min, g.Max, g.SumSq},
				[]float64{c.Location, c.Scale, c.Mass, c.Mean, c.Min, c.Max, c.SumSq}, 1e-9)
			if g.Missing != c.Missing || g.Name != c.Name {
				t.Fatalf("seed %d: column %d is %+v, want %+v", seed, l, g, c)
			}
		}
		for i := range sparse.Blocks() {
			b := sparse.Block(i)
			for row := range b.X.Rows {
				columns, offsets := b.Sparse.Row(row)
				for e, l := range columns {
					if v := b.Sparse.At(row, l); v != b.Sparse.Base[l]+offsets[e] && v == v {
						t.Fatalf("row %d, column %d: %v", row, l, v)
					}
				}
			}
		}
	}
}

func near(t *testing.T, seed uint64, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(got[i]-w) > tolerance*(1+math.Abs(w)) || (got[i] == got[i]) != (w == w) {
			t.Fatalf("seed %d: %s: %v, want %v", seed, what, got, want)
		}
	}
}

func TestSparseRowsAreSharedAndCheckedWhenOpened(t *testing.T) {
	for _, storage := range []matrix.Storage{matrix.Auto, matrix.Memory, matrix.File} {
		b := matrix.NewSparseBuilder(5, matrix.Options{Storage: storage, Dir: t.TempDir()})
		rows := []struct {
			columns []int32
			values  []float64
		}{{[]int32{0, 4}, []float64{1, math.NaN()}}, {nil, nil}, {[]int32{2}, []float64{-3}}}
		for _, r := range rows {
			must.Do(t, b.AppendRow(r.columns, r.values))
		}
		must.Do(t, b.SetWeights([]float64{1, 2, 3}))
		d := must.Get(b.Seal())(t)
		must.Do(t, d.Share())
		other, err := matrix.Open(d.Handle())
		must.Do(t, err)
		for i, r := range rows {
			columns, offsets := other.Block(0).Sparse.Row(i)
			if !slices.Equal(columns, r.columns) || len(offsets) != len(r.values) || len(offsets) > 0 && offsets[0] != r.values[0] {
				t.Errorf("%s: row %d is %v %v", storage, i, columns, offsets)
			}
		}
		if !slices.Equal(other.Weights(), []float64{1, 2, 3}) {
			t.Errorf("%s: weights %v", storage, other.Weights())
		}
		must.Do(t, other.Close())
		for what, change := range map[string]func(*matrix.Handle){
			"more entries":  func(h *matrix.Handle) { h.Entries++ },
			"fewer columns": func(h *matrix.Handle) { h.Cols = 2 },
			"dense":         func(h *matrix.Handle) { h.Sparse, h.Cols = false, 1000 },
			"fewer rows":    func(h *matrix.Handle) { h.Rows-- },
		} {
			h := d.Handle()
			change(&h)
			if _, err := matrix.Open(h); framework.AsFault(err) == nil {
				t.Errorf("%s, %s: got %v, want a fault", storage, what, err)
			}
		}
		must.Do(t, d.Close())
	}
}

func TestASparseBuilderCutsAndPermutesItsRowsAndBecomesDense(t *testing.T) {
	b := matrix.NewSparseBuilder(3, matrix.Options{})
	must.Do(t, b.AppendRow([]int32{1}, []float64{7}))
	must.Do(t, b.AppendRow([]int32{0, 2}, []float64{1, 2}))
	must.Do(t, b.AppendRow(nil, nil))
	must.Do(t, b.SetWeights([]float64{1, 2, 3}))
	must.Do(t, b.Permute([]int{1, 2, 0}))
	dense := must.Get(b.Dense())(t)
	must.Equal(t, []float64{1, 0, 2, 0, 0, 0, 0, 7, 0}, dense.Values().Data)
	must.Equal(t, []float64{2, 3, 1}, dense.Weights())
	must.Do(t, dense.Discard())
}

func TestADenseCopyThatDoesNotFitIsRefusedWithItsSize(t *testing.T) {
	b := matrix.NewSparseBuilder(math.MaxInt32, matrix.Options{})
	for range 3000 {
		must.Do(t, b.AppendRow(nil, nil))
	}
	_, err := b.Dense()
	// A system that does not say how much memory it has refuses the file.
	if f := framework.AsFault(err); f == nil || f.Code != "too-large-dense" && f.Code != "no-storage" || !strings.Contains(f.Error(), "MB") {
		t.Errorf("got %v", err)
	}
	must.Equal(t, 3000, b.Rows())
}

func TestMediansOfSparseRowsAreRefused(t *testing.T) {
	for _, s := range []struct{ center, scale, where string }{
		{"median", "mad", "scale"}, {"mean", "mad", "scale"}, {"median", "sd", "center"}, {"median", "none", "center"},
	} {
		b := matrix.NewSparseBuilder(1, matrix.Options{Dir: os.TempDir()})
		must.Do(t, b.AppendRow(nil, nil))
		_, _, _, err := matrix.Prepare(b, []matrix.Source{{Name: "a"}}, matrix.Scaling{Center: s.center, Scale: s.scale}, nil)
		if f := framework.AsFault(err); f == nil || f.Code != "sparse-median" || f.Where != framework.Setting(s.where) {
			t.Errorf("%v: got %v", s, err)
		}
	}
}
