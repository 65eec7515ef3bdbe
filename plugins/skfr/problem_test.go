package skfr_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
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

// problem describes the rows to a clusterer.
func (b blocks) problem(k int) framework.Problem {
	p := framework.Problem{N: b.X.Rows, P: b.X.Cols, K: k, Seed: 1, Weighted: b.Weights != nil, Columns: make([]framework.Column, b.X.Cols)}
	each := func(add func(c *framework.Column, w, v float64)) {
		for i := range b.X.Rows {
			for l, v := range b.X.Row(i) {
				add(&p.Columns[l], b.Block(i/b.Size).Weight(i%b.Size), v)
			}
		}
	}
	each(func(c *framework.Column, w, v float64) {
		if c.Scale = 1; v != v {
			c.Missing++
			return
		}
		c.Mass, c.Mean = c.Mass+w, c.Mean+w*v
		c.Min, c.Max = min(c.Min, v), max(c.Max, v)
	})
	rest := map[*framework.Column]float64{} // what rounding has left out of the mean
	for l := range p.Columns {
		if c := &p.Columns[l]; c.Mass > 0 {
			c.Mean /= c.Mass
		}
	}
	each(func(c *framework.Column, w, v float64) {
		if v == v {
			rest[c] += w * (v - c.Mean)
		}
	})
	for c, r := range rest {
		if c.Mass > 0 {
			c.Mean += r / c.Mass
		}
	}
	each(func(c *framework.Column, w, v float64) {
		if v == v {
			c.SumSq += w * (v - c.Mean) * (v - c.Mean)
		}
	})
	for i := range b.X.Rows {
		p.Mass += b.Block(i / b.Size).Weight(i % b.Size)
	}
	return p
}

// fitted is one finished run.
type fitted struct {
	*fit.Result
	problem   framework.Problem
	clusterer framework.Clusterer
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

// run fits with the parameters given as text.
func (b blocks) run(t fataler, a framework.Algorithm, k int, params map[string]string, start fit.Start, change func(*fit.Settings)) fitted {
	t.Helper()
	values := must.Get(a.Describe().Resolve(params))(t)
	p := b.problem(k)
	p.Params = values
	c := must.Get(a.New(p))(t)
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 100, Empty: framework.Origin, Threads: 1}
	if change != nil {
		change(&s)
	}
	res := must.Get(fit.Run(context.Background(), c, p, b, start, s, nil))(t)
	return fitted{res, p, c}
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
		"skfr/local/l1":   {skfr.SKFR{}, sparse("scope", "local", "loss", "l1"), true, framework.Reseed},
	}
}

func init() { clustertest.FewDraws() }

func eachVariant(t *testing.T, law func(t *rapid.T, v variant)) {
	for name, v := range variants() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, v) })
		})
	}
}
