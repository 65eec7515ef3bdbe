package suggest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/suggest"
)

// Rows 0 and 1 are known to belong apart. Where does the row that is farthest from
// both belong?
func Example() {
	rows := matrix.FromMatrix(framework.Matrix{Rows: 5, Cols: 1, Data: []float64{0, 10, 1, 11, 30}}, nil, 0)
	known := []framework.Link{{A: 0, B: 1, Cannot: true, Weight: 1}}
	pairs, err := suggest.Pairs(context.Background(), rows, suggest.Options{K: 3, Count: 2, Method: suggest.MinMax, Links: known, Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pairs {
		fmt.Println("do rows", p.A, "and", p.B, "belong together?")
	}
	// Output:
	// do rows 4 and 1 belong together?
	// do rows 4 and 0 belong together?
}
