package means

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Weighted is k-means with feature weights w that a set T chooses, with its
// penalty h:
//
//	maximise  Σ_l w_l b_l − h(w)  over partitions and w in T
//
// with b_l the sum of squares between the clusters, see Update.Between. Two steps
// alternate: k-means on distances Σ_l w_l (x_il − θ_jl)², from the present partition
// until it settles, and the best w for the partition. The objective never falls from
// the first feasible w on. The first round is plain k-means; its objective has
// w_l = 1/√p. The w of the result are the best ones for its labels.
//
// With restricted centers θ, k-means projects the centers onto their set, and b_l is
// less by what they are held off the means, see Lloyd.Gains. The criterion is then
// Σ_l w_l (total_l − within_l) − h(w) with within_l about θ. It never falls either,
// since each step finds the best labels, centers or weights for the other two. Where
// the best θ depend on w, the driver projects the centers once more at the end, so
// that those of the result belong to its w. These w are the best ones for the
// centers before that; Tol bounds the difference.
//
// It is a framework.Clusterer, to be returned by an algorithm's New.
type Weighted struct {
	*Lloyd
	mass      float64 // what gains are divided by
	noise     Noises
	weighting Weighting
}

var _ framework.Pather = (*Weighted)(nil)

// NewWeighted returns the clusterer of a problem.
func NewWeighted(p framework.Problem, w Weighting) *Weighted {
	c := &Weighted{Lloyd: NewLloyd(p, Squared), mass: 1, noise: NoisesOf(p), weighting: w}
	c.Lloyd.Centers = w.Centers
	if w.PerRow && p.Mass > 0 {
		c.mass = p.Mass
	}
	return c
}

// Plan implements framework.Clusterer.
func (c *Weighted) Plan() framework.Plan {
	p := c.Lloyd.Plan()
	p.Maximize = true
	p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	return p
}

// Begin implements framework.Clusterer.
func (c *Weighted) Begin() *framework.Model {
	m := c.Lloyd.Begin()
	BeginWeights(m, 1/math.Sqrt(float64(c.Problem.P)))
	return m
}

// Grid implements framework.Pather.
func (c *Weighted) Grid(m *framework.Model, n int) []float64 { return c.weighting.Grid(m.Gain, n) }

// Update implements framework.Clusterer. The objective is that of the labels and
// the weights, with the best centers for them. It depends on the model's centers
// only where they are restricted and a cluster has no rows.
func (c *Weighted) Update(
	ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	step, err := c.Lloyd.Update(ctx, m, s, rows, labels)
	if err != nil {
		return step, err
	}
	gains, err := c.Gains(m, c.noise)
	if err != nil {
		return step, err
	}
	step.Objective = 0
	for l, w := range m.FeatureWeights {
		gains[l] /= c.mass
		step.Objective += float64(w * gains[l])
	}
	step.Objective -= c.weighting.Set.Penalty(framework.Matrix{Rows: 1, Cols: len(gains), Data: m.FeatureWeights})
	return step, nil
}

// Project implements framework.Clusterer.
func (c *Weighted) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		return c.Lloyd.Project(m, t, at)
	}
	return c.weighting.Project(m, at)
}

// Features implements framework.Selector. See Weighting.Features.
func (c *Weighted) Features(m *framework.Model) []framework.Feature { return c.weighting.Features(m) }
