package groupskm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
)

// The features y and z are a group, which is dropped as a whole.
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
	groups := map[string]framework.Group{"y": {Name: "yz"}, "z": {Name: "yz"}}
	data, recipe, problem, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, groups)
	check(err)
	defer func() { _ = data.Close() }()

	algorithm := groupskm.GroupSKM{}
	problem.K, problem.Seed = 2, 1
	problem.Params, err = algorithm.Describe().Resolve(map[string]string{"lambda": "0.5"})
	check(err)
	ctx := context.Background()
	session, err := fit.Here(algorithm).Bind(ctx, "groupskm", problem, data)
	check(err)
	result, err := session.Fit(ctx, fit.Start{}, fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 100,
		Empty: framework.Reseed, Threads: 2}, nil)
	check(err)

	fmt.Println("labels", result.Labels)
	for l, f := range recipe.Features {
		fmt.Printf("%s %.2f\n", f.Name, result.Model.FeatureWeights[l])
	}
	// Output:
	// labels [0 0 0 1 1 1]
	// x 1.00
	// y 0.00
	// z 0.00
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
