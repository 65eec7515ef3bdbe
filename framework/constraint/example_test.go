package constraint_test

import (
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// A set moves centers to its nearest point. Row masses are the weights of the
// clusters: a feature of a heavy cluster is worth more.
func ExampleSparsity() {
	means := framework.Matrix{Rows: 2, Cols: 3, Data: []float64{
		3, -1, 0.5,
		0, 2, 0.5,
	}}
	centers := framework.NewMatrix(2, 3)
	two := constraint.Sparsity{S: 2}
	if err := two.Project(centers, framework.Point{X: means, RowMass: []float64{10, 40}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(centers.Row(0), centers.Row(1))
	fmt.Println(two.Violation(means), two.Violation(centers))
	// Output:
	// [3 -1 0] [0 2 0]
	// 0.7071067811865476 0
}
