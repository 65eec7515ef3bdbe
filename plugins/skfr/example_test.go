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

// An algorithm can be run without a process and without a table: rows in, labels
// out.
func Example() {
	rows := []float64{
		1, 5,
		2, 6,
		1, 7,
		9, 5,
		8, 6,
		9, 7,
	}
	names := []string{"x", "y"}
	b, err := matrix.NewBuilder(len(names), matrix.Options{})
	check(err)
	cells, err := b.Extend(len(rows) / len(names))
	check(err)
	copy(cells, rows)
	recipe, err := matrix.Learn(b, names, matrix.Scaling{Center: "mean", Scale: "sd"})
	check(err)
	columns, err := recipe.Apply(b)
	check(err)
	data, err := b.Seal()
	check(err)
	defer func() { _ = data.Close() }()

	algorithm := skfr.SKFR{}
	params, err := algorithm.Describe().Resolve(map[string]string{"sparsity": "1"})
	check(err)
	problem := framework.Problem{N: data.Len(), P: len(names), K: 2, Mass: float64(data.Len()), Columns: columns, Params: params, Seed: 1}
	clusterer, err := algorithm.New(problem)
	check(err)
	settings := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 10, MaxIter: 100, Empty: framework.Origin, Threads: 2}
	result, err := fit.Run(context.Background(), clusterer, problem, data, fit.Start{}, settings, nil)
	check(err)

	one, other := result.Labels[:3], result.Labels[3:]
	fmt.Println("together:", one[0] == one[1] && one[1] == one[2], other[0] == other[1] && other[1] == other[2])
	fmt.Println("apart:", one[0] != other[0])
	for _, f := range clusterer.(framework.Selector).Features(result.Model) {
		fmt.Println(names[f.Column], f.Selected)
	}
	// Output:
	// together: true true
	// apart: true
	// x true
	// y false
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
