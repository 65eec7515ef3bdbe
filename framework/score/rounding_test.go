package score_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

func TestRoundingExplainsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		cells  []float64
		labels []int32
		want   float64
	}{
		"all rows are equal":     {[]float64{0.1, 0.1, 0.1}, []int32{0, 0, 1}, math.NaN()},
		"equal means":            {[]float64{0.1, 0.3, 0.7, 0.1, 0.3, 0.7}, []int32{0, 0, 0, 1, 1, 1}, 0},
		"equal means, unordered": {[]float64{0.1, 0.3, 0.7, 0.7, 0.1, 0.3}, []int32{0, 0, 0, 1, 1, 1}, 0},
		"equal rows in each":     {[]float64{0.1, 0.1, 0.1, 0.7, 0.7, 0.7}, []int32{0, 0, 0, 1, 1, 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			rows := matrix.FromMatrix(framework.Matrix{Rows: len(c.cells), Cols: 1, Data: c.cells}, nil, 0)
			defer func() { _ = rows.Close() }()
			got := score.ExplainedVariance(rows, c.labels, nil)
			if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
				t.Errorf("explained %v, want %v", got, c.want)
			}
		})
	}
}
