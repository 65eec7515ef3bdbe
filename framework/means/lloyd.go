package means

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// Lloyd is k-means, or k-medians with the absolute loss. Methods that are like
// it embed it, and write the steps in which they differ: a Plan, Begin or Update
// that adds something to Lloyd's, a Project that puts centers elsewhere.
//
// Missing cells are left out of every sum. Where a model has feature weights,
// distances are weighted by UsedWeights; Update knows nothing of them, so that
// the objective is for the method to compute.
type Lloyd struct {
	Problem framework.Problem
	Loss    Loss
	Centers *Restricted // nil: each center goes to the mean or median of its rows

	sums Sums
	room *PanelMemory
}

var (
	_ framework.Clusterer = (*Lloyd)(nil)
	_ framework.Preparer  = (*Lloyd)(nil)
	_ framework.Foreseer  = (*Lloyd)(nil)
)

// NewLloyd returns the clusterer of a problem. An algorithm that takes
// constraints sets Centers to what Restrict makes of the problem.
func NewLloyd(p framework.Problem, loss Loss) *Lloyd {
	return &Lloyd{Problem: p, Loss: loss, sums: NewSums(p), room: NewPanelMemory(p.N, p.P)}
}

// A Cache is what Lloyd keeps in Model.Cache. An embedding method that keeps
// more has it in Own.
type Cache struct {
	Centers Centers
	Update  Update                             // of the last Update
	At      [framework.Targets]framework.Point // what it returned
	Own     any

	gain  []float64        // room for At[Centers].Gain
	theta framework.Matrix // room for restricted centers
}

// CacheOf returns the model's cache, a new one if it has none.
func CacheOf(m *framework.Model) *Cache {
	if m.Cache == nil {
		m.Cache = new(Cache)
	}
	return m.Cache.(*Cache)
}

// Plan implements framework.Clusterer.
func (c *Lloyd) Plan() framework.Plan {
	p := framework.Plan{Stats: c.sums.Declare(), Monotone: true, Squared: c.Loss.Squares(), NeedsRows: losses[c.Loss].center != nil}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	return p
}

// Begin implements framework.Clusterer.
func (c *Lloyd) Begin() *framework.Model {
	return &framework.Model{Centers: newMatrix(c.Problem.K, c.Problem.P)}
}

// newMatrix returns a matrix that is about to be written.
func newMatrix(rows, cols int) framework.Matrix {
	return framework.Matrix{Rows: rows, Cols: cols, Data: memory.Zeros[float64](rows * cols)}
}

// Distance returns how Prepare measures distances. A method that measures them
// in another way changes it, and gives it to CacheOf(m).Centers.Prepare.
func (c *Lloyd) Distance(m *framework.Model) Distance {
	return Distance{Loss: c.Loss, Observed: c.sums.Missing, Weights: UsedWeights(m), Base: c.sums.base, Rows: c.Problem.N,
		Share: m.Share}
}

// Prepare implements framework.Preparer.
func (c *Lloyd) Prepare(m *framework.Model) { CacheOf(m).Centers.Prepare(m.Centers, c.Distance(m)) }

// Scratch implements framework.Clusterer: a Panel.
func (c *Lloyd) Scratch(int) framework.Scratch { return c.room.Panel() }

// Foresee implements framework.Foreseer: two passes do not repay copies of rows.
func (c *Lloyd) Foresee(iterations int) { c.room.brief.Store(iterations <= 1) }

// Assign implements framework.Clusterer.
func (c *Lloyd) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	m.Cache.(*Cache).Centers.Assign(labels, b, s.(*Panel))
	return nil
}

// Collect implements framework.Clusterer.
func (c *Lloyd) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

// Update implements framework.Clusterer. The means, masses and points stay in the
// model's Cache until the next Update, where an embedding method finds them. Where
// the model has feature weights, the method writes their point: see Gains.
func (c *Lloyd) Update(
	ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	room := CacheOf(m)
	u, at := &room.Update, &room.At[framework.Centers]
	c.sums.update(u, m.Centers, s, m.Share)
	*at = framework.Point{X: u.Mean, RowMass: u.Mass}
	if c.Centers != nil {
		at.ColMass = slices.Clone(UsedWeights(m))
	}
	step := framework.Step{Objective: u.Objective, Mass: u.Mass}
	step.At[framework.Centers] = at
	if m.FeatureWeights != nil {
		gains := &room.At[framework.FeatureWeights]
		if gains.X.Data == nil {
			gains.X = framework.NewMatrix(1, c.Problem.P)
		}
		step.At[framework.FeatureWeights] = gains
	}
	if center := losses[c.Loss].center; center != nil {
		objective, err := center(ctx, at, m.Centers, rows, labels)
		step.Objective = objective
		return step, err
	}
	if c.sums.Missing {
		room.gain = room.gain[:0]
		for i, v := range u.Mean.Data {
			room.gain = append(room.gain, u.CellMass[i]*v*v)
		}
		at.Gain = room.gain
	}
	return step, nil
}

// Gains writes to the point of the feature weights what each feature gains, and
// returns it (length p): its sum of squares between the clusters of the last
// Update, less what is lost where centers are held off the means. Gains that may
// be rounding only are 0 first; a nil noise leaves them as they are.
func (c *Lloyd) Gains(m *framework.Model, noise Noises) ([]float64, error) {
	room := CacheOf(m)
	gains := room.At[framework.FeatureWeights].X.Data
	room.Update.Between(gains)
	noise.Clear(gains)
	if c.Centers == nil {
		return gains, nil
	}
	return gains, c.Centers.hold(gains, m)
}

// Project implements framework.Clusterer, for the centers.
func (c *Lloyd) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	if c.Centers == nil {
		m.Centers.CopyFrom(at.X)
	} else if err := c.Centers.Nearest(m.Centers, m, at); err != nil {
		return framework.Outcome{}, err
	}
	m.Round++
	return framework.Outcome{}, nil
}

// Distances implements framework.Clusterer.
func (c *Lloyd) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*Cache).Centers.Distances(dst, b)
	return nil
}

// Measure implements framework.Measurer. A method that embeds Lloyd, and whose distances
// are others, hides it.
func (c *Lloyd) Measure(m *framework.Model, b framework.Block, labels []int32, to []framework.Measured) (bool, error) {
	return m.Cache.(*Cache).Centers.Measure(b, labels, to), nil
}
