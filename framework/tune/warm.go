package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// sweep goes up and down the values, and starts each point from the clusters of
// the neighbour that it comes from too, until no point gets better. What is kept
// of a point is the best of its fits, the first of equals.
func (p *Path) sweep(ctx context.Context, points []*Point, report func(int, int, *Point)) error {
	up := p.byValue()
	down := slices.Clone(up)
	slices.Reverse(down)
	ways := []way{{order: up}, {order: down}}
	for i := range ways {
		ways[i].tried = make([]*fit.Result, len(points))
	}
	for better := true; better; {
		better = false
		for _, w := range ways {
			from := -1 // the last point that has clusters
			for _, i := range w.order {
				if from >= 0 && w.tried[i] != points[from].Result && p.mayHelp(points[from], points[i]) {
					w.tried[i] = points[from].Result
					warm, err := p.point(ctx, i, goOn(points[from].Result), p.Threads)
					if err != nil {
						return err
					}
					if warm.Result != nil && (points[i].Result == nil || p.better(warm.Result, points[i].Result, 1e-12)) {
						warm.WarmFrom, points[i], better = points[from].Value, warm, true
						report(len(points), len(points), warm)
					}
				}
				if points[i].Labelled() {
					from = i
				}
			}
		}
	}
	return nil
}

// goOn returns the start that goes on from a result.
func goOn(r *fit.Result) fit.Start {
	return fit.Start{Labels: r.Labels, Centers: &r.Model.Centers, Settled: true}
}

// A way through the values.
type way struct {
	order []int
	tried []*fit.Result // by point: the neighbour's result that it last started from
}

// byValue returns the numbers of the points, by value, equal ones by number.
func (p *Path) byValue() []int {
	order := make([]int, len(p.Grid))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.Grid[i], p.Grid[j]) })
	return order
}

// mayHelp reports whether the clusters of one point can make another better: they
// are others, or the other should be as good and is not.
func (p *Path) mayHelp(from, to *Point) bool {
	if to.Result == nil || !slices.Equal(from.Result.Labels, to.Result.Labels) {
		return true
	}
	return p.mustReach(to.Value, from.Value) && p.better(from.Result, to.Result, 1e-12)
}

// mustReach reports whether the best objective with a value is at least as good as
// that with another.
func (p *Path) mustReach(value, other float64) bool {
	switch p.Looser {
	case framework.Up:
		return value >= other
	case framework.Down:
		return value <= other
	}
	return value == other
}

// better reports whether a result is better than another by more than a part of
// the larger objective.
func (p *Path) better(a, b *fit.Result, part float64) bool {
	gain := b.Objective - a.Objective
	if p.Maximize != nil && p.Maximize() {
		gain = -gain
	}
	return gain > float64(part*math.Max(math.Abs(a.Objective), math.Abs(b.Objective)))
}

// A Gap is a point whose objective is worse than it can be: what another point
// found is open to it, too.
type Gap struct{ Point, Than *Point }

// Gaps returns the points that a longer search would make better, in the order of
// the points: each with the best of those that it should be as good as.
// Differences of a part of 1e-9 of the largest objective of the path are rounding.
func (p *Path) Gaps(points []*Point) []Gap {
	largest := 0.0
	for _, point := range points {
		if point.Result != nil {
			largest = max(largest, math.Abs(point.Result.Objective))
		}
	}
	var gaps []Gap
	for _, point := range points {
		if point.Result == nil {
			continue
		}
		best := point
		for _, other := range points {
			if other.Result != nil && p.mustReach(point.Value, other.Value) && p.better(other.Result, best.Result, 0) {
				best = other
			}
		}
		if math.Abs(best.Result.Objective-point.Result.Objective) > float64(1e-9*largest) {
			gaps = append(gaps, Gap{point, best})
		}
	}
	return gaps
}
