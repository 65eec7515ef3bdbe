// Command again fits the rows of a small design again and again in one process, as programs
// do whose users call a function, and prints the seconds of a fit and its iterations.
//
//	again NAME.npy NAME.labels.npy K SPARSITY
//
// It is SKFR from the labels, to the end, on one thread: the driver and the algorithm of
// sqlcluster fit -a skfr --scale none --start labels, without the command and its process.
// Fits are timed in rounds of 20, each as seeding and iterations, and the median of the
// rounds counts; the first round does not.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/bench/internal/npy"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

const (
	rounds  = 49
	repeats = 20
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("usage: again NAME.npy NAME.labels.npy K SPARSITY")
	}
	k, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	seconds, iterations, err := measure(os.Args[1], os.Args[2], k, os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(seconds, iterations)
}

// measure returns the seconds of a fit and the iterations.
func measure(rows, labels string, k int, sparsity string) (seconds float64, iterations int, err error) {
	x, shape, err := npy.Read(rows)
	if err != nil {
		return 0, 0, err
	}
	of, _, err := npy.Read(labels)
	if err != nil {
		return 0, 0, err
	}
	start := fit.Start{}
	for _, label := range of {
		start.Labels = append(start.Labels, int32(label))
	}
	c, p, data, err := problem(x, shape[0], shape[1], k, sparsity)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = data.Close() }()
	settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Reseed, Threads: 1}
	var of20 []float64
	for range rounds + 1 {
		sum := 0.0
		for range repeats {
			r, err := fit.Run(context.Background(), c, p, data, start, settings, nil)
			if err != nil {
				return 0, 0, err
			}
			sum += r.Seconds.Seeding + r.Seconds.Iterations
			iterations = r.Iterations
		}
		of20 = append(of20, sum/repeats)
	}
	of20 = of20[1:]
	slices.Sort(of20)
	return of20[rounds/2], iterations, nil
}

// problem returns SKFR on these rows, about the means of the columns.
func problem(x []float64, n, features, k int, sparsity string) (framework.Clusterer, framework.Problem, *matrix.Data, error) {
	p := framework.Problem{N: n, P: features, K: k, Mass: float64(n), Seed: 1}
	builder, err := matrix.NewBuilder(features, matrix.Options{RowsHint: n})
	if err != nil {
		return nil, p, nil, err
	}
	cells, err := builder.Extend(n)
	if err != nil {
		return nil, p, nil, err
	}
	copy(cells, x)
	recipe, err := matrix.Learn(builder, make([]string, features), matrix.Scaling{Center: "mean", Scale: "none"})
	if err != nil {
		return nil, p, nil, err
	}
	if p.Columns, err = recipe.Apply(builder); err != nil {
		return nil, p, nil, err
	}
	data, err := builder.Seal()
	if err != nil {
		return nil, p, nil, err
	}
	algorithm := skfr.SKFR{}
	if p.Params, err = algorithm.Describe().Resolve(map[string]string{"sparsity": sparsity}); err != nil {
		return nil, p, nil, err
	}
	c, err := algorithm.New(p)
	return c, p, data, err
}
