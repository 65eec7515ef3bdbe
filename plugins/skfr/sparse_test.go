package skfr_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

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
