package means

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Weighted is k-means with feature weights w that a set T chooses, with its
// penalty h:
//
//	maximise  Σ_l w_l b_l − h(w)  over partitions and w in T
//
// b_l is the sum of squares between the clusters, see Update.Between. It
// alternates k-means on distances Σ_l w_l (x_il − θ_jl)², from the partition as
// it is, until that settles, and the best w for the partition. The objective
// never falls from the first feasible w on. The first round is plain k-means;
// its objective has w_l = 1/√p. The result's w are the best ones for its labels.
//
// With restricted centers θ it is k-means with centers projected onto their set,
// and b_l is less by what they are held off the means, see Restricted.Hold. So
// the criterion is Σ_l w_l (total_l − within_l) − h(w) with within_l about θ, and
// labels, centers and weights are each the best for the other two: it never
// falls either. θ is the best for the labels and w. Where it depends on w, the
// driver projects the centers once more at the end, so that those of the result
// belong to its w; these are the best for the centers before, to which Tol says
// how near they are.
//
// It is a framework.Clusterer, to be returned by an algorithm's New.
type Weighted struct {
	sums      Sums
	k, p      int
	mass      float64 // what gains are divided by
	noise     Noises
	weighting Weighting
	room      *PanelMemory
}

var (
	_ framework.Clusterer = (*Weighted)(nil)
	_ framework.Preparer  = (*Weighted)(nil)
	_ framework.Pather    = (*Weighted)(nil)
)

// NewWeighted returns the clusterer of a problem.
func NewWeighted(p framework.Problem, w Weighting) *Weighted {
	c := &Weighted{sums: NewSums(p), room: NewPanelMemory(p.N, p.P), k: p.K, p: p.P, mass: 1, noise: NoisesOf(p), weighting: w}
	if w.PerRow && p.Mass > 0 {
		c.mass = p.Mass
	}
	return c
}

// WeightedParams returns the parameters that algorithms with Weighted share.
// See Weighting.Stop for their values.
func WeightedParams() []framework.Param {
	return []framework.Param{
		{Name: "weight_tol", Type: framework.RealParam, Default: "1e-4", Min: new(0.0), Max: new(1.0),
			Doc: "weights are at rest when the sum of their changes is at most this part of their sum"},
		{Name: "weight_updates", Type: framework.IntParam, Default: "50", Min: new(1.0),
			Doc: "largest number of updates of the feature weights in a start"},
		{Name: "missing", Type: framework.ChoiceParam, Default: "observed", Choices: []string{"observed", "error"},
			Doc: "missing cells: observed leaves them out of every sum, error refuses them"},
	}
}

// Plan implements framework.Clusterer.
func (c *Weighted) Plan() framework.Plan {
	p := framework.Plan{Stats: c.sums.Declare(), Maximize: true, Monotone: true, Squared: true}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	return p
}

// Begin implements framework.Clusterer.
func (c *Weighted) Begin() *framework.Model {
	m := &framework.Model{Centers: framework.NewMatrix(c.k, c.p)}
	BeginWeights(m, 1/math.Sqrt(float64(c.p)))
	return m
}

// weightedCache is what is kept with a model.
type weightedCache struct {
	centers Centers
	update  Update
	means   framework.Point
	gains   framework.Point
	theta   framework.Matrix // room for restricted centers
}

func weightedCacheOf(m *framework.Model) *weightedCache {
	if m.Cache == nil {
		m.Cache = new(weightedCache)
	}
	return m.Cache.(*weightedCache)
}

// Prepare implements framework.Preparer.
func (c *Weighted) Prepare(m *framework.Model) {
	weightedCacheOf(m).centers.Prepare(m.Centers, Distance{Observed: c.sums.Missing, Weights: UsedWeights(m)})
}

// Grid implements framework.Pather.
func (c *Weighted) Grid(m *framework.Model, n int) []float64 { return c.weighting.Grid(m.Gain, n) }

// Evenly returns n values from first to last, at even distances.
func Evenly(first, last float64, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		part := float64(i) / max(1, float64(n-1))
		grid[i] = float64(first*(1-part)) + float64(last*part)
	}
	return grid
}

// Scratch implements framework.Clusterer.
func (c *Weighted) Scratch(int) framework.Scratch { return c.room.Panel() }

// Assign implements framework.Clusterer.
func (c *Weighted) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	m.Cache.(*weightedCache).centers.Assign(labels, b, s.(*Panel))
	return nil
}

// Collect implements framework.Clusterer.
func (c *Weighted) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

// Update implements framework.Clusterer. The objective is that of the labels and
// the weights, with the best centers for them; it does not depend on the centers
// of the model, but where these are restricted and a cluster has no rows.
func (c *Weighted) Update(_ context.Context, m *framework.Model, s framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	room := weightedCacheOf(m)
	c.sums.Update(&room.update, m.Centers, s)
	u := &room.update
	if room.gains.X.Data == nil {
		room.gains.X = framework.NewMatrix(1, c.p)
	}
	gains := room.gains.X.Data
	u.Between(gains)
	c.noise.Clear(gains)
	step := framework.Step{Mass: u.Mass}
	room.means = framework.Point{X: u.Mean, RowMass: u.Mass}
	if c.weighting.Centers != nil {
		room.means.ColMass = slices.Clone(UsedWeights(m))
		if err := c.weighting.Centers.Hold(gains, u, m, room.means, &room.theta); err != nil {
			return framework.Step{}, err
		}
	}
	for l, w := range m.FeatureWeights {
		gains[l] /= c.mass
		step.Objective += float64(w * gains[l])
	}
	step.Objective -= c.weighting.Set.Penalty(framework.Matrix{Rows: 1, Cols: c.p, Data: m.FeatureWeights})
	step.At[framework.Centers], step.At[framework.FeatureWeights] = &room.means, &room.gains
	return step, nil
}

// Project implements framework.Clusterer.
func (c *Weighted) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		if c.weighting.Centers == nil {
			m.Centers.CopyFrom(at.X)
		} else if err := c.weighting.Centers.Nearest(m.Centers, m, at); err != nil {
			return framework.Outcome{}, err
		}
		m.Round++
		return framework.Outcome{}, nil
	}
	return c.weighting.Project(m, at)
}

// Distances implements framework.Clusterer.
func (c *Weighted) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*weightedCache).centers.Distances(dst, b)
	return nil
}

// Features implements framework.Selector. See Weighting.Features.
func (c *Weighted) Features(m *framework.Model) []framework.Feature { return c.weighting.Features(m) }
