package seeding_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestClassesStartAtTheirMeansAndOtherClustersFarFromThem(t *testing.T) {
	nan := math.NaN()
	x := framework.Matrix{Rows: 6, Cols: 2, Data: []float64{
		0, 0,
		2, 4,
		10, nan,
		-3, 1, // the farthest row without a class: 4.5² + 2² from class 0; then row 4, 1.5² + 2² from it
		0, 1,
		1, 2,
	}}
	rows := clustertest.Rows{X: x, Size: 4, Weights: []float64{1, 3, 1, 1, 1, 1}}
	// By hand: class 0 is rows 0 and 1, of weights 1 and 3; class 1 is row 2, whose second column is the mean of the five
	// rows that have it, (0 + 3 · 4 + 1 + 1 + 2) / 7.
	got := seeding.Classes(&rows, []int32{0, 0, 1, -1, -1, -1}, 2, 4, 2)
	must.Equal(t, []float64{1.5, 3, 10, 16.0 / 7, -3, 1, 0, 1}, got.Data)
	// Where all rows have a class, the farthest of them: row 3 is (7/3)² + (1/3)² from the mean of its own class, (−2/3, 4/3).
	got = seeding.Classes(&rows, []int32{0, 0, 1, 2, 2, 2}, 3, 4, 2)
	must.Equal(t, []float64{-3, 1}, got.Row(3))
}
