package pcskm

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// leastWithin is the least part of a feature's sum of squares that mpckm takes to
// be within clusters.
const leastWithin = 1e-9

// leastSumSq is the sum of squares up to which mpckm takes a feature to be
// constant: the weight of one with less would be near the largest number.
const leastSumSq = 1e-280

// updateMetric completes the step of mpckm: its point is the next metric.
func (c *clusterer) updateMetric(step *framework.Step, m *framework.Model, penalty float64, rows framework.Rows, labels []int32) {
	a := step.At[framework.FeatureWeights].X.Data
	step.Objective = penalty
	for l, col := range c.Problem.Columns {
		// A feature that tells all clusters apart would have infinite weight.
		within := math.Max(leastWithin*col.SumSq, col.SumSq-a[l])
		step.Objective += float64(m.FeatureWeights[l]*within) - c.Problem.Mass*math.Log(m.FeatureWeights[l])
		a[l] = within
	}
	if len(c.links) > 0 {
		c.penalties(a, 1, rows, labels)
	}
	for l, v := range a {
		a[l] = c.weightFor(l, v)
	}
}

// weightFor returns the weight of feature l in the metric, for the sum of its
// squares within clusters and of what broken links cost: n over that, which
// minimises a · sum − n log a under the bound that leastWithin sets; 1 for a
// feature that is constant.
func (c *clusterer) weightFor(l int, sum float64) float64 {
	col := c.Problem.Columns[l]
	if col.Constant() || !(col.SumSq > max(c.noise[l], leastSumSq)) {
		return 1
	}
	return c.Problem.Mass / math.Max(sum, leastWithin*col.SumSq)
}

const (
	// mostTurns is how often centers and metric take turns in one update.
	mostTurns = 1000
	// metricAtRest is the change of a weight, as a part of it, at which they stop.
	metricAtRest = 1e-12
	// objectiveAtRest is what all turns of an update must gain, in units of n·p, or
	// the metric stays as it is. The least squares add up to about n·p.
	objectiveAtRest = 1e-12
)

// turns is room for settleMetric, by feature.
type turns struct {
	free   []float64 // sum of squares about the means
	costs  []float64 // of broken links, at a weight of 1
	within []float64 // sum of squares about centers
	used   []float64 // the metric that the centers are nearest in
	theta  framework.Matrix
}

// settleMetric completes the step of mpckm where the set of centers T ties
// features together, so that which centers are nearest depends on the metric.
// With the labels as they are, it takes turns:
//
//	θ ← argmin over T of Σ_j n_j Σ_l a_l (θ_jl − μ_jl)²,   a_l ← n / (within_l(θ) + costs_l)
//
// Each minimises the objective over what it changes, which so never gets worse.
// The last turn gives the points of the step, each the best for the other.
// The objective is that of the model as it is: labels, centers and metric.
//
// Turns may converge very slowly. After mostTurns, the next update goes on with
// them, unless all of them together have gained nothing: then the metric stays as
// it is, and counts as being at rest.
func (c *clusterer) settleMetric(
	ctx context.Context, step *framework.Step, m *framework.Model, penalty float64, rows framework.Rows, labels []int32,
) error {
	t, u, a := &cacheOf(m).turns, &means.CacheOf(m).Update, step.At[framework.FeatureWeights].X.Data
	if t.free == nil {
		p := c.Problem.P
		t.free, t.costs, t.within, t.used = make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
		t.theta = framework.NewMatrix(c.Problem.K, p)
	}
	u.Between(t.free)
	for l, b := range t.free {
		t.free[l] = math.Max(0, c.Problem.Columns[l].SumSq-b)
	}
	clear(t.costs)
	if len(c.links) > 0 {
		c.penalties(t.costs, 1, rows, labels)
	}
	t.about(u, m.Centers)
	step.Objective = penalty
	for l, w := range m.FeatureWeights {
		step.Objective += float64(w*t.within[l]) - float64(c.Problem.Mass*math.Log(w))
	}

	at := step.At[framework.Centers]
	at.ColMass = slices.Clone(means.UsedWeights(m))
	copy(a, m.FeatureWeights)
	first := 0.0
	for turn := range mostTurns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.Centers.Nearest(t.theta, m, *at); err != nil {
			return err
		}
		t.about(u, t.theta)
		value := t.value(a, c.Problem.Mass)
		if turn == 0 {
			first = value
		} else if turn == mostTurns-1 && first-value <= objectiveAtRest*c.Problem.Mass*float64(len(a)) {
			copy(a, m.FeatureWeights)
			at.ColMass = slices.Clone(means.UsedWeights(m))
			break
		}
		copy(t.used, a)
		for l, v := range t.within {
			a[l] = c.weightFor(l, v+t.costs[l])
		}
		if apart(a, t.used) <= metricAtRest {
			break
		}
		if turn < mostTurns-1 {
			at.ColMass = append(at.ColMass[:0], a...)
		}
	}
	return nil
}

// about sets within to the sums of squares about centers.
func (t *turns) about(u *means.Update, theta framework.Matrix) {
	copy(t.within, t.free)
	for j, n := range u.Mass {
		mean := u.Mean.Row(j)
		for l, v := range theta.Row(j) {
			d := v - mean[l]
			t.within[l] += float64(n * float64(d*d))
		}
	}
}

// value returns the objective of a metric with these sums.
func (t *turns) value(a []float64, mass float64) (sum float64) {
	for l, w := range a {
		sum += float64(w*float64(t.within[l]+t.costs[l])) - float64(mass*math.Log(w))
	}
	return sum
}

// apart returns the largest change of a weight, as a part of it.
func apart(a, b []float64) (most float64) {
	for l, w := range a {
		most = math.Max(most, math.Abs(w-b[l])/w)
	}
	return most
}
