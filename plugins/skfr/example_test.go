package skfr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// An algorithm runs without a process and without a table: rows in, labels out. Only
// x tells the two clusters apart.
func Example() {
	rows := framework.Matrix{Rows: 6, Cols: 3, Data: []float64{
		1, 5, 3,
		2, 6, 4,
		1, 7, 5,
		9, 5, 6,
		8, 6, 5,
		9, 7, 7,
	}}
	b, err := matrix.BuilderOf(rows, nil, matrix.Options{})
	check(err)
	sources := []matrix.Source{{Name: "x"}, {Name: "y"}, {Name: "z"}}
	data, recipe, problem, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
	check(err)
	defer func() { _ = data.Close() }()

	algorithm := skfr.SKFR{}
	problem.K, problem.Seed = 2, 1
	problem.Params, err = algorithm.Describe().Resolve(map[string]string{"sparsity": "1"})
	check(err)
	ctx := context.Background()
	session, err := fit.Here(algorithm).Bind(ctx, "skfr", problem, data)
	check(err)
	result, err := session.Fit(ctx, fit.Start{}, fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 100,
		Empty: framework.Reseed, Threads: 2}, nil)
	check(err)

	fmt.Println("labels", result.Labels)
	for _, f := range session.Clusterer().(framework.Selector).Features(result.Model) {
		fmt.Println(recipe.Features[f.Column].Name, f.Selected)
	}
	// Output:
	// labels [0 0 0 1 1 1]
	// x true
	// y false
	// z false
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
