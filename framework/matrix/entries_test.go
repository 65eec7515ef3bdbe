package matrix_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// manyEntries are rows of more entries than plain memory is used for, of which the
// first column has one in nearly every row.
func manyEntries(t *testing.T, rows, cols int, o matrix.Options) *matrix.Builder {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	b := matrix.NewSparseBuilder(cols, o)
	for range rows {
		columns := []int32{0}
		for l := 1 + r.IntN(4); l < cols; l += 1 + r.IntN(9) {
			columns = append(columns, int32(l))
		}
		values := make([]float64, len(columns))
		for e := range values {
			values[e] = float64(1 + r.IntN(5))
		}
		must.Do(t, b.AppendRow(columns, values))
	}
	return b
}

func TestSparseRowsAreTheSameWhereverTheyAreKept(t *testing.T) {
	const rows, cols = 20_000, 40
	var want *framework.Sparse
	for _, storage := range []matrix.Storage{matrix.Auto, matrix.Memory, matrix.File} {
		b := manyEntries(t, rows, cols, matrix.Options{Storage: storage, Dir: t.TempDir()})
		weights, stay, order := make([]float64, rows), []int{}, []int{}
		for i := range rows {
			weights[i] = float64(1 + i%3)
			if i%3 != 1 {
				stay = append(stay, i)
			}
		}
		must.Do(t, b.SetWeights(weights))
		to, kept := make([]int32, cols), int32(0)
		for l := range to {
			if to[l] = -1; l%5 != 4 {
				to[l] = kept
				kept++
			}
		}
		must.Do(t, b.Keep(stay, int(kept), to))
		for i := range b.Rows() {
			order = append(order, b.Rows()-1-i)
		}
		first, value := b.Row(0)
		first, value = slices.Clone(first), slices.Clone(value)
		must.Do(t, b.Permute(order))
		last, same := b.Row(b.Rows() - 1)
		must.Equal(t, first, last)
		must.Equal(t, value, same)
		sources := make([]matrix.Source, b.Cols())
		for l := range sources {
			sources[l].Name = strconv.Itoa(l)
		}
		d, recipe, _, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd", Norm: matrix.L2}, nil)
		must.Do(t, err)
		if !recipe.Features[0].Full {
			t.Error("the first column has no entry in each row")
		}
		got := d.Sparse()
		if want == nil {
			want = &framework.Sparse{Base: slices.Clone(got.Base), Start: slices.Clone(got.Start),
				Column: slices.Clone(got.Column), Offset: slices.Clone(got.Offset)}
		}
		must.Equal(t, want, got)
		must.Equal(t, float64(1+stay[len(stay)-1]%3), d.Weights()[0])
		must.Do(t, d.Close())
	}
}

func TestFewSparseRowsThatAreLeftOfManyArePlainMemory(t *testing.T) {
	b := manyEntries(t, 20_000, 40, matrix.Options{})
	columns, values := b.Row(7)
	columns, values = slices.Clone(columns), slices.Clone(values)
	must.Do(t, b.Keep([]int{7}, 40, nil))
	d := must.Get(b.Seal())(t)
	must.Equal(t, "", d.Handle().Path)
	must.Equal(t, columns, d.Sparse().Column)
	must.Equal(t, values, d.Sparse().Offset)
	must.Do(t, d.Close())
}

func TestSparseRowsWithoutRoomAreAFault(t *testing.T) {
	b := matrix.NewSparseBuilder(3, matrix.Options{Storage: matrix.File, Dir: filepath.Join(t.TempDir(), "missing")})
	err := b.AppendRow([]int32{1}, []float64{1})
	if f := framework.AsFault(err); f == nil || f.Code != "no-storage" {
		t.Errorf("got %v", err)
	}
	must.Do(t, b.Discard())
	must.Do(t, b.Discard())
}
