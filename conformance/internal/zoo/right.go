package zoo

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Algorithm is plain k-means with links and constraints. It is right, except for
// what its mutation replaces.
type Algorithm struct{ mutation }

// A mutation replaces parts of k-means. What is nil stays right.
type mutation struct {
	describe  func(d *framework.Description)
	new       func(p framework.Problem) error
	plan      func(c *kmeans, p *framework.Plan)
	begin     func(c *kmeans) *framework.Model
	scratch   func(c *kmeans) framework.Scratch
	assign    func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, s framework.Scratch)
	collect   func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats)
	update    func(c *kmeans, m *framework.Model, step *framework.Step, stats framework.Stats)
	outcome   func(c *kmeans, o *framework.Outcome)
	project   func(c *kmeans, m *framework.Model, at framework.Point)
	distance  func(c *kmeans, x, center []float64) float64
	distances func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix)
	measure   func(to []framework.Measured)
	features  func(c *kmeans, m *framework.Model) []framework.Feature
	grid      func(c *kmeans, n int) []float64
	linked    func(c *kmeans, m *framework.Model, rows framework.Rows, labels []int32)
	cost      func(l framework.Link, cost float64) float64
}

// Describe implements framework.Algorithm.
func (a Algorithm) Describe() framework.Description {
	d := framework.Description{
		Name: "zoo", Version: "1", Summary: "k-means of the zoo", Paper: "none",
		Missing: true, Links: true, Groups: true, Constraints: true, Trims: true, Empty: framework.Reseed, Scale: "sd",
		Params: []framework.Param{{Name: "shift", Type: framework.IntParam, Default: "0", Doc: "unused"}},
	}
	if a.describe != nil {
		a.describe(&d)
	}
	return d
}

// New implements framework.Algorithm.
func (a Algorithm) New(p framework.Problem) (framework.Clusterer, error) {
	c := &kmeans{mutation: a.mutation, problem: p, k: p.K, p: p.P}
	if a.new != nil {
		if err := a.new(p); err != nil {
			return nil, err
		}
	}
	if err := refuseApart(p); err != nil {
		return nil, err
	}
	switch {
	case a.grid != nil:
		return &pather{selector{c}}, nil
	case a.mutation.features != nil:
		return &selector{c}, nil
	}
	return c, nil
}

// kmeans is the clusterer. Its state is for mutations that remember what they
// should not.
type kmeans struct {
	mutation
	problem framework.Problem
	k, p    int
	state   state
}

// Statistics: sum, mass and sum of squares of the observed cells of a cluster and
// feature, the mass of a cluster, and how many cells and rows these are.
const (
	sums = iota
	cellMass
	squares
	mass
	cells // how many of positive weight: rounding leaves a rest of the masses
	rows
)

// Plan implements framework.Clusterer.
func (c *kmeans) Plan() framework.Plan {
	p := framework.Plan{
		Stats: []framework.Stat{{Name: "sum", Len: c.k * c.p}, {Name: "cell_mass", Len: c.k * c.p}, {Name: "square", Len: c.k * c.p},
			{Name: "mass", Len: c.k}, {Name: "cells", Len: c.k * c.p}, {Name: "rows", Len: c.k}},
		Monotone: true, Squared: true,
	}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	if len(c.problem.Links) > 0 {
		p.Linked, p.NeedsRows, p.Monotone = true, true, false
	}
	if c.plan != nil {
		c.plan(c, &p)
	}
	return p
}

// CollectsInCommon implements framework.CommonCollector.
func (c *kmeans) CollectsInCommon() bool { return true }

// Begin implements framework.Clusterer.
func (c *kmeans) Begin() *framework.Model {
	if c.begin != nil {
		return c.begin(c)
	}
	return &framework.Model{Centers: framework.NewMatrix(c.k, c.p)}
}

// Scratch implements framework.Clusterer.
func (c *kmeans) Scratch(int) framework.Scratch {
	if c.scratch != nil {
		return c.scratch(c)
	}
	return nil
}

// Assign implements framework.Clusterer.
func (c *kmeans) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if c.assign != nil {
		c.assign(c, m, b, labels, s)
		return nil
	}
	before := slices.Clone(labels)
	c.nearest(m.Centers, b, labels)
	for i, j := range before {
		if c.isLinked(b.Row0 + i) {
			labels[i] = j
		}
	}
	return nil
}

// nearest is the right Assign.
func (c *kmeans) nearest(centers framework.Matrix, b framework.Block, labels []int32) {
	for i := range b.X.Rows {
		labels[i] = c.nearestOf(centers, b.Cells(i, nil))
	}
}

func (c *kmeans) nearestOf(centers framework.Matrix, x []float64) int32 {
	best, label := math.Inf(1), int32(0)
	for j := range c.k {
		if d := c.between(x, centers.Row(j)); d < best {
			best, label = d, int32(j)
		}
	}
	return label
}

// between is the distance of a row to a center.
func (c *kmeans) between(x, center []float64) float64 {
	if c.distance != nil {
		return c.distance(c, x, center)
	}
	return square(x, center)
}

// square is the right distance.
func square(x, center []float64) (d float64) {
	for l, v := range x {
		if v == v {
			d += float64((v - center[l]) * (v - center[l]))
		}
	}
	return d
}

// Collect implements framework.Clusterer.
func (c *kmeans) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	if c.collect != nil {
		c.collect(c, b, from, to, s)
	} else {
		c.move(b, from, to, s, b.Weight)
	}
	return nil
}

// move is the right Collect, with the given weights.
func (c *kmeans) move(b framework.Block, from, to []int32, s framework.Stats, weight func(i int) float64) {
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f != t {
			c.add(b.Cells(i, nil), f, -weight(i), s)
			c.add(b.Cells(i, nil), t, weight(i), s)
		}
	}
}

// add adds a row with a weight to the statistics of a cluster.
func (c *kmeans) add(x []float64, label int32, w float64, s framework.Stats) {
	if label < 0 {
		return
	}
	one := 0.0
	if w != 0 {
		one = math.Copysign(1, w)
	}
	s[mass][label] += w
	s[rows][label] += one
	for l, v := range x {
		if at := int(label)*c.p + l; v == v {
			s[cells][at] += one
			s[sums][at] += float64(w * v)
			s[cellMass][at] += w
			s[squares][at] += float64(w * v * v)
		}
	}
}

// Update implements framework.Clusterer.
func (c *kmeans) Update(ctx context.Context, m *framework.Model, s framework.Stats, _ framework.Rows,
	labels []int32) (framework.Step, error) {
	masses := slices.Clone(s[mass])
	for j, n := range s[rows] {
		if n == 0 {
			masses[j] = 0
		}
	}
	at := &framework.Point{X: framework.NewMatrix(c.k, c.p), RowMass: masses}
	if framework.HasMissing(c.problem.Columns) {
		at.Gain = make([]float64, c.k*c.p)
	}
	step := framework.Step{Mass: slices.Clone(masses)}
	for i, n := range s[cellMass] {
		theta := m.Centers.Data[i]
		if s[cells][i] == 0 {
			continue
		}
		if n > 0 {
			at.X.Data[i] = s[sums][i] / n
		}
		if at.Gain != nil {
			at.Gain[i] = float64(n * at.X.Data[i] * at.X.Data[i])
		}
		step.Objective += float64(s[squares][i]-2*theta*s[sums][i]) + float64(theta*theta*n)
	}
	if labels != nil {
		step.Objective += c.broken(labels)
	}
	step.At[framework.Centers] = at
	if c.update != nil {
		c.update(c, m, &step, s)
	}
	return step, nil
}

// Project implements framework.Clusterer.
func (c *kmeans) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	switch {
	case c.project != nil:
		c.project(c, m, at)
	case c.problem.Centers == nil:
		m.Centers.CopyFrom(at.X)
	default:
		if err := c.problem.Centers.Project(m.Centers, at); err != nil {
			return framework.Outcome{}, err
		}
	}
	m.Round++
	var o framework.Outcome
	if c.outcome != nil {
		c.outcome(c, &o)
	}
	return o, nil
}

// Distances implements framework.Clusterer.
func (c *kmeans) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	if c.distances != nil {
		c.distances(c, m, b, dst)
		return nil
	}
	for i := range b.X.Rows {
		for j := range c.k {
			dst.Row(i)[j] = c.between(b.Cells(i, nil), m.Centers.Row(j))
		}
	}
	return nil
}

// Measure implements framework.Measurer.
func (c *kmeans) Measure(m *framework.Model, b framework.Block, labels []int32, to []framework.Measured) (bool, error) {
	d := framework.NewMatrix(b.X.Rows, c.k)
	if err := c.Distances(m, b, d); err != nil {
		return false, err
	}
	for i := range to {
		to[i] = framework.Between(d.Row(i), int(labels[i]))
	}
	if c.measure != nil {
		c.measure(to)
	}
	return true, nil
}

// selector is kmeans as a framework.Selector.
type selector struct{ *kmeans }

// Features implements framework.Selector.
func (s *selector) Features(m *framework.Model) []framework.Feature { return s.features(s.kmeans, m) }

// pather is kmeans as a framework.Pather.
type pather struct{ selector }

// Grid implements framework.Pather.
func (p *pather) Grid(_ *framework.Model, n int) []float64 { return p.grid(p.kmeans, n) }
