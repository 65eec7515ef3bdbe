package score_test

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// Labels are scored against known classes, where there are any, and by the rows
// themselves.
func Example() {
	rows := matrix.FromMatrix(framework.Matrix{Rows: 5, Cols: 1, Data: []float64{0, 1, 2, 10, 11}}, nil, 0)
	classes := []int32{0, 0, 0, 1, 1}
	labels := []int32{1, 1, 1, 0, 1} // the last row is in the wrong cluster

	table := score.NewTable(classes, labels)
	fmt.Printf("ARI %.3f, purity %.1f\n", table.ARI(), table.Purity())
	silhouette, err := score.Silhouette(context.Background(), rows, labels, score.SilhouetteOptions{Threads: 1})
	fmt.Printf("silhouette %.3f (%v)\n", silhouette, err)
	fmt.Printf("explained variance %.3f\n", score.ExplainedVariance(rows, labels, nil))
	// Output:
	// ARI 0.231, purity 0.8
	// silhouette 0.138 (<nil>)
	// explained variance 0.305
}
