package skfr_test

import (
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// Bounds of the first pass last where it has the columns of later ones. How rows are labelled
// after that, as by predictions, depends on the centers alone.
func TestColumnsWithoutACenterAreMeasuredWithAStartAlone(t *testing.T) {
	for name, algorithm := range map[string]framework.Algorithm{"kmeans": skfr.KMeans{}, "skfr, local": skfr.SKFR{}} {
		params := map[string]string{}
		if name != "kmeans" {
			params = map[string]string{"sparsity": "2", "scope": "local"}
		}
		p := framework.Problem{N: 3, P: 4, K: 2, Mass: 3, Columns: make([]framework.Column, 4)}
		p.Columns[0].Max, p.Columns[1].Min = 1, -1 // other cells are 0
		p.Params = must.Get(algorithm.Describe().Resolve(params))(t)
		c := must.Get(algorithm.New(p))(t)
		m := c.Begin()
		m.Centers.Row(0)[1] = 1
		for round, want := range [][]int{{0, 1}, {1}} {
			m.Round = round
			c.(framework.Preparer).Prepare(m)
			if got := means.CacheOf(m).Centers.Columns(); !slices.Equal(got, want) {
				t.Errorf("%s, round %d: columns %v, want %v", name, round, got, want)
			}
		}
	}
}
