package weightset_test

import (
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
)

// Gains become feature weights. With a bound of 1 only the largest gain has a weight.
// A bound of 1.5 has no effect here: the weights are the gains, divided by their norm
// 5, and sum to 1.4.
func ExampleBounded() {
	gains := framework.Matrix{Rows: 1, Cols: 3, Data: []float64{4, 3, 0}}
	weights := framework.NewMatrix(1, 3)
	for _, bound := range []float64{1, 1.5} {
		if err := (weightset.Bounded{L1: bound}).Project(weights, framework.Point{X: gains}); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", weights.Data)
	}
	// Output:
	// [1.00 0.00 0.00]
	// [0.80 0.60 0.00]
}
