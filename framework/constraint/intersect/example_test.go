package intersect_test

import (
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
)

// Features that are not negative and sum to 1, with the first at most 0.5.
func ExampleSets() {
	first := constraint.Where{Features: []int{0}}
	sets := []framework.Set{constraint.Simplex{Radius: 1}, constraint.Box{Where: first, Hi: []float64{0.5}}}
	both, err := intersect.Sets(1, 3, sets, intersect.Names{})
	if err != nil {
		log.Fatal(err)
	}
	center := framework.Matrix{Rows: 1, Cols: 3, Data: []float64{2, 1, -1}}
	if err := both.Project(center, framework.Point{X: center}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(center.Data)

	// One simplex for all features, and one feature that all centers share: refused.
	_, err = intersect.Sets(1, 3, append(sets, constraint.Sparsity{S: 1}), intersect.Names{})
	fmt.Println(framework.AsFault(err).Code)
	// Output:
	// [0.5 0.5 0]
	// cannot-intersect
}
