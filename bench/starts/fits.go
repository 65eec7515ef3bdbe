package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// restarts is the number of starts of a fit: the default of --restarts.
const restarts = 10

// A candidate is an algorithm with parameter values.
type candidate struct {
	name      string
	algorithm framework.Algorithm
	params    map[string]string
}

// algorithms returns the candidates for data of p columns.
func algorithms(p int) []candidate {
	all := []candidate{{"kmeans", skfr.KMeans{}, nil}}
	before := 0
	for _, part := range []struct {
		name string
		of   float64
	}{{"skfr 1/8", 0.125}, {"skfr 1/4", 0.25}, {"skfr 1/2", 0.5}} {
		if s := int(math.Ceil(part.of * float64(p))); s > before && s < p {
			all = append(all, candidate{part.name, skfr.SKFR{}, map[string]string{"sparsity": fmt.Sprint(s)}})
			before = s
		}
	}
	bound := fmt.Sprint(max(1, math.Sqrt(float64(p))/2))
	return append(all,
		candidate{"skm", skm.SKM{}, map[string]string{"l1_bound": bound}},
		candidate{"groupskm", groupskm.GroupSKM{}, map[string]string{"lambda": "0.1"}},
		candidate{"pcskm", pcskm.PCSKM{}, map[string]string{"l1_bound": bound}},
	)
}

// A comparison is one problem with the objectives from all starts, by the units in
// which the starts are made. Lower is better.
type comparison struct {
	kind, data, algorithm string
	k                     int
	seed                  uint64
	raw, fitted           []float64 // by start
}

// compare runs both fits.
func (a candidate) compare(ctx context.Context, p framework.Problem, rows framework.Rows) (comparison, error) {
	c := comparison{algorithm: a.name, k: p.K, seed: p.Seed}
	d := a.algorithm.Describe()
	var err error
	if p.Params, err = d.Resolve(a.params); err != nil {
		return c, err
	}
	for space, to := range map[string]*[]float64{fit.Raw: &c.raw, fit.Fitted: &c.fitted} {
		clusterer, err := a.algorithm.New(p)
		if err != nil {
			return c, err
		}
		got, err := fit.Run(ctx, clusterer, p, rows, fit.Start{}, fit.Settings{
			Init: "kmeans++", InitSpace: space, Restarts: restarts, MaxIter: 300, Empty: d.Empty, Threads: 1,
		}, nil)
		if err != nil {
			return c, err
		}
		*to = make([]float64, restarts)
		for _, it := range got.Trace { // the last iteration of a start is what it came to
			(*to)[it.Restart] = it.Objective
			if clusterer.Plan().Maximize {
				(*to)[it.Restart] = -it.Objective
			}
		}
	}
	return c, nil
}

// The policies: in which units the starts of a fit are made.
const (
	rawOnly = iota
	fittedOnly
	both // starts 0, 2, … fitted, 1, 3, … raw
	policies
)

// best returns the objective that each policy reaches with the given number of
// starts, from start number first on.
func (c comparison) best(first, starts int) (of [policies]float64) {
	for i := range of {
		of[i] = math.Inf(1)
	}
	for t := range starts {
		r, f := c.raw[first+t], c.fitted[first+t]
		of[rawOnly], of[fittedOnly] = min(of[rawOnly], r), min(of[fittedOnly], f)
		if t%2 == 0 {
			of[both] = min(of[both], f)
		} else {
			of[both] = min(of[both], r)
		}
	}
	return of
}
