package pcskm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

func TestAPathGoesFromABoundThatLeavesOutNothingDownToOne(t *testing.T) {
	data := blocks{clustertest.Rows{X: framework.NewMatrix(6, 9), Size: 4}}
	for i := range data.X.Data {
		data.X.Data[i] = float64(i * i % 7)
	}
	run := func(bound string) fitted {
		t.Helper()
		return must.Get(data.run(pcskm.PCSKM{}, 2, nil, map[string]string{"l1_bound": bound}, fit.Start{Rows: []int{0, 1}}, nil))(t)
	}
	grid := run("1").clusterer.(framework.Pather).Grid(nil, 5)
	must.Equal(t, []float64{3, 2.5, 2, 1.5, 1}, grid, cmpopts.EquateApprox(0, 1e-15)) // √9 = 3
	for _, bound := range []string{"3", "1"} {
		if f := run(bound); !f.Converged {
			t.Errorf("a bound of %s of the grid: %s", bound, f.Stop)
		}
	}
	for _, a := range pcskm.Algorithms() {
		if d := a.Describe(); (d.Path != "") != (d.Name == "pcskm") {
			t.Errorf("the path of %s goes over %q", d.Name, d.Path)
		}
	}
}
