package matrix_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestSomeRowsAreThoseOfTheirNumbers(t *testing.T) {
	for _, sparse := range []bool{true, false} {
		b := matrix.NewSparseBuilder(4, matrix.Options{})
		must.Do(t, b.AppendRow([]int32{0, 2}, []float64{1, 2}))
		must.Do(t, b.AppendRow(nil, nil))
		must.Do(t, b.AppendRow([]int32{1, 3}, []float64{-5, math.NaN()}))
		must.Do(t, b.AppendRow([]int32{0, 3}, []float64{3, 1}))
		must.Do(t, b.SetWeights([]float64{1, 2, 3, 4}))
		if !sparse {
			b = must.Get(b.Dense())(t)
		}
		sources := make([]matrix.Source, 4)
		for l := range sources {
			sources[l].Name = string(rune('a' + l))
		}
		data, r, p, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
		must.Do(t, err)
		defer func() { _ = data.Close() }()
		if sparse {
			for l, base := range r.Base() {
				must.Equal(t, p.Columns[l].Base, base)
			}
		}
		order := []int{3, 0, 2, 3}
		some := data.Some(order)
		must.Equal(t, sparse, some.IsSparse())
		must.Equal(t, []float64{4, 1, 3, 4}, some.Weights())
		must.Equal(t, len(order), some.Len())
		for to, from := range order {
			must.Equal(t, framework.Cells(data, from), framework.Cells(some, to), cmpopts.EquateNaNs())
		}
	}
}
