package tune_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// A path makes one fit for each value of a parameter: cut puts the rows 0, 1, 10
// and 11 below the value into one cluster, and the others into another.
func ExamplePath() {
	p := tune.Path{Grid: []float64{0.5, 5, 10.5}, Rows: rows, Threads: 2, Fit: cut}
	points, err := p.Run(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, point := range points {
		fmt.Printf("below %g: %s, explained %.3f\n", point.Value, point.Status(), point.Explained)
	}
	// Output:
	// below 0.5: settled, explained 0.399
	// below 5: settled, explained 0.990
	// below 10.5: settled, explained 0.399
}
