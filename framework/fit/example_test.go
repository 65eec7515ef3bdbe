package fit_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// The driver runs any Clusterer: here k-means, whose first center is held at 0.
func ExampleRun() {
	ctx := context.Background()
	b, err := matrix.BuilderOf(framework.Matrix{Rows: 5, Cols: 1, Data: []float64{1, 2, 8, 9, 10}}, nil, matrix.Options{})
	check(err)
	rows, _, problem, err := matrix.Prepare(b, []matrix.Source{{Name: "x"}}, matrix.Scaling{Center: "none", Scale: "none"}, nil)
	check(err)
	defer func() { _ = rows.Close() }()
	problem.K, problem.Seed = 2, 1

	held := constraint.Fixed{Where: constraint.Where{Clusters: []int{0}}, Values: []float64{0}}
	c := fit.Restrict(means.NewLloyd(problem, means.Squared), held)
	result, err := fit.Run(ctx, c, problem, rows, fit.Start{Rows: []int{0, 4}}, fit.Settings{InitSpace: fit.Fitted, Restarts: 1, MaxIter: 100,
		Empty: framework.Reseed}, nil)
	check(err)
	fmt.Println(result.Labels, result.Model.Centers.Data, result.Converged)

	more := matrix.FromMatrix(framework.Matrix{Rows: 2, Cols: 1, Data: []float64{-3, 6}}, nil, 0)
	labels, err := fit.Predict(ctx, c, result.Model, more, 1)
	check(err)
	fmt.Println(labels.Labels, labels.Distance)
	// Output:
	// [0 0 1 1 1] [0 9] true
	// [0 1] [3 3]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
