package score_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Scores and distinct rows are those of the cells, however these are kept.
func TestSparseRowsScoreAsTheirCells(t *testing.T) {
	random := framework.Rand(1, "sparse scores")
	b := matrix.NewSparseBuilder(7, matrix.Options{})
	labels := make([]int32, 60)
	for i := range labels {
		labels[i] = int32(i % 3)
		var columns []int32
		var values []float64
		for l := range int32(7) {
			if random.IntN(4) == 0 || l == labels[i] {
				columns, values = append(columns, l), append(values, float64(random.IntN(4)))
			}
		}
		if i%20 == 0 && len(values) > 0 {
			values[0] = math.NaN()
		}
		b.AppendRow(columns, values)
	}
	scaling := matrix.Scaling{Center: "mean", Scale: "sd"}
	sparse, _, _, err := matrix.Prepare(b, make([]matrix.Source, 7), scaling, nil)
	must.Do(t, err)
	x := framework.NewMatrix(60, 7)
	for i := range x.Rows {
		copy(x.Row(i), framework.Cells(sparse, i))
	}
	dense := matrix.FromMatrix(x, nil, 0)
	for _, weights := range [][]float64{nil, {1, 0, 2, 0.5, 1, 0, 3}} {
		o := score.SilhouetteOptions{Weights: weights, Threads: 2}
		want := must.Get(score.Silhouettes(t.Context(), dense, labels, o))(t)
		must.Equal(t, want, must.Get(score.Silhouettes(t.Context(), sparse, labels, o))(t), cmpopts.EquateNaNs())
		must.Equal(t, score.ExplainedVariance(dense, labels, weights), score.ExplainedVariance(sparse, labels, weights))
	}
	must.Equal(t, score.DaviesBouldin(dense, labels), score.DaviesBouldin(sparse, labels))
	must.Equal(t, score.CalinskiHarabasz(dense, labels), score.CalinskiHarabasz(sparse, labels))
	must.Equal(t, seeding.DistinctRows(dense, 60), seeding.DistinctRows(sparse, 60))
}
