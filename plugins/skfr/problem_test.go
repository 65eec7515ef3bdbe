package skfr_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// blocks are rows in blocks of a given number.
type blocks struct{ clustertest.Rows }

// drawBlocks draws n rows on an integer grid, where ties and equal rows are
// frequent, with columns of sum 0 as far as that goes.
func drawBlocks(t *rapid.T, n, p int, missing bool) blocks {
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
	for i := range b.X.Data {
		b.X.Data[i] = float64(rapid.IntRange(-3, 3).Draw(t, "cell"))
		if missing && rapid.IntRange(0, 4).Draw(t, "hole") == 0 {
			b.X.Data[i] = math.NaN()
		}
	}
	return b
}

// run fits with the parameters given as text.
func (b blocks) run(
	t clustertest.T, a framework.Algorithm, k int, params map[string]string, start fit.Start, change func(*fit.Settings),
) clustertest.Fitted {
	t.Helper()
	return b.Fit(t, a, b.Problem(k), params, start, func(s *fit.Settings) {
		if s.MaxIter, s.Empty = 100, framework.Origin; change != nil {
			change(s)
		}
	})
}

func drawLabels(t *rapid.T, n, k int) fit.Start {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(rapid.IntRange(0, k-1).Draw(t, "label"))
	}
	return fit.Start{Labels: labels}
}

// variant is one way to run the algorithm.
type variant struct {
	algorithm framework.Algorithm
	params    map[string]string
	missing   bool // the data may have missing cells
	empty     framework.EmptyPolicy
}

func variants() map[string]variant {
	sparse := func(more ...string) map[string]string {
		m := map[string]string{"sparsity": "2"}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	pairs := grouped{skfr.SKFR{}, everyOther}
	one := func(params map[string]string) map[string]string {
		params["sparsity"] = "1"
		return params
	}
	return map[string]variant{
		"groups":          {pairs, one(sparse()), false, framework.Origin},
		"groups/observed": {pairs, one(sparse()), true, framework.Reseed},
		"groups/kpod":     {pairs, one(sparse("missing", "kpod")), true, framework.Origin},
		"groups/l1":       {pairs, one(sparse("loss", "l1")), true, framework.Origin},
		"groups/local":    {pairs, one(sparse("scope", "local")), true, framework.Origin},
		"kmeans":          {skfr.KMeans{}, nil, false, framework.Origin},
		"kmeans/reseed":   {skfr.KMeans{}, nil, false, framework.Reseed},
		"kmeans/observed": {skfr.KMeans{}, nil, true, framework.Reseed},
		"kmeans/kpod":     {skfr.KMeans{}, map[string]string{"missing": "kpod"}, true, framework.Origin},
		"kmeans/l1":       {skfr.KMeans{}, map[string]string{"loss": "l1"}, true, framework.Origin},
		"skfr/global":     {skfr.SKFR{}, sparse(), false, framework.Origin},
		"skfr/reseed":     {skfr.SKFR{}, sparse(), false, framework.Reseed},
		"skfr/observed":   {skfr.SKFR{}, sparse(), true, framework.Origin},
		"skfr/kpod":       {skfr.SKFR{}, sparse("missing", "kpod"), true, framework.Origin},
		"skfr/l1":         {skfr.SKFR{}, sparse("loss", "l1"), true, framework.Origin},
		"skfr/local":      {skfr.SKFR{}, sparse("scope", "local"), false, framework.Origin},
		"skfr/local/kpod": {skfr.SKFR{}, sparse("scope", "local", "missing", "kpod"), true, framework.Origin},
		"spherical":       {skfr.Spherical{}, nil, false, framework.Reseed},
		"skfr/local/l1":   {skfr.SKFR{}, sparse("scope", "local", "loss", "l1"), true, framework.Reseed},
	}
}

func init() { clustertest.FewDraws() }

// eachVariant checks a law for the variants with these names, or for all.
func eachVariant(t *testing.T, law func(t *rapid.T, v variant), names ...string) {
	for name, v := range variants() {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, v) })
		})
	}
}
