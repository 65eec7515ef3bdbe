package host_test

import (
	"context"
	"fmt"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The plugin is this test program itself, which serves an algorithm called toy
// when its arguments say so.
func Example() {
	path, _ := os.Executable()
	labels, err := cluster(context.Background(), host.Program{Path: path, Args: []string{"role", "plugin"}})
	fmt.Println(labels, err)
	// Output: [0 0 1 1] <nil>
}

// cluster starts a plugin, and has it find two clusters of the rows 0, 1, 8 and 9.
func cluster(ctx context.Context, program host.Program) ([]int32, error) {
	process, err := host.Launch(ctx, program, host.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = process.Close() }()
	b, err := matrix.NewBuilder(1, matrix.Options{})
	if err != nil {
		return nil, err
	}
	x, err := b.Extend(4)
	if err != nil {
		return nil, err
	}
	copy(x, []float64{0, 1, 8, 9})
	rows, err := b.Seal()
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	problem := framework.Problem{
		N: 4, P: 1, K: 2, Mass: 4, Seed: 1, Columns: []framework.Column{{Name: "x", Scale: 1, Mass: 4}},
		Params: framework.Params{"trouble": "none", "rows": false, "count": 1},
	}
	session, err := process.Bind(ctx, "toy", problem, rows)
	if err != nil {
		return nil, err
	}
	settings := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 10, Empty: framework.Reseed, Threads: 1}
	result, err := session.Fit(ctx, fit.Start{Rows: []int{0, 2}}, settings, nil)
	if err != nil {
		return nil, err
	}
	return result.Labels, nil
}
