package transport

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/internal/words"
)

// A Problem asks for a cluster for each row so that the total cost is least and each
// cluster has a number of rows between two bounds.
type Problem struct {
	Rows, Clusters int
	Costs          []float64 // Rows × Clusters, row-major; +Inf: the row must not be in the cluster
	Lo, Hi         []int     // of each cluster; nil: 0, and all rows

	// Of rows of one group, cluster j may have Most[j].
	Group []int32 // of each row, −1: none; nil: there are no groups
	Most  []int   // ≥ 0
}

// Options are how a Problem is solved. They change nothing but the time it takes.
type Options struct {
	Prices  []float64 // of each cluster, of a problem like this one; nil: none
	Threads int       // 0 counts as 1
}

// A Solution of a Problem is unique: see the package comment.
type Solution struct {
	Labels []int32
	Sizes  []int
	Total  float64 // the total cost, rounded once

	// Prices are dual prices, of use for a problem like this one.
	Prices []float64

	// Looser has, for each cluster, how much the total cost would fall if Hi was
	// larger by 1, and Fewer, if Lo was smaller by 1: ≥ 0.
	Looser, Fewer []float64
}

// Infeasible is the error of a problem that has no labels of finite cost. Either one
// row must be in no cluster (Clusters is nil, Row says which), or Clusters are too
// small for the rows that may be nowhere else, or too large for the rows that may be
// there at all.
type Infeasible struct {
	Row      int
	Clusters []int
	Lo       bool // the sum of Lo is above the number of rows that may be there; else: that of Hi is below that of those that must
	Rows     int  // that number
	Bound    int  // that sum

	// Grouped says that the rows are those of one group, and the bound is on them.
	Grouped bool
	Group   int32
}

// Error implements error.
func (e *Infeasible) Error() string {
	switch {
	case e.Clusters == nil:
		return fmt.Sprintf("row %d may be in no cluster", e.Row)
	case e.Grouped:
		return fmt.Sprintf("%s of one value must be in %s, which may have %d of them", words.Plural(e.Rows, "row"), e.where(), e.Bound)
	case e.Lo:
		return fmt.Sprintf("%s %s %s, and %d may be there", e.where(), words.Agreed(len(e.Clusters), "needs", "need"),
			words.Plural(e.Bound, "row"), e.Rows)
	}
	return fmt.Sprintf("%s must be in %s, which may have %d", words.Plural(e.Rows, "row"), e.where(), e.Bound)
}

// shownClusters is how many clusters an error names.
const shownClusters = 10

// where names the clusters.
func (e *Infeasible) where() string {
	var names []string
	for _, j := range e.Clusters[:min(shownClusters, len(e.Clusters))] {
		names = append(names, strconv.Itoa(j))
	}
	if more := len(e.Clusters) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return words.Agreed(len(e.Clusters), "cluster ", "clusters ") + words.Joined(names)
}

// Solve returns the labels of least total cost and, of several, the lowest in
// lexicographic order: those whose first row has the lowest label, and so on. They
// depend on nothing but the problem. The error is an *Infeasible, that of ctx, or one that says which
// cost is NaN, −Inf or above 2^1000. Lengths that do not fit panic.
func Solve(ctx context.Context, p Problem, o Options) (*Solution, error) {
	lo, hi := p.bounds()
	if len(p.Costs) != p.Rows*p.Clusters {
		panic(fmt.Sprintf("transport: %d costs for %d rows and %d clusters", len(p.Costs), p.Rows, p.Clusters))
	}
	p.Lo, p.Hi = lo, hi
	o.Threads = max(o.Threads, 1)
	if err := p.roomy(); err != nil {
		return nil, err
	}
	top, unit, width, err := scale(ctx, o.Threads, p)
	if err != nil {
		return nil, err
	}
	switch {
	case width <= 128:
		return solve[int128](ctx, p, o, top, unit)
	case width <= 256:
		return solve[int256](ctx, p, o, top, unit)
	}
	return solve[int2304](ctx, p, o, top, unit)
}

// bounds returns Lo and Hi between 0 and the number of rows, so far as they are not
// above.
func (p Problem) bounds() (lo, hi []int) {
	lo, hi = make([]int, p.Clusters), slices.Repeat([]int{p.Rows}, p.Clusters)
	if p.Lo != nil {
		copy(lo, p.Lo[:p.Clusters])
	}
	if p.Hi != nil {
		copy(hi, p.Hi[:p.Clusters])
	}
	for j := range lo {
		lo[j], hi[j] = max(lo[j], 0), min(hi[j], p.Rows)
	}
	return lo, hi
}

// roomy returns an error if the bounds contradict each other wherever rows may be.
func (p Problem) roomy() error {
	for j := range p.Lo {
		if p.Lo[j] > p.Hi[j] { // of one cluster
			if p.Hi[j] < 0 {
				return &Infeasible{Clusters: []int{j}, Bound: p.Hi[j]}
			}
			return &Infeasible{Clusters: []int{j}, Lo: true, Bound: p.Lo[j], Rows: p.Hi[j]}
		}
	}
	return nil
}
