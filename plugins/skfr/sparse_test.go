package skfr_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// Each row has a point in time, in seconds, beside words; without centering, it is far
// from 0 in the fitted space, too.
func TestAColumnFarFromZeroTakesNoDigitsFromTheOthers(t *testing.T) {
	for _, share := range []float64{1, 0.6, 0.4} {
		r := rand.New(rand.NewPCG(3, uint64(10*share)))
		table := clustertest.SparseTable{X: framework.NewMatrix(300, 7)}
		start := fit.Start{Labels: make([]int32, 300)}
		for i := range 300 {
			for l := range 6 {
				table.X.Row(i)[l] = float64(r.IntN(1000)) / 100
				if i%3 == l%3 {
					table.X.Row(i)[l] += 5
				}
			}
			if r.Float64() < share {
				table.X.Row(i)[6] = 1.7e9
			}
			start.Labels[i] = int32(r.IntN(3))
		}
		var both [2]*fit.Result
		for i, sparse := range []bool{false, true} {
			data, p := table.Prepared(t, matrix.Scaling{Center: "none", Scale: "none"}, sparse)
			p.K, p.Params = 3, must.Get(skfr.KMeans{}.Describe().Resolve(nil))(t)
			c := must.Get(skfr.KMeans{}.New(p))(t)
			s := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 100, Empty: framework.Reseed, Threads: 1}
			both[i] = must.Get(fit.Run(t.Context(), c, p, data, start, s, nil))(t)
		}
		if share == 1 { // else the first centers are between 0 and then, and words are less than the rounding of either
			must.Equal(t, both[0].Labels, both[1].Labels)
		}
		for at, it := range both[1].Trace {
			if at > 0 && it.Objective > both[1].Trace[at-1].Objective*(1+1e-9) {
				t.Errorf("share %v: the objective rises from %v to %v", share, both[1].Trace[at-1].Objective, it.Objective)
			}
		}
	}
}

func TestSparseRowsGiveWhatTheirCellsGive(t *testing.T) {
	t.Run("kmeans", func(t *testing.T) {
		clustertest.SparseAsDense(t, skfr.KMeans{}, 100, func(*rand.Rand, int) map[string]string { return nil }, false)
	})
	for _, scope := range []string{"global", "local"} {
		t.Run(scope, func(t *testing.T) {
			clustertest.SparseAsDense(t, skfr.SKFR{}, 100, func(r *rand.Rand, p int) map[string]string {
				return map[string]string{"scope": scope, "sparsity": strconv.Itoa(1 + r.IntN(p))}
			}, false)
		})
	}
}
