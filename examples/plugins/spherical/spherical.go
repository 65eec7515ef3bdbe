package main

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Spherical clusters rows by their direction: each row counts as the unit vector
// that points where it does, the centers are unit vectors, and the distance is
// 1 − cos of the angle between them. A row of zeros has no direction; it is at
// distance 1 of every center.
//
// Source: Dhillon and Modha (2001), Concept decompositions for large sparse text
// data using clustering, https://doi.org/10.1023/A:1007612920971.
type Spherical struct{}

// Describe implements framework.Algorithm. Directions are seen from the origin,
// so columns are not centered.
func (Spherical) Describe() framework.Description {
	return framework.Description{
		Name: "spherical", Version: "1.0.0",
		Summary: "spherical k-means: clusters of rows that point in the same direction",
		Paper:   "Dhillon and Modha (2001), Concept decompositions for large sparse text data using clustering, https://doi.org/10.1023/A:1007612920971",
		Params: []framework.Param{
			{Name: "min_norm", Type: framework.RealParam, Default: "0", Min: new(0.0), Doc: "rows no longer than this have no direction"},
		},
		Empty: framework.Origin, Scale: "raw",
	}
}

// New implements framework.Algorithm.
func (Spherical) New(p framework.Problem) (framework.Clusterer, error) {
	if framework.HasMissing(p.Columns) {
		return nil, framework.Faultf(framework.Data, "missing-values", "a row with missing cells has no direction").
			WithHint("use --nulls drop")
	}
	return &clusterer{k: p.K, p: p.P, minNorm: p.Params.Real("min_norm")}, nil
}

// clusterer is Spherical bound to a problem. It keeps nothing between calls.
type clusterer struct {
	k, p    int
	minNorm float64
}

// The statistics: the weight of a cluster's rows, and the weighted sum of their
// directions.
const (
	mass = iota
	sum
)

// Plan implements framework.Clusterer.
func (c *clusterer) Plan() framework.Plan {
	p := framework.Plan{Stats: []framework.Stat{{Name: "mass", Len: c.k}, {Name: "sum", Len: c.k * c.p}}, Monotone: true}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	return p
}

// Begin implements framework.Clusterer.
func (c *clusterer) Begin() *framework.Model {
	return &framework.Model{Centers: framework.NewMatrix(c.k, c.p)}
}

// Scratch implements framework.Clusterer.
func (c *clusterer) Scratch(int) framework.Scratch { return nil }

// length returns the length of x, or 0 if that is no more than least. Numbers are
// divided by the largest first, so that no square overflows.
func length(x []float64, least float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	var squares float64
	for _, v := range x {
		squares += (v / largest) * (v / largest)
	}
	if n := largest * math.Sqrt(squares); n > least {
		return n
	}
	return 0
}

// distance returns 1 − cos of the angle between a row and a center: half the
// square of the distance of their unit vectors, which does not fall below 0.
func (c *clusterer) distance(x, center []float64) float64 {
	n := length(x, c.minNorm)
	if n == 0 || isZero(center) {
		return 1
	}
	var d float64
	for l, v := range x {
		e := v/n - center[l]
		d += e * e
	}
	return d / 2
}

func isZero(center []float64) bool {
	for _, v := range center {
		if v != 0 {
			return false
		}
	}
	return true
}

// Assign implements framework.Clusterer.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) error {
	for i := range b.X.Rows {
		best := math.Inf(1)
		for j := range c.k {
			if d := c.distance(b.X.Row(i), m.Centers.Row(j)); d < best { // the lowest of equals
				best, labels[i] = d, int32(j)
			}
		}
	}
	return nil
}

// Collect implements framework.Clusterer.
func (c *clusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f != t {
			c.add(b, i, f, -b.Weight(i), s)
			c.add(b, i, t, b.Weight(i), s)
		}
	}
	return nil
}

// add adds row i with a weight to the statistics of cluster j.
func (c *clusterer) add(b framework.Block, i int, j int32, w float64, s framework.Stats) {
	if j < 0 {
		return
	}
	s[mass][j] += w
	x := b.X.Row(i)
	if n := length(x, c.minNorm); n > 0 {
		for l, v := range x {
			s[sum][int(j)*c.p+l] += w * (v / n)
		}
	}
}

// Update implements framework.Clusterer. The objective is
//
//	Σ_i w_i (1 − ⟨u_i, θ_j⟩) = Σ_j m_j − ⟨S_j, θ_j⟩
//
// with u_i the direction of row i, θ_j the center of its cluster and S_j the sum
// of the directions in cluster j.
func (c *clusterer) Update(_ context.Context, m *framework.Model, s framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	at := &framework.Point{X: framework.NewMatrix(c.k, c.p), RowMass: append([]float64(nil), s[mass]...)}
	step := framework.Step{Mass: at.RowMass}
	for j, n := range s[mass] {
		step.Objective += n
		for l, v := range s[sum][j*c.p : (j+1)*c.p] {
			step.Objective -= v * m.Centers.Row(j)[l]
			if n > 0 {
				at.X.Row(j)[l] = v / n
			}
		}
	}
	step.At[framework.Centers] = at
	return step, nil
}

// Project implements framework.Clusterer: onto the unit sphere. A mean that is
// 0 but for rounding has no direction, and its center is 0.
func (c *clusterer) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	const rounding = 1e-14
	for j := range c.k {
		center := m.Centers.Row(j)
		n := length(at.X.Row(j), rounding)
		for l, v := range at.X.Row(j) {
			center[l] = 0
			if n > 0 {
				center[l] = v / n
			}
		}
	}
	m.Round++
	return framework.Outcome{}, nil
}

// Distances implements framework.Clusterer.
func (c *clusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	for i := range b.X.Rows {
		for j := range c.k {
			dst.Row(i)[j] = c.distance(b.X.Row(i), m.Centers.Row(j))
		}
	}
	return nil
}
