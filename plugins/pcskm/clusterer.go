package pcskm

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// clusterer is k-means with links; with sparse it is pcskm, with metric mpckm.
type clusterer struct {
	*means.Lloyd
	ranges []float64 // R_l
	noise  means.Noises
	sparse *sparse
	metric bool
	tied   bool // which centers are nearest depends on the metric of mpckm

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
	_ framework.Linker   = (*clusterer)(nil)
	_ framework.Selector = selecting{}
	_ framework.Pather   = bounded{}
)

// Plan implements framework.Clusterer.
func (c *clusterer) Plan() framework.Plan {
	p, linked := c.Lloyd.Plan(), len(c.links) > 0
	p.Maximize, p.Monotone = c.sparse != nil, false
	p.NeedsRows, p.Linked, p.Fresh, p.Passes = linked, linked, true, c.Problem.Params.Int("passes")
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
	m := c.Lloyd.Begin()
	if c.sparse == nil && !c.metric {
		return m
	}
	first := 1.0
	if c.sparse != nil {
		first = 1 / math.Sqrt(float64(c.Problem.P))
	}
	means.BeginWeights(m, first)
	return m
}

// cache is what is kept with a model beside Lloyd's.
type cache struct {
	pairs pairs
	turns turns
}

func cacheOf(m *framework.Model) *cache {
	of := means.CacheOf(m)
	if of.Own == nil {
		of.Own = new(cache)
	}
	return of.Own.(*cache)
}

// scratch is what is kept of one block.
type scratch struct {
	panel  framework.Scratch
	labels []int32 // room for those before
}

// Scratch implements framework.Clusterer.
func (c *clusterer) Scratch(rows int) framework.Scratch {
	return &scratch{panel: c.Lloyd.Scratch(rows)}
}

// Release implements framework.Releaser.
func (s *scratch) Release() {
	if p, ok := s.panel.(framework.Releaser); ok {
		p.Release()
	}
}

// Assign implements framework.Clusterer. It leaves linked rows as they are.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	room := s.(*scratch)
	room.labels = append(room.labels[:0], labels...)
	if err := c.Lloyd.Assign(m, b, labels, room.panel); err != nil || c.graph == nil {
		return err
	}
	for i, u := range c.graph.Of[b.Row0 : b.Row0+len(labels)] {
		if u >= 0 {
			labels[i] = room.labels[i]
		}
	}
	return nil
}

// Costs implements framework.Coster, for rows without links.
func (c *clusterer) Costs(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch, dst framework.Matrix) error {
	return c.Lloyd.Costs(m, b, labels, s.(*scratch).panel, dst)
}

// Update implements framework.Clusterer. It needs rows where there are links.
func (c *clusterer) Update(
	ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	step, err := c.Lloyd.Update(ctx, m, s, rows, labels)
	switch {
	case err != nil || c.tied:
	case c.sparse != nil:
		_, err = c.Gains(m, c.noise)
	case c.metric:
		_, err = c.Gains(m, nil)
	}
	if err != nil {
		return step, err
	}
	penalty := 0.0
	if len(c.links) > 0 {
		room := cacheOf(m)
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
		return c.Lloyd.Project(m, t, at)
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

// selecting is a clusterer that has feature weights.
type selecting struct{ *clusterer }

// Features implements framework.Selector.
func (selecting) Features(m *framework.Model) []framework.Feature {
	return means.Weighting{}.Features(m)
}

// bounded is a clusterer whose feature weights have a bound.
type bounded struct{ selecting }

// Grid implements framework.Pather.
func (c bounded) Grid(_ *framework.Model, n int) []float64 { return c.sparse.Grid(nil, n) }
