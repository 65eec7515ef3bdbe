package fit

import (
	"context"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Steps counts the steps of clusterers that began and that ended, so that
// somebody beside the driver can tell that one of them does not end. The zero
// value is ready.
type Steps struct{ begun, ended atomic.Uint64 }

// Counts returns how many steps have begun and ended so far.
func (s *Steps) Counts() (begun, ended uint64) {
	ended = s.ended.Load() // first: a step that ends in between is no lost one
	return s.begun.Load(), ended
}

// Count returns the clusterer, to be run by Run, with all its methods that compute
// counted. Of the optional interfaces it has those that Run asks for.
func (s *Steps) Count(c framework.Clusterer) framework.Clusterer {
	counted := &counted{c, s}
	if l, ok := framework.As[framework.Linker](c); ok {
		return &countedLinker{counted, l}
	}
	return counted
}

type counted struct {
	framework.Clusterer
	steps *Steps
}

func (s *Steps) begin() { s.begun.Add(1) }
func (s *Steps) end()   { s.ended.Add(1) }

// Prepare implements framework.Preparer.
func (c *counted) Prepare(m *framework.Model) {
	if p, ok := framework.As[framework.Preparer](c.Clusterer); ok {
		c.steps.begin()
		defer c.steps.end()
		p.Prepare(m)
	}
}

// Foresee implements framework.Foreseer.
func (c *counted) Foresee(iterations int) {
	if f, ok := framework.As[framework.Foreseer](c.Clusterer); ok {
		f.Foresee(iterations)
	}
}

// CollectsInCommon implements framework.CommonCollector.
func (c *counted) CollectsInCommon() bool {
	common, ok := framework.As[framework.CommonCollector](c.Clusterer)
	return ok && common.CollectsInCommon()
}

// Measure implements framework.Measurer.
func (c *counted) Measure(m *framework.Model, b framework.Block, labels []int32, to []framework.Measured) (bool, error) {
	measurer, ok := framework.As[framework.Measurer](c.Clusterer)
	if !ok {
		return false, nil
	}
	c.steps.begin()
	defer c.steps.end()
	return measurer.Measure(m, b, labels, to)
}

// Costs implements framework.Coster: by Distances where the algorithm has no costs of its own.
func (c *counted) Costs(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch, dst framework.Matrix) error {
	c.steps.begin()
	defer c.steps.end()
	if coster, ok := framework.As[framework.Coster](c.Clusterer); ok {
		return coster.Costs(m, b, labels, s, dst)
	}
	return c.Clusterer.Distances(m, b, dst)
}

func (c *counted) Begin() *framework.Model {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Begin()
}

func (c *counted) Scratch(rows int) framework.Scratch {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Scratch(rows)
}

func (c *counted) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Assign(m, b, labels, s)
}

func (c *counted) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Collect(b, from, to, s)
}

func (c *counted) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows,
	labels []int32) (framework.Step, error) {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Update(ctx, m, s, rows, labels)
}

func (c *counted) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Project(m, t, at)
}

func (c *counted) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	c.steps.begin()
	defer c.steps.end()
	return c.Clusterer.Distances(m, b, dst)
}

type countedLinker struct {
	*counted
	linker framework.Linker
}

func (c *countedLinker) AssignLinked(ctx context.Context, m *framework.Model, rows framework.Rows, labels []int32) error {
	c.steps.begin()
	defer c.steps.end()
	return c.linker.AssignLinked(ctx, m, rows, labels)
}

func (c *countedLinker) LinkCosts(ctx context.Context, m *framework.Model, rows framework.Rows, labels []int32) ([]float64, error) {
	c.steps.begin()
	defer c.steps.end()
	return c.linker.LinkCosts(ctx, m, rows, labels)
}
