package skfr_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// A run of one iteration makes no copies of rows; the first iteration of a longer one
// must be the same nevertheless.
func TestTheFirstIterationIsTheSameHoweverLongARunMayBe(t *testing.T) {
	for _, k := range []int{6, 20, 130} { // without a filter but for slabs, with one, with groups
		b := blocks{clustertest.Blob{N: 1500, P: 40, Seed: uint64(k)}.Rows()}
		start := make([]int32, b.X.Rows)
		for i := range start {
			start[i] = int32(i % k)
		}
		first := func(most int) []fit.Iteration {
			res := b.run(t, skfr.KMeans{}, k, nil, fit.Start{Labels: start}, func(s *fit.Settings) { s.MaxIter, s.Empty = most, framework.Origin })
			return res.Trace[:1]
		}
		must.Equal(t, first(3)[0], first(1)[0])
	}
}
