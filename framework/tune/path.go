package tune

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// A Fitter makes one fit with a value of the parameter.
type Fitter func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error)

// A Path is the fits over the values of one parameter, in their order.
type Path struct {
	Grid    []float64
	Rows    framework.Rows
	Start   fit.Start // of every point; may be none
	Warm    bool      // points start from the clusters of their neighbours too: see the package comment
	Threads int
	Fit     Fitter

	Looser   framework.Direction // of the values, if known
	Maximize func() bool         // whether objectives are to be large; asked after the first fit; nil: no

	// Clusters, if not 0, is how many clusters a point must have: with fewer, its
	// status is TooFewDistinct. It is for fits that reseed clusters without rows.
	Clusters int
}

// TooFewDistinct is the status of a point whose selected features have fewer
// different rows than there should be clusters.
const TooFewDistinct = "too_few_distinct"

// A Point is what became of one value.
type Point struct {
	Value    float64
	Result   *fit.Result         // nil: Err says why
	Features []framework.Feature // of Result
	Err      error               // a Fault about the data
	WarmFrom float64             // value whose clusters Result started from; NaN: it has a start of its own
	few      bool                // some clusters have no rows

	Explained float64 // part of the total sum of squares between clusters; NaN without labels
	ARI       float64 // adjusted Rand index with the last point before that has labels; NaN without
}

// Labelled reports whether the point has clusters.
func (p *Point) Labelled() bool {
	return p.Result != nil && slices.ContainsFunc(p.Result.Labels, func(j int32) bool { return j >= 0 })
}

// Status says in a word how the point ended: why its fit stopped, or the code
// of its Fault.
func (p *Point) Status() string {
	switch {
	case p.few:
		return TooFewDistinct
	case p.Result != nil:
		return p.Result.Stop
	}
	return framework.AsFault(p.Err).Code
}

// Run fits all points. report, if not nil, is called for each as it ends, and once
// more, with ended = of, for each that its neighbour has made better, from
// one goroutine at a time. A Fault about the data is the end of a point only;
// any other error ends the path. After an error, the points that have ended are
// returned with it, so that they can be kept. It returns ctx.Err() after ctx is
// cancelled. The result does not depend on Threads.
func (p *Path) Run(ctx context.Context, report func(ended, of int, point *Point)) ([]*Point, error) {
	points := make([]*Point, len(p.Grid))
	if report == nil {
		report = func(int, int, *Point) {}
	}
	workers, threads := fit.SideBySide(p.Threads, p.cells())
	var mu sync.Mutex
	ended := 0
	err := parallel.For(ctx, workers, len(points), func(_, i int) error {
		point, err := p.point(ctx, i, p.Start, threads)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		ended++
		points[i] = point
		report(ended, len(points), point)
		return nil
	})
	if err == nil && p.Warm {
		err = p.sweep(ctx, points, report)
	}
	have := make([]*Point, 0, len(points))
	for _, point := range points {
		if point != nil {
			have = append(have, point)
		}
	}
	p.compare(have)
	return have, err
}

func (p *Path) cells() int {
	if p.Rows.Blocks() == 0 {
		return 0
	}
	return p.Rows.Len() * p.Rows.Block(0).X.Cols
}

// point makes one fit.
func (p *Path) point(ctx context.Context, i int, start fit.Start, threads int) (*Point, error) {
	point := &Point{Value: p.Grid[i], WarmFrom: math.NaN(), Explained: math.NaN(), ARI: math.NaN()}
	var err error
	if point.Result, point.Features, err = p.Fit(ctx, p.Grid[i], start, threads); err != nil {
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data {
			return nil, err
		}
		point.Err = err
	}
	if point.Labelled() {
		point.few = p.Clusters > 0 && clusters(point.Result.Labels) < p.Clusters
		point.Explained = score.ExplainedVariance(p.Rows, point.Result.Labels, nil)
	}
	return point, nil
}

// clusters counts the clusters that have rows.
func clusters(labels []int32) int {
	var has []bool
	n := 0
	for _, j := range labels {
		if j < 0 {
			continue
		}
		for int(j) >= len(has) {
			has = append(has, false)
		}
		if !has[j] {
			has[j] = true
			n++
		}
	}
	return n
}

// compare fills in how alike neighbours are.
func (p *Path) compare(points []*Point) {
	var before *Point
	for _, point := range points {
		if !point.Labelled() {
			continue
		}
		if before != nil {
			point.ARI = score.NewTable(before.Result.Labels, point.Result.Labels).ARI()
		}
		before = point
	}
}
