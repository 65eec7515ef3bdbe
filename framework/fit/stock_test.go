package fit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAFitIsTheSameOfWhateverMemoryAndLeavesNoStockAfterItsFirstIterations(t *testing.T) {
	defer ram.ClearStock()
	var rows line
	for i := range 20_000 {
		rows = append(rows, float64(i%97)+float64(i%1009)/64)
	}
	fitted := func() *fit.Result { return must.Get(runToy(toy{}, rows, halves(rows), settings()))(t) }
	want := fitted()
	if want.Iterations < 4 {
		t.Fatalf("it has settled after %d iterations", want.Iterations)
	}
	for _, stocked := range []int64{1, 100_000, 1 << 20, 1 << 24} {
		ram.StockUp(t.Context(), int64(len(rows))*4, stocked)
		must.Equal(t, want, fitted(), clustertest.Bitwise, cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"))
		if left := ram.Stocked(); left > 0 {
			t.Errorf("%d bytes of a stock of %d are left", left, stocked)
		}
	}
}
