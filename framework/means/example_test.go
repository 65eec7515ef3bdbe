package means_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// Whole is k-means with centers that are whole numbers.
type Whole struct{}

func (Whole) Describe() framework.Description {
	return framework.Description{
		Name: "whole", Version: "1.0.0", Summary: "k-means with centers that are whole numbers", Paper: "none",
		Empty: framework.Reseed, Scale: "raw",
	}
}

func (Whole) New(p framework.Problem) (framework.Clusterer, error) {
	return whole{means.NewLloyd(p, means.Squared)}, nil
}

// whole differs from k-means in one step.
type whole struct{ *means.Lloyd }

// Project rounds the means: of all whole numbers, these are the best centers.
func (whole) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	for i, v := range at.X.Data {
		m.Centers.Data[i] = math.Round(v)
	}
	m.Round++
	return framework.Outcome{}, nil
}

// A method that is like k-means embeds Lloyd, and writes the steps in which it
// differs. See package plugin for how to serve it to sqlcluster.
func ExampleLloyd() {
	b, err := matrix.NewBuilder(1, matrix.Options{})
	check(err)
	cells, err := b.Extend(6)
	check(err)
	copy(cells, []float64{0.9, 1.2, 1.3, 4.6, 5.1, 4.9})
	recipe, err := matrix.Learn(b, []string{"x"}, matrix.Scaling{Center: "none", Scale: "none"})
	check(err)
	columns, err := recipe.Apply(b)
	check(err)
	rows, err := b.Seal()
	check(err)
	defer func() { _ = rows.Close() }()

	problem := framework.Problem{N: 6, P: 1, K: 2, Mass: 6, Columns: columns, Seed: 1}
	session, err := fit.Here(Whole{}).Bind(context.Background(), "whole", problem, rows)
	check(err)
	start := fit.Start{Labels: []int32{0, 1, 1, 1, 1, 1}}
	result, err := session.Fit(context.Background(), start, fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1,
		MaxIter: 100, Empty: framework.Reseed}, nil)
	check(err)
	fmt.Println("labels", result.Labels)
	fmt.Println("centers", result.Model.Centers.Data)
	fmt.Printf("objective %.2f\n", result.Objective)
	// Output:
	// labels [0 0 0 1 1 1]
	// centers [1 5]
	// objective 0.32
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
