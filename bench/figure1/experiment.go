package main

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// A setting is one place on the horizontal axis of a panel.
type setting struct {
	init    string // "dkmpp" or "seeding"
	kind    string // of pairs: "both", "ml" or "cl"
	percent float64
	runs    int
}

// The methods. Those with pairs depend on the draw.
const (
	lkm       = "LKM"   // k-means
	pckm      = "PCKM"  // with pairs
	skm       = "SKM"   // with feature weights
	pcskmName = "PCSKM" // with both
)

// bounds returns the values of l1_bound that are tried: 1.1, 1.3, … up to √p.
func (d *dataset) bounds() []string {
	var all []string
	for s := 1.1; s <= math.Sqrt(float64(d.problem.P)); s += 0.2 {
		all = append(all, strconv.FormatFloat(s, 'f', 1, 64))
	}
	return all
}

// scores are F-scores of the rows of a fold, by method, bound ("" for methods without
// one), run and fold. NaN: the fit ended with an empty cluster.
type scores map[string]map[string][][folds]float64

// experiment runs all fits of a setting.
func (d *dataset) experiment(ctx context.Context, s setting, workers int) (scores, error) {
	all := scores{}
	for _, method := range []string{lkm, pckm, skm, pcskmName} {
		all[method] = map[string][][folds]float64{}
		bounds := []string{""}
		if method == skm || method == pcskmName {
			bounds = d.bounds()
		}
		for _, b := range bounds {
			all[method][b] = make([][folds]float64, s.runs)
		}
	}
	for _, b := range d.bounds() { // before anything runs at the same time
		if d.sparse[b] == nil {
			labels, err := d.fit(ctx, pcskm.PCSKM{}, b, nil, d.dkm)
			if err != nil {
				return nil, err
			}
			d.sparse[b] = labels
		}
	}
	var wait sync.WaitGroup
	next, failed := make(chan [2]int), make([]error, max(1, workers))
	for worker := range failed {
		wait.Go(func() {
			for draw := range next {
				failed[worker] = cmp.Or(failed[worker], d.fitDraw(ctx, s, draw[0], draw[1], all))
			}
		})
	}
	for run := range s.runs {
		for fold := range folds {
			next <- [2]int{run, fold}
		}
	}
	close(next)
	wait.Wait()
	return all, cmp.Or(failed...)
}

// A oneFit is one of the fits to a draw.
type oneFit struct {
	method, bound string
	algorithm     framework.Algorithm
	links         []framework.Link
}

// fitDraw draws pairs and fits them by all methods.
func (d *dataset) fitDraw(ctx context.Context, s setting, run, fold int, all scores) error {
	links := d.draw(s, run, fold)
	centers := d.dkm
	if s.init == "seeding" {
		var err error
		if centers, err = d.start("seeding", links, uint64(run*folds+fold)); err != nil {
			return err
		}
	}
	for bound, labels := range d.sparse {
		all[skm][bound][run][fold] = d.scoreOf(labels, fold)
	}
	fits := []oneFit{{lkm, "", pcskm.PCKM{}, nil}, {pckm, "", pcskm.PCKM{}, links}}
	for _, b := range d.bounds() {
		fits = append(fits, oneFit{pcskmName, b, pcskm.PCSKM{}, links})
	}
	for _, f := range fits {
		labels, err := d.fit(ctx, f.algorithm, f.bound, f.links, centers)
		if err != nil {
			return err
		}
		all[f.method][f.bound][run][fold] = d.scoreOf(labels, fold)
	}
	return nil
}

// scoreOf is the F-score of the pairs of rows of the fold; NaN without labels.
func (d *dataset) scoreOf(labels []int32, fold int) float64 {
	if labels == nil {
		return math.NaN()
	}
	var classes, clusters []int32
	for i, f := range d.fold {
		if f == fold {
			classes, clusters = append(classes, d.truth[i]), append(clusters, labels[i])
		}
	}
	return score.NewTable(classes, clusters).PairwiseF()
}

// start returns the initial centers of a fit.
func (d *dataset) start(name string, links []framework.Link, draw uint64) (framework.Matrix, error) {
	s, err := seeding.New(name, d.data, seeding.Options{K: d.problem.K, Seed: d.seed + draw, Restarts: 1, Links: links, Threads: 1})
	if err != nil {
		return framework.Matrix{}, err
	}
	centers, _, err := s.Centers(context.Background(), 0, 1)
	return centers, err
}

// fit returns the labels of a fit as in the reference, or nil if a cluster becomes
// empty, at which the reference gives up too.
func (d *dataset) fit(ctx context.Context, a framework.Algorithm, bound string, links []framework.Link,
	centers framework.Matrix) ([]int32, error) {
	given := map[string]string{"box": "origin", "duplicates": "add"}
	if bound != "" {
		given["l1_bound"] = bound
	}
	p := d.problem
	p.Links = links
	var err error
	if p.Params, err = a.Describe().Resolve(given); err != nil {
		return nil, err
	}
	c, err := a.New(p)
	if err != nil {
		return nil, err
	}
	got, err := fit.Run(ctx, c, p, d.data, fit.Start{Centers: &centers}, fit.Settings{
		Init: "dkm++", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Fail, Threads: 1,
	}, nil)
	if f := framework.AsFault(err); f != nil && f.Code == "empty-cluster" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return got.Labels, nil
}
