package pcskm

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// clusterer is k-means with links; with sparse it is pcskm, with metric mpckm.
type clusterer struct {
	problem framework.Problem
	sums    means.Sums
	room    *means.PanelMemory
	ranges  []float64 // R_l
	noise   means.Noises
	sparse  *sparse
	metric  bool
	centers *means.Restricted // nil: centers are means
	tied    bool              // which centers are nearest depends on the metric of mpckm

	links   []framework.Link // merged; none is there twice
	place   []int            // of each of the problem's links
	graph   *links.Graph
	keeping []int32 // by unit: clusters that keep all hard links
	halves  halves
}

// sparse says how pcskm chooses feature weights.
type sparse struct {
	means.Weighting
	penalty bool // of broken links is taken from the gains
}

var (
	_ framework.Clusterer = (*clusterer)(nil)
	_ framework.Preparer  = (*clusterer)(nil)
	_ framework.Linker    = (*clusterer)(nil)
	_ framework.Selector  = selecting{}
	_ framework.Pather    = bounded{}
)

// Plan implements framework.Clusterer.
func (c *clusterer) Plan() framework.Plan {
	linked := len(c.links) > 0
	p := framework.Plan{
		Stats: c.sums.Declare(), Maximize: c.sparse != nil, Squared: true,
		NeedsRows: linked, Linked: linked, Fresh: true, Passes: c.problem.Params.Int("passes"),
	}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	switch {
	case c.sparse != nil:
		p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	case c.metric:
		p.Cadence[framework.FeatureWeights] = framework.EveryUpdate
	}
	return p
}

// Begin implements framework.Clusterer.
func (c *clusterer) Begin() *framework.Model {
	m := &framework.Model{Centers: framework.NewMatrix(c.problem.K, c.problem.P)}
	if c.sparse == nil && !c.metric {
		return m
	}
	first := 1.0
	if c.sparse != nil {
		first = 1 / math.Sqrt(float64(c.problem.P))
	}
	means.BeginWeights(m, first)
	return m
}

// cache is what is kept with a model.
type cache struct {
	centers means.Centers
	update  means.Update
	means   framework.Point
	gains   framework.Point
	pairs   pairs
	theta   framework.Matrix // room for restricted centers
	turns   turns
}

func cacheOf(m *framework.Model) *cache {
	if m.Cache == nil {
		m.Cache = new(cache)
	}
	return m.Cache.(*cache)
}

// Prepare implements framework.Preparer.
func (c *clusterer) Prepare(m *framework.Model) {
	cacheOf(m).centers.Prepare(m.Centers, means.Distance{Weights: means.UsedWeights(m)})
}

// scratch is what is kept of one block.
type scratch struct {
	panel  *means.Panel
	labels []int32 // room for those before
}

// Scratch implements framework.Clusterer.
func (c *clusterer) Scratch(int) framework.Scratch { return &scratch{panel: c.room.Panel()} }

// Assign implements framework.Clusterer. It leaves linked rows as they are.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	room := s.(*scratch)
	room.labels = append(room.labels[:0], labels...)
	m.Cache.(*cache).centers.Assign(labels, b, room.panel)
	if c.graph == nil {
		return nil
	}
	for i, u := range c.graph.Of[b.Row0 : b.Row0+len(labels)] {
		if u >= 0 {
			labels[i] = room.labels[i]
		}
	}
	return nil
}

// Collect implements framework.Clusterer.
func (c *clusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

// Update implements framework.Clusterer. It needs rows where there are links.
func (c *clusterer) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32) (framework.Step, error) {
	room := cacheOf(m)
	u := &room.update
	c.sums.Update(u, m.Centers, s)
	room.means = framework.Point{X: u.Mean, RowMass: u.Mass}
	if c.centers != nil {
		room.means.ColMass = slices.Clone(means.UsedWeights(m))
	}
	step := framework.Step{Objective: u.Objective, Mass: u.Mass}
	step.At[framework.Centers] = &room.means
	if m.FeatureWeights != nil {
		if room.gains.X.Data == nil {
			room.gains.X = framework.NewMatrix(1, c.problem.P)
		}
		step.At[framework.FeatureWeights] = &room.gains
	}
	if m.FeatureWeights != nil && !c.tied {
		if err := c.between(room, m); err != nil {
			return framework.Step{}, err
		}
	}
	penalty := 0.0
	if len(c.links) > 0 {
		room.pairs.measure(c, means.UsedWeights(m), rows)
		penalty = c.penalty(&room.pairs, labels)
	}
	switch {
	case c.sparse != nil:
		c.gains(&step, m, penalty, rows, labels)
	case c.tied:
		return step, c.settleMetric(ctx, &step, m, penalty, rows, labels)
	case c.metric:
		c.updateMetric(&step, m, penalty, rows, labels)
	default:
		step.Objective += penalty
	}
	return step, nil
}

// between writes to the gains the sums of squares between the clusters, less
// what is lost where centers are held off the means. For pcskm, those that
// rounding has left are 0.
func (c *clusterer) between(room *cache, m *framework.Model) error {
	b := room.gains.X.Data
	room.update.Between(b)
	if c.sparse != nil {
		c.noise.Clear(b)
	}
	if c.centers == nil {
		return nil
	}
	return c.centers.Hold(b, &room.update, m, room.means, &room.theta)
}

// gains completes the step of pcskm. Until the weights are first updated,
// penalty is that of weights 1.
func (c *clusterer) gains(step *framework.Step, m *framework.Model, penalty float64, rows framework.Rows, labels []int32) {
	b := step.At[framework.FeatureWeights].X.Data
	if means.UsedWeights(m) == nil {
		penalty *= m.FeatureWeights[0]
	}
	step.Objective = -penalty
	for l, w := range m.FeatureWeights {
		step.Objective += float64(w * b[l])
	}
	if c.sparse.penalty && len(c.links) > 0 {
		c.penalties(b, -1, rows, labels)
	}
}

// Project implements framework.Clusterer.
func (c *clusterer) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		if c.centers == nil {
			m.Centers.CopyFrom(at.X)
		} else if err := c.centers.Nearest(m.Centers, m, at); err != nil {
			return framework.Outcome{}, err
		}
		m.Round++
		return framework.Outcome{}, nil
	}
	if !c.metric {
		return c.sparse.Project(m, at)
	}
	outcome := framework.Outcome{}
	if c.tied {
		outcome.Change = apart(at.X.Data, m.FeatureWeights)
	}
	m.Aux[means.WeightUpdates][0]++
	copy(m.FeatureWeights, at.X.Data)
	copy(m.Gain, at.X.Data)
	return outcome, nil
}

// Distances implements framework.Clusterer.
func (c *clusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*cache).centers.Distances(dst, b)
	return nil
}

// selecting is a clusterer that has feature weights.
type selecting struct{ *clusterer }

// Features implements framework.Selector.
func (selecting) Features(m *framework.Model) []framework.Feature {
	return means.Weighting{}.Features(m)
}

// bounded is a clusterer whose feature weights have a bound.
type bounded struct{ selecting }

// Grid implements framework.Pather: bounds from √p down to 1.
func (c bounded) Grid(_ *framework.Model, n int) []float64 {
	return means.Evenly(math.Sqrt(float64(c.problem.P)), 1, n)
}
