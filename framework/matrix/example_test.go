package matrix_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// Slices in, clusters out. Two groups of rows differ in size and plan, but not in
// day, so day gets no weight.
func ExamplePrepare() {
	rows := framework.Matrix{Rows: 6, Cols: 3, Data: []float64{
		1, 5, 0,
		2, 6, 0,
		1, 7, 0,
		9, 5, 1,
		8, 6, 1,
		9, 7, 1,
	}}
	sources := []matrix.Source{{Name: "size"}, {Name: "day"}, {Name: "plan", Categorical: true, Levels: []string{"free", "paid"}}}
	b, err := matrix.BuilderOf(rows, nil, matrix.Options{})
	check(err)
	data, recipe, problem, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
	check(err)
	defer func() { _ = data.Close() }()

	problem.K, problem.Seed = 2, 1
	sparse := means.NewWeighted(problem, means.Weighting{Set: weightset.Bounded{L1: 1.3}, Tol: 1e-4, Updates: 50})
	settings := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 5, MaxIter: 100, Empty: framework.Reseed, Threads: 2}
	result, err := fit.Run(context.Background(), sparse, problem, data, fit.Start{}, settings, nil)
	check(err)

	for j := range 2 {
		fmt.Printf("size %.2f:", recipe.Original(0, result.Model.Centers.Row(j)[0]))
		for i, label := range result.Labels {
			if int(label) == j {
				fmt.Print(" row ", i)
			}
		}
		fmt.Println()
	}
	for l, f := range recipe.Features {
		fmt.Printf("%s %.2f\n", f.Name, result.Model.FeatureWeights[l])
	}
	// Output:
	// size 1.33: row 0 row 1 row 2
	// size 8.67: row 3 row 4 row 5
	// size 0.97
	// day 0.00
	// plan=free 0.16
	// plan=paid 0.16
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
