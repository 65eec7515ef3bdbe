package skm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

func TestSparseRowsGiveWhatTheirCellsGive(t *testing.T) {
	clustertest.SparseAsDense(t, skm.SKM{}, 100, func(r *rand.Rand, p int) map[string]string {
		return map[string]string{"l1_bound": fmt.Sprint(1 + r.Float64()*(math.Sqrt(float64(p))-1))}
	}, false)
}
