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
	sums    means.Sums
	problem framework.Problem
	sparse  constraint.Sparsity // what is selected
	groups  int                 // the number of its groups, or that of the features
	kpod    bool                // there are missing cells, and they are filled
	plain   bool                // nothing is selected,
	all     []bool              // so that all features are
	loss    means.Loss
	room    *means.PanelMemory
	set     framework.Set // with the user's set of centers; nil: the sparsity alone
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
	if c.sparse.PerCenter {
		size *= c.problem.K
	}
	m.Gain = make([]float64, size)
	if !c.plain {
		m.Selected = make([]bool, size)
	}
	if c.kpod {
		m.Aux = map[string][]float64{filler: make([]float64, c.problem.K*c.problem.P)}
	}
	return m
}

// cache is what is kept with a model.
type cache struct {
	centers means.Centers
	update  means.Update
	at      framework.Point
}

func cacheOf(m *framework.Model) *cache {
	if m.Cache == nil {
		m.Cache = new(cache)
	}
	return m.Cache.(*cache)
}

// Prepare implements framework.Preparer.
func (c *clusterer) Prepare(m *framework.Model) {
	d := means.Distance{Loss: c.loss, Observed: c.sums.Missing, Filled: c.kpod}
	if !c.sparse.PerCenter && m.Round > 0 { // the centers of a start are not projected
		d.Selected = c.selected(m)
	}
	cacheOf(m).centers.Prepare(m.Centers, d)
}

// Scratch implements framework.Clusterer.
func (c *clusterer) Scratch(int) framework.Scratch { return c.room.Panel() }

// Assign implements framework.Clusterer.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	centers, panel := &m.Cache.(*cache).centers, s.(*means.Panel)
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

// Update implements framework.Clusterer. The medians of loss=l1 need rows.
func (c *clusterer) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32) (framework.Step, error) {
	room := cacheOf(m)
	u, at := &room.update, &room.at
	c.sums.Update(u, m.Centers, s)
	at.X, at.RowMass = u.Mean, u.Mass
	step := framework.Step{Objective: u.Objective, Mass: u.Mass}
	step.At[framework.Centers] = at
	switch {
	case c.loss == means.Absolute:
		medians, err := means.NewMedians(ctx, m.Centers, rows, labels)
		if err != nil {
			return framework.Step{}, err
		}
		at.X, at.Gain, step.Objective = medians.Center, medians.Gain.Data, medians.Objective
	case c.kpod:
		fillMeans(u, m.Centers)
	case c.sums.Missing:
		at.Gain = observedGains(at.Gain[:0], u)
	}
	return step, nil
}

// fillMeans turns means of observed cells into means of filled ones: a missing
// cell counts with the present center of its row. Where that is the mean already,
// it stays as it is.
func fillMeans(u *means.Update, theta framework.Matrix) {
	for i, v := range u.Mean.Data {
		n, seen := u.Mass[i/theta.Cols], u.CellMass[i]
		if n > 0 && n > seen {
			u.Mean.Data[i] = v + float64((theta.Data[i]-v)*((n-seen)/n))
		}
	}
}

// observedGains appends m_jl μ_jl² to dst.
func observedGains(dst []float64, u *means.Update) []float64 {
	for i, v := range u.Mean.Data {
		dst = append(dst, u.CellMass[i]*v*v)
	}
	return dst
}

// Project implements framework.Clusterer: eq. 3 and 4 of the paper, with groups
// in the place of features where there are groups. A center without rows keeps
// its own selection (scope=local) and stays at the origin.
func (c *clusterer) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	if c.set != nil {
		return c.projectRestricted(m, at)
	}
	c.sparse.Gains(m.Gain, at)
	switch {
	case c.sparse.PerCenter:
		c.selectLocally(m, at)
	case !c.plain:
		c.sparse.Select(m.Selected, m.Gain, c.problem.P)
	}
	m.Round++
	if !c.kpod {
		constraint.Keep(m.Centers, at.X, c.selected(m))
		return framework.Outcome{}, nil
	}
	copy(m.Aux[filler], m.Centers.Data)
	constraint.Keep(m.Centers, at.X, c.selected(m))
	return c.moved(m), nil
}

// selected returns the selected entries of a model: all where nothing is selected.
func (c *clusterer) selected(m *framework.Model) []bool {
	if c.plain {
		return c.all
	}
	return m.Selected
}

// moved returns by how much kpod's centers have moved.
func (c *clusterer) moved(m *framework.Model) framework.Outcome {
	var change float64
	for i, v := range m.Centers.Data {
		change = math.Max(change, math.Abs(v-m.Aux[filler][i]))
	}
	return framework.Outcome{Change: change}
}

func (c *clusterer) selectLocally(m *framework.Model, at framework.Point) {
	p := c.problem.P
	for j := range c.problem.K {
		if at.RowMass[j] > 0 {
			c.sparse.Select(m.Selected[j*p:(j+1)*p], m.Gain[j*p:(j+1)*p], p)
		}
	}
}

// Distances implements framework.Clusterer.
func (c *clusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*cache).centers.Distances(dst, b)
	return nil
}
