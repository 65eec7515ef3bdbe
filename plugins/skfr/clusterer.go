package skfr

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// clusterer is k-means whose centers are projected onto a sparsity set.
type clusterer struct {
	sums     means.Sums
	problem  framework.Problem
	sparsity int
	local    bool // each center has its own features
	kpod     bool // there are missing cells, and they are filled
	loss     means.Loss
}

// filler is the name in Model.Aux of the centers that fill missing cells: those
// of the projection before the last.
const filler = "filler"

// Plan implements framework.Clusterer. The medians of loss=l1 need rows.
func (c *clusterer) Plan() framework.Plan {
	p := framework.Plan{Stats: c.sums.Declare(), Monotone: true, Squared: c.loss == means.Squared, NeedsRows: c.loss == means.Absolute}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	return p
}

// Begin implements framework.Clusterer.
func (c *clusterer) Begin() *framework.Model {
	m := &framework.Model{Centers: framework.NewMatrix(c.problem.K, c.problem.P)}
	size := c.problem.P
	if c.local {
		size *= c.problem.K
	}
	m.Selected, m.Gain = make([]bool, size), make([]float64, size)
	if c.kpod {
		m.Aux = map[string][]float64{filler: make([]float64, c.problem.K*c.problem.P)}
	}
	return m
}

// Prepare implements framework.Preparer.
func (c *clusterer) Prepare(m *framework.Model) {
	means.Prepare(m, means.Distance{Loss: c.loss, Observed: c.sums.Missing, Filled: c.kpod})
}

// Scratch implements framework.Clusterer.
func (c *clusterer) Scratch(int) framework.Scratch { return new(means.Panel) }

// Assign implements framework.Clusterer.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	centers, panel := m.Cache.(*means.Centers), s.(*means.Panel)
	if c.kpod {
		fill := framework.Matrix{Rows: c.problem.K, Cols: c.problem.P, Data: m.Aux[filler]}
		centers.AssignFilled(labels, b, fill, panel)
		return nil
	}
	centers.Assign(labels, b, panel)
	return nil
}

// Collect implements framework.Clusterer.
func (c *clusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

// Update implements framework.Clusterer.
func (c *clusterer) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32) (framework.Step, error) {
	step := framework.Step{Mass: append([]float64(nil), c.sums.Mass(s)...)}
	at := &framework.Point{RowMass: step.Mass}
	step.At[framework.Centers] = at
	if c.loss == means.Absolute {
		medians, err := means.NewMedians(ctx, m.Centers, rows, labels)
		if err != nil {
			return framework.Step{}, err
		}
		at.X, at.Gain, step.Objective = medians.Center, medians.Gain.Data, medians.Objective
		return step, nil
	}
	step.Objective = c.sums.Objective(m.Centers, s)
	at.X = framework.NewMatrix(c.problem.K, c.problem.P)
	c.sums.Means(at.X, s)
	switch {
	case c.kpod:
		c.fillMeans(at.X, m.Centers, s)
	case c.sums.Missing:
		at.Gain = c.observedGains(at.X, s)
	}
	return step, nil
}

// fillMeans turns means of observed cells into means of filled ones: a missing
// cell counts with the present center of its row.
func (c *clusterer) fillMeans(mu, theta framework.Matrix, s framework.Stats) {
	for i, v := range mu.Data {
		j, l := i/mu.Cols, i%mu.Cols
		n, seen := c.sums.Mass(s)[j], c.sums.CellMass(s, j, l)
		if n > 0 && n > seen {
			mu.Data[i] = (seen*v + (n-seen)*theta.Data[i]) / n
		}
	}
}

// observedGains returns m_jl μ_jl².
func (c *clusterer) observedGains(mu framework.Matrix, s framework.Stats) []float64 {
	gain := make([]float64, len(mu.Data))
	for i, v := range mu.Data {
		gain[i] = c.sums.CellMass(s, i/mu.Cols, i%mu.Cols) * v * v
	}
	return gain
}

// Project implements framework.Clusterer: eq. 3 and 4 of the paper. A center
// without rows keeps its own selection (scope=local) and stays at the origin.
func (c *clusterer) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	if c.local {
		set := constraint.TopEntries{S: c.sparsity}
		set.Gains(m.Gain, at)
		c.selectLocally(set, m, at)
	} else {
		set := constraint.TopColumns{S: c.sparsity}
		set.Gains(m.Gain, at)
		set.Select(m.Selected, m.Gain)
	}
	m.Round++
	if !c.kpod {
		constraint.Keep(m.Centers, at.X, m.Selected)
		return framework.Outcome{}, nil
	}
	copy(m.Aux[filler], m.Centers.Data)
	constraint.Keep(m.Centers, at.X, m.Selected)
	var change float64
	for i, v := range m.Centers.Data {
		change = math.Max(change, math.Abs(v-m.Aux[filler][i]))
	}
	return framework.Outcome{Change: change}, nil
}

func (c *clusterer) selectLocally(set constraint.TopEntries, m *framework.Model, at framework.Point) {
	p := c.problem.P
	for j := range c.problem.K {
		if at.RowMass[j] > 0 {
			set.Select(m.Selected[j*p:(j+1)*p], m.Gain[j*p:(j+1)*p], p)
		}
	}
}

// Distances implements framework.Clusterer.
func (c *clusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*means.Centers).Distances(dst, b)
	return nil
}
