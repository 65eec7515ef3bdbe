package main

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// A method is an algorithm with values of its parameters.
type method struct {
	name      string
	algorithm framework.Algorithm
	params    map[string]string
}

var (
	kmeans   = method{"k-means", skfr.KMeans{}, nil}
	kmedians = method{"k-medians", skfr.KMeans{}, map[string]string{"loss": "l1"}}
	skfr1    = method{"SKFR1", skfr.SKFR{}, map[string]string{"sparsity": "10"}}
	skfrL1   = method{"SKFR1, medians", skfr.SKFR{}, map[string]string{"sparsity": "10", "loss": "l1"}}
	skfr2    = method{"SKFR2", skfr.SKFR{}, map[string]string{"sparsity": "10", "scope": "local"}}
	skfrFill = method{"SKFR1, filled in", skfr.SKFR{}, map[string]string{"sparsity": "10", "missing": "kpod"}}
	kpod     = method{"k-pod", skfr.KMeans{}, map[string]string{"missing": "kpod"}}
	// √10 is the sum of ten equal weights, whose squares sum to 1.
	skm1 = method{"SKM", skm.SKM{}, map[string]string{"l1_bound": "3.1622776601683795"}}
)

// An outcome is what a fit of a sample came to.
type outcome struct {
	seconds, iterations float64
	ari                 float64
	positive, negative  float64 // rates of features selected or left out wrongly; NaN if the method or the sample has none
}

// fit fits a sample with starts drawn in the given units.
func (m method) fit(s sample, k int, space string, restarts int, seed uint64) (o outcome, err error) {
	rows, p, err := s.standardised(k)
	if err != nil {
		return o, err
	}
	defer func() { _ = rows.Close() }()
	d := m.algorithm.Describe()
	p.Seed = seed
	if p.Params, err = d.Resolve(m.params); err != nil {
		return o, err
	}
	c, err := m.algorithm.New(p)
	if err != nil {
		return o, err
	}
	got, err := fit.Run(context.Background(), c, p, rows, fit.Start{}, fit.Settings{
		Init: "kmeans++", InitSpace: space, Restarts: restarts, MaxIter: 300, Empty: d.Empty, Threads: 1,
	}, nil)
	if err != nil {
		return o, err
	}
	o = outcome{
		seconds: got.Seconds.Seeding + got.Seconds.Iterations, iterations: float64(got.Iterations),
		ari: score.NewTable(s.classes, got.Labels).ARI(),
	}
	o.positive, o.negative = s.rates(got.Model)
	return o, nil
}

// rates returns which part of the uninformative features is selected, and which part of
// the informative ones is not. A weight selects a feature if it is above 0.1, as in the
// paper.
func (s sample) rates(m *framework.Model) (positive, negative float64) {
	selected := slices.Clone(m.Selected)
	if m.FeatureWeights != nil {
		selected = make([]bool, s.x.Cols)
		for l, w := range m.FeatureWeights {
			selected[l] = w > 0.1
		}
	}
	if len(selected) != s.x.Cols || s.informative == 0 {
		return math.NaN(), math.NaN()
	}
	for l, in := range selected {
		switch {
		case l < s.informative && !in:
			negative++
		case l >= s.informative && in:
			positive++
		}
	}
	return positive / float64(s.x.Cols-s.informative), negative / float64(s.informative)
}
