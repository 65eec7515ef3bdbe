package pcskm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// It is known that the first row belongs with the fourth, and apart from the second.
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

	algorithm := pcskm.PCSKM{}
	problem.K, problem.Seed = 2, 1
	problem.Params, err = algorithm.Describe().Resolve(map[string]string{"l1_bound": "1.2"})
	check(err)
	problem.Links = []framework.Link{{A: 0, B: 3, Weight: 10}, {A: 0, B: 1, Cannot: true, Weight: 10}}
	ctx := context.Background()
	session, err := fit.Here(algorithm).Bind(ctx, "pcskm", problem, data)
	check(err)
	result, err := session.Fit(ctx, fit.Start{}, fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 100,
		Empty: framework.Reseed, Threads: 2}, nil)
	check(err)

	fmt.Println("labels", result.Labels)
	for l, f := range recipe.Features {
		fmt.Printf("%s %.2f\n", f.Name, result.Model.FeatureWeights[l])
	}
	// Output:
	// labels [0 1 1 0 1 1]
	// x 0.00
	// y 1.00
	// z 0.10
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
