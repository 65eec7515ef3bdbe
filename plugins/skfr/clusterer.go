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
	*means.Lloyd
	sparse constraint.Sparsity // what is selected
	groups int                 // the number of its groups, or that of the features
	kpod   bool                // there are missing cells, and they are filled
	plain  bool                // nothing is selected,
	all    []bool              // so that all features are
	cells  []bool              // means.CellsOf
	set    framework.Set       // with the user's set of centers; nil: the sparsity alone
}

// CollectsInCommon implements framework.CommonCollector: features are selected by
// what has been summed, for all of them.
func (c *clusterer) CollectsInCommon() bool { return true }

// filler is the name in Model.Aux of the centers that fill missing cells: those
// of the projection before the last.
const filler = "filler"

// Begin implements framework.Clusterer.
func (c *clusterer) Begin() *framework.Model {
	m := c.Lloyd.Begin()
	size := c.Problem.P
	if c.sparse.PerCenter {
		size *= c.Problem.K
	}
	m.Gain = make([]float64, size)
	if !c.plain {
		m.Selected = make([]bool, size)
	}
	if c.kpod {
		m.Aux = map[string][]float64{filler: make([]float64, c.Problem.K*c.Problem.P)}
	}
	return m
}

// Distance returns how Prepare measures distances.
func (c *clusterer) Distance(m *framework.Model) means.Distance {
	d := c.Lloyd.Distance(m)
	d.Filled, d.Steady = c.kpod, c.plain && c.set == nil
	if m.Round == 0 { // the centers of a start are not projected
		d.Cells = c.cells
	}
	return d
}

// Formula implements what means.FormulaOf looks for.
func (c *clusterer) Formula() means.Formula {
	f := c.Lloyd.Formula()
	f.Distance = c.Distance
	return f
}

// Prepare implements framework.Preparer.
func (c *clusterer) Prepare(m *framework.Model) {
	d := c.Distance(m)
	if !c.plain && !c.sparse.PerCenter && m.Round > 0 {
		d.Selected = c.selected(m)
	}
	means.CacheOf(m).Centers.Prepare(m.Centers, d)
}

// Assign implements framework.Clusterer.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if !c.kpod {
		return c.Lloyd.Assign(m, b, labels, s)
	}
	fill := framework.Matrix{Rows: c.Problem.K, Cols: c.Problem.P, Data: m.Aux[filler]}
	means.CacheOf(m).Centers.AssignFilled(labels, b, fill, s.(*means.Panel))
	return nil
}

// Costs implements framework.Coster, by the cells that Assign fills.
func (c *clusterer) Costs(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch, dst framework.Matrix) error {
	if !c.kpod {
		return c.Lloyd.Costs(m, b, labels, s, dst)
	}
	fill := framework.Matrix{Rows: c.Problem.K, Cols: c.Problem.P, Data: m.Aux[filler]}
	means.CacheOf(m).Centers.Costs(dst, b, &fill, labels, s.(*means.Panel))
	return nil
}

// Update implements framework.Clusterer. With filled cells, clusters have masses
// again, and entries no gains of their own.
func (c *clusterer) Update(
	ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	step, err := c.Lloyd.Update(ctx, m, s, rows, labels)
	if err == nil && c.kpod {
		step.At[framework.Centers].Gain = nil
		fillMeans(&means.CacheOf(m).Update, m.Centers)
	}
	return step, err
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
		c.sparse.Select(m.Selected, m.Gain, c.Problem.P)
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
	p := c.Problem.P
	for j := range c.Problem.K {
		if at.RowMass[j] > 0 {
			c.sparse.Select(m.Selected[j*p:(j+1)*p], m.Gain[j*p:(j+1)*p], p)
		}
	}
}
