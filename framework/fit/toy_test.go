package fit_test

import (
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
	*means.Lloyd
	onAssign func(b framework.Block)
	weight   float64 // at the start; 0: no weights
	oneModel bool
}

// meeting returns a hook by which each of the first two calls waits for the other.
func meeting() func(framework.Block) {
	meet, calls := make(chan struct{}), make(chan struct{}, 2)
	calls <- struct{}{}
	calls <- struct{}{}
	return func(framework.Block) {
		select {
		case <-calls:
			select {
			case meet <- struct{}{}:
			case <-meet:
			}
		default:
		}
	}
}

func (c toy) Plan() framework.Plan {
	p := c.Lloyd.Plan()
	p.Monotone, p.OneModel = false, c.oneModel
	if c.weight > 0 {
		p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	}
	return p
}

func (c toy) Begin() *framework.Model {
	m := c.Lloyd.Begin()
	m.FeatureWeights = []float64{c.weight}
	return m
}

func (c toy) Prepare(m *framework.Model) {
	means.CacheOf(m).Centers.Prepare(m.Centers, means.Distance{})
}

func (c toy) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if c.onAssign != nil {
		c.onAssign(b)
	}
	return c.Lloyd.Assign(m, b, labels, s)
}

func (c toy) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		return c.Lloyd.Project(m, t, at)
	}
	before := m.FeatureWeights[0]
	if before > 0.25 {
		m.FeatureWeights[0] /= 2
	}
	return framework.Outcome{Change: math.Abs(before - m.FeatureWeights[0])}, nil
}
