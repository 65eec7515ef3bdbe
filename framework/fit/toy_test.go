package fit_test

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// line serves numbers as rows of one feature, in blocks of two.
type line []float64

func (l line) Len() int    { return len(l) }
func (l line) Blocks() int { return (len(l) + 1) / 2 }
func (l line) Block(i int) framework.Block {
	from, to := 2*i, min(2*i+2, len(l))
	return framework.Block{Index: i, Row0: from, X: framework.Matrix{Rows: to - from, Cols: 1, Data: l[from:to]}}
}

func (l line) problem(k int) framework.Problem {
	c := framework.Column{Scale: 1, Mass: float64(len(l))}
	for _, v := range l {
		c.Mean += v / c.Mass
	}
	for _, v := range l {
		c.SumSq += (v - c.Mean) * (v - c.Mean)
	}
	return framework.Problem{N: len(l), P: 1, K: k, Mass: c.Mass, Columns: []framework.Column{c}}
}

// toy is k-means with hooks. It also has a feature weight, projected when the
// labels have settled: it is halved until it is at most 1/4.
type toy struct {
	sums     means.Sums
	k        int
	onAssign func(b framework.Block)
	weight   float64 // at the start; 0: no weights
	oneModel bool
}

func (c toy) Plan() framework.Plan {
	p := framework.Plan{Stats: c.sums.Declare(), Squared: true, OneModel: c.oneModel}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	if c.weight > 0 {
		p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	}
	return p
}

func (c toy) Begin() *framework.Model {
	return &framework.Model{Centers: framework.NewMatrix(c.k, 1), FeatureWeights: []float64{c.weight}}
}

func (c toy) Prepare(m *framework.Model) {
	if m.Cache == nil {
		m.Cache = new(means.Centers)
	}
	m.Cache.(*means.Centers).Prepare(m.Centers, means.Distance{})
}

func (c toy) Scratch(int) framework.Scratch { return means.PanelMemoryOf(1 << 20).Panel() }

func (c toy) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if c.onAssign != nil {
		c.onAssign(b)
	}
	m.Cache.(*means.Centers).Assign(labels, b, s.(*means.Panel))
	return nil
}

func (c toy) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

func (c toy) Update(_ context.Context, m *framework.Model, s framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	var u means.Update
	c.sums.Update(&u, m.Centers, s)
	step := framework.Step{Objective: u.Objective}
	step.At[framework.Centers] = &framework.Point{X: u.Mean}
	step.At[framework.FeatureWeights] = &framework.Point{X: framework.NewMatrix(1, 1)}
	return step, nil
}

func (c toy) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		m.Centers.CopyFrom(at.X)
		return framework.Outcome{}, nil
	}
	before := m.FeatureWeights[0]
	if before > 0.25 {
		m.FeatureWeights[0] /= 2
	}
	return framework.Outcome{Change: math.Abs(before - m.FeatureWeights[0])}, nil
}

func (c toy) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*means.Centers).Distances(dst, b)
	return nil
}
