package pcskm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

func TestSparseRowsGiveWhatTheirCellsGive(t *testing.T) {
	t.Run("pcskm", func(t *testing.T) {
		clustertest.SparseAsDense(t, pcskm.PCSKM{}, 100, func(r *rand.Rand, p int) map[string]string {
			return map[string]string{"l1_bound": fmt.Sprint(1 + r.Float64()*(math.Sqrt(float64(p))-1))}
		}, true)
	})
	none := func(*rand.Rand, int) map[string]string { return nil }
	t.Run("pckm", func(t *testing.T) { clustertest.SparseAsDense(t, pcskm.PCKM{}, 100, none, true) })
	t.Run("mpckm", func(t *testing.T) { clustertest.SparseAsDense(t, pcskm.MPCKM{}, 60, none, true) })
}
