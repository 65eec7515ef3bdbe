package main

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Spherical clusters rows by their direction: each row counts as the unit vector of
// the same direction, centers are unit vectors, and the distance is 1 − cos of the
// angle between them. A row of zeros has no direction; its distance to every center
// is 1. (sqlcluster has an algorithm spherical of its own, whose rows are made unit
// vectors before. This one has another name, so that it can be added.)
//
// Source: Dhillon and Modha (2001), Concept decompositions for large sparse text
// data using clustering, https://doi.org/10.1023/A:1007612920971.
type Spherical struct{}

// Describe implements framework.Algorithm. Directions are relative to the origin, so
// columns are not centered.
func (Spherical) Describe() framework.Description {
	return framework.Description{
		Name: "my_spherical", Version: "1.0.1",
		Summary: "spherical k-means: clusters of rows that point in the same direction",
		Paper: "Dhillon and Modha (2001), Concept decompositions for large sparse text data using clustering, " +
			"https://doi.org/10.1023/A:1007612920971",
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
			WithHint("use %s", framework.SettingTo("nulls", "drop"))
	}
	return &clusterer{k: p.K, p: p.P, minNorm: p.Params.Real("min_norm")}, nil
}

// clusterer is Spherical bound to a problem. It keeps nothing between calls.
type clusterer struct {
	k, p    int
	minNorm float64
}

// The statistics: how many rows a cluster has, their weight, and the weighted sum of
// their directions.
const (
	rows = iota
	mass
	sum
)

// Plan implements framework.Clusterer.
func (c *clusterer) Plan() framework.Plan {
	p := framework.Plan{Stats: []framework.Stat{{Name: "rows", Len: c.k}, {Name: "mass", Len: c.k}, {Name: "sum", Len: c.k * c.p}},
		Monotone: true}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	return p
}

// Begin implements framework.Clusterer.
func (c *clusterer) Begin() *framework.Model {
	return &framework.Model{Centers: framework.NewMatrix(c.k, c.p)}
}

// Scratch implements framework.Clusterer: memory for the direction of a row.
func (c *clusterer) Scratch(int) framework.Scratch { return make([]float64, c.p) }

// direct writes the direction of x, a unit vector, to unit, and reports whether x has
// one: whether it is longer than least.
func direct(unit, x []float64, least float64) bool {
	n := floats.Norm(x, 2)
	if n <= least {
		return false
	}
	for l, v := range x {
		unit[l] = v / n // 1/n may be infinite
	}
	return true
}

// distances writes 1 − cos of the angle between x and each center to dst. It computes
// half the squared distance of their unit vectors, which is never below 0.
func (c *clusterer) distances(dst, x []float64, m *framework.Model, unit []float64) {
	directed := direct(unit, x, c.minNorm)
	for j := range dst {
		dst[j] = 1
		if center := m.Centers.Row(j); directed && floats.Norm(center, 2) > 0 {
			d := floats.Distance(unit, center, 2)
			dst[j] = d * d / 2
		}
	}
}

// Assign implements framework.Clusterer.
func (c *clusterer) Assign(m *framework.Model, b framework.Block, labels []int32, scratch framework.Scratch) error {
	d := make([]float64, c.k)
	for i := range b.X.Rows {
		c.distances(d, b.X.Row(i), m, scratch.([]float64))
		labels[i] = int32(floats.MinIdx(d)) // ties go to the lowest index
	}
	return nil
}

// Collect implements framework.Clusterer.
func (c *clusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	unit := make([]float64, c.p)
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f == t {
			continue
		}
		directed := direct(unit, b.X.Row(i), c.minNorm)
		for _, move := range []struct {
			cluster int32
			sign    float64
		}{{f, -1}, {t, 1}} {
			w := b.Weight(i)
			if move.cluster < 0 || w == 0 {
				continue
			}
			s[rows][move.cluster] += move.sign
			s[mass][move.cluster] += move.sign * w
			if directed {
				floats.AddScaled(c.sums(s).Row(int(move.cluster)), move.sign*w, unit)
			}
		}
	}
	return nil
}

// sums returns the sums of directions, one row for each cluster.
func (c *clusterer) sums(s framework.Stats) framework.Matrix {
	return framework.Matrix{Rows: c.k, Cols: c.p, Data: s[sum]}
}

// Update implements framework.Clusterer. The objective is
//
//	Σ_i w_i (1 − ⟨u_i, θ_j⟩) = Σ_j m_j − ⟨S_j, θ_j⟩
//
// where u_i is the direction of row i, θ_j the center of its cluster, m_j the weight
// of the rows in cluster j, and S_j the sum of their directions.
func (c *clusterer) Update(_ context.Context, m *framework.Model, s framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	at := &framework.Point{X: framework.NewMatrix(c.k, c.p), RowMass: make([]float64, c.k)}
	step := framework.Step{Mass: at.RowMass}
	for j, n := range s[mass] {
		if s[rows][j] == 0 { // rounding may have left some mass
			continue
		}
		at.RowMass[j] = n
		directions := c.sums(s).Row(j)
		step.Objective += n - floats.Dot(directions, m.Centers.Row(j))
		floats.ScaleTo(at.X.Row(j), 1/n, directions)
	}
	step.At[framework.Centers] = at
	return step, nil
}

// Project implements framework.Clusterer: onto the unit sphere. A mean that is 0 up
// to rounding has no direction, and its center is 0.
func (c *clusterer) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	const rounding = 1e-14
	for j := range c.k {
		if center := m.Centers.Row(j); !direct(center, at.X.Row(j), rounding) {
			clear(center)
		}
	}
	m.Round++
	return framework.Outcome{}, nil
}

// Distances implements framework.Clusterer.
func (c *clusterer) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	unit := make([]float64, c.p)
	for i := range b.X.Rows {
		c.distances(dst.Row(i), b.X.Row(i), m, unit)
	}
	return nil
}
