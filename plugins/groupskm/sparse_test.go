package groupskm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
)

func TestSparseRowsGiveWhatTheirCellsGive(t *testing.T) {
	clustertest.SparseAsDense(t, groupskm.GroupSKM{}, 100, func(r *rand.Rand, _ int) map[string]string {
		return map[string]string{"lambda": fmt.Sprint(0.3 * r.Float64())}
	}, false)
}
