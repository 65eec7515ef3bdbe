package framework_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestSparseRowsAreTheSameWhereAllCellsAre(t *testing.T) {
	nan := math.NaN()
	rows := func(columns []int32, offsets []float64) *framework.Sparse {
		return &framework.Sparse{Base: make([]float64, 4), Start: []int64{0, int64(len(columns))}, Column: columns, Offset: offsets}
	}
	tests := map[string]struct {
		a, b *framework.Sparse
		want bool
	}{
		"no entries":              {rows(nil, nil), rows(nil, nil), true},
		"equal entries":           {rows([]int32{0, 2}, []float64{1, 2}), rows([]int32{0, 2}, []float64{1, 2}), true},
		"an entry of 0 and none":  {rows([]int32{0, 2}, []float64{0, 2}), rows([]int32{2, 3}, []float64{2, math.Copysign(0, -1)}), true},
		"missing cells":           {rows([]int32{1}, []float64{nan}), rows([]int32{1}, []float64{-nan}), true},
		"a missing cell and none": {rows([]int32{1}, []float64{nan}), rows(nil, nil), false},
		"a missing cell and a 0":  {rows([]int32{1}, []float64{nan}), rows([]int32{1}, []float64{0}), false},
		"another column":          {rows([]int32{1}, []float64{3}), rows([]int32{2}, []float64{3}), false},
		"another number":          {rows([]int32{1}, []float64{3}), rows([]int32{1}, []float64{4}), false},
		"one entry more":          {rows([]int32{1}, []float64{3}), rows([]int32{1, 3}, []float64{3, 1}), false},
	}
	for name, test := range tests {
		if test.a.Same(0, test.b, 0) != test.want || test.b.Same(0, test.a, 0) != test.want {
			t.Errorf("%s: not %v", name, test.want)
		}
	}
}
