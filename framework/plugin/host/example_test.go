package host_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// A fit in the process of a plugin. The plugin is this test program itself, which
// serves an algorithm called toy when its arguments say so.
func Example() {
	ctx := context.Background()
	path, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	process, err := host.Launch(ctx, host.Program{Path: path, Args: []string{"role", "plugin"}}, host.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = process.Close() }()
	descriptions, err := process.Describe(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("serves", descriptions[0].Name)

	rows, err := fourRows()
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	session, err := process.Bind(ctx, "toy", framework.Problem{
		N: 4, P: 1, K: 2, Mass: 4, Seed: 1, Columns: []framework.Column{{Name: "x", Scale: 1, Mass: 4}},
		Params: framework.Params{"trouble": "none", "rows": false, "count": 1},
	}, rows)
	if err != nil {
		log.Fatal(err)
	}
	result, err := session.Fit(ctx, fit.Start{Rows: []int{0, 2}}, fit.Settings{
		Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 10, Empty: framework.Reseed, Threads: 1,
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("labels", result.Labels)
	// Output:
	// serves toy
	// labels [0 0 1 1]
}

// fourRows are 0, 1, 8 and 9, in memory that the process of a plugin can map.
func fourRows() (*matrix.Data, error) {
	b, err := matrix.NewBuilder(1, matrix.Options{RowsHint: 4})
	if err != nil {
		return nil, err
	}
	x, err := b.Extend(4)
	if err != nil {
		return nil, err
	}
	copy(x, []float64{0, 1, 8, 9})
	return b.Seal()
}
