package seeding_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// maximin chooses rows that are far from each other, and labels each row with the
// nearest of them.
func Example() {
	rows := matrix.FromMatrix(framework.Matrix{Rows: 6, Cols: 1, Data: []float64{0, 1, 20, 21, 9, 10}}, nil, 0)
	seeder, err := seeding.New("maximin", rows, seeding.Options{K: 3})
	if err != nil {
		log.Fatal(err)
	}
	labels, err := seeder.Labels(context.Background(), 0, 1)
	fmt.Println(labels, err)
	// Output:
	// [1 1 0 0 2 2] <nil>
}
