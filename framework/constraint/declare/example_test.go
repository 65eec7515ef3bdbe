package declare_test

import (
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
)

// Rows are in original units: no center may be below an age of 30. The set is in the
// fitted space, in which the mean age of 40 is 0.
func ExampleRows() {
	columns := []framework.Column{{Name: "age", Location: 40, Scale: 10}, {Name: "income", Location: 3000, Scale: 500}}
	set, err := declare.Rows([]framework.ConstraintRow{{Kind: "box", Feature: new("age"), Lo: new(30.0)}},
		framework.Problem{K: 1, P: 2, Columns: columns})
	if err != nil {
		log.Fatal(err)
	}
	center := framework.Matrix{Rows: 1, Cols: 2, Data: []float64{-1.5, 0.25}}
	if err := set.Project(center, framework.Point{X: center}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(center.Data)

	_, err = declare.Rows([]framework.ConstraintRow{{Kind: "box", Feature: new("agee")}}, framework.Problem{K: 1, P: 2, Columns: columns})
	fmt.Println(err)
	// Output:
	// [-1 0.25]
	// bad-constraints: the constraints cannot be used: box, feature agee: there is no such feature; did you mean age
}
