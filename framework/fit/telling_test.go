package fit_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestARowWithoutCellsThatTellClustersApartHasNone(t *testing.T) {
	nan := math.NaN()
	// Centers differ in the first two of three columns; the second has no weight.
	m := &framework.Model{Centers: framework.Matrix{Rows: 2, Cols: 3, Data: []float64{0, 0, 5, 2, 1, 5}}}
	rows := matrix.FromMatrix(framework.Matrix{Rows: 4, Cols: 3, Data: []float64{
		1, nan, nan, // as far from both, but it has a cell that could tell
		nan, 0.5, 7,
		nan, nan, 7,
		nan, nan, nan, // has a label of −1 already
	}}, nil, 0)
	for name, c := range map[string]struct {
		weights []float64
		centers []float64
		margin  float64
		tells   []bool
		labels  []int32
	}{
		"without weights":      {nil, nil, 0, []bool{true, true, false}, []int32{0, 0, -1, -1}},
		"with weights":         {[]float64{1, 0, 1}, nil, 0, []bool{true, false, false}, []int32{0, -1, -1, -1}},
		"another distance":     {nil, nil, 3, []bool{true, true, false}, []int32{0, 0, 0, -1}}, // which tells by what is not in the centers
		"centers are the same": {nil, []float64{0, 0, 5, 0, 0, 5}, 0, []bool{false, false, false}, []int32{0, 0, 0, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			m := m.Clone()
			m.FeatureWeights = c.weights
			if c.centers != nil {
				m.Centers.Data = c.centers
			}
			must.Equal(t, c.tells, fit.Telling(m))
			p := &fit.Prediction{Labels: []int32{0, 0, 0, -1}, Distance: []float64{1, 1, 1, nan}, Second: []int32{1, 1, 1, -1},
				Margin: []float64{c.margin, c.margin, c.margin, nan}}
			want := &fit.Prediction{Labels: c.labels}
			n := -1 // the last row had no label before
			for i, j := range c.labels {
				if j < 0 {
					n++
					want.Distance, want.Second, want.Margin = append(want.Distance, nan), append(want.Second, -1), append(want.Margin, nan)
				} else {
					want.Distance, want.Second, want.Margin = append(want.Distance, p.Distance[i]), append(want.Second, 1), append(want.Margin, c.margin)
				}
			}
			if got := p.LeaveUntold(m, rows); got != n {
				t.Errorf("%d rows, want %d", got, n)
			}
			must.Equal(t, want, p, cmpopts.EquateNaNs())
		})
	}
}
