package skfr

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

const versionSpherical = "1.0.0"

// Spherical is spherical k-means: rows and centers have length 1, and a row belongs to
// the center with which it has the largest cosine. The recipe makes rows of length 1
// (Description.Norm).
//
// # The objective
//
// For x and θ of length 1, ‖x − θ‖² = 2 (1 − ⟨x, θ⟩) = 2 (1 − cos), so the nearest center
// is that of the largest cosine, and the objective
//
//	Σ_i w_i ‖x_i − θ_c(i)‖² = 2 Σ_i w_i (1 − cos(x_i, θ_c(i)))
//
// is that of the paper, which adds cosines up. A row of zeros is as far from every center.
//
// # It never rises
//
// An assignment takes the nearest of the centers that there are. Of all θ of length 1,
// with μ the mean of the n rows (by weight) of a cluster,
//
//	Σ_i w_i ‖x_i − θ‖² = Σ_i w_i (‖x_i‖² + 1) − 2 n ⟨μ, θ⟩
//
// is least where ⟨μ, θ⟩ is largest, which by Cauchy and Schwarz is θ = μ/‖μ‖; with μ = 0
// all θ are equally good, and the center stays where it is. Rows need not have length 1
// for this, so that it also holds for drawn rows (tune), and for some of the rows (trim).
//
// Source: Dhillon and Modha (2001), Concept decompositions for large sparse text data
// using clustering, sections 3 and 4, https://doi.org/10.1023/A:1007612920971.
type Spherical struct{}

var _ framework.Algorithm = Spherical{}

// Describe implements framework.Algorithm.
func (Spherical) Describe() framework.Description {
	return framework.Description{
		Name: "spherical", Version: versionSpherical,
		Summary: "spherical k-means: rows of length 1, each with the center of the largest cosine",
		Paper: "Dhillon and Modha (2001), Concept decompositions for large sparse text data using clustering, " +
			"https://doi.org/10.1023/A:1007612920971",
		Sparse: true, Labels: true, Trims: true, Empty: framework.Reseed, Norm: "l2", Scale: "raw", Center: "none",
	}
}

// New implements framework.Algorithm. It refuses missing cells: without them a row has
// another length, and with the others alone the best center is not the mean's direction.
func (Spherical) New(p framework.Problem) (framework.Clusterer, error) {
	if framework.HasMissing(p.Columns) {
		return nil, framework.Faultf(framework.Data, "missing-values", "the angle of a row with missing cells is not known").
			WithHint("use %s, or put 0 in their place in a query: coalesce(COLUMN, 0)", framework.SettingTo("nulls", "drop"))
	}
	return &spherical{means.NewLloyd(p, means.Squared)}, nil
}

// spherical is k-means whose centers are projected onto the unit sphere.
type spherical struct{ *means.Lloyd }

var _ framework.Selector = (*spherical)(nil)

// Begin implements framework.Clusterer.
func (c *spherical) Begin() *framework.Model {
	m := c.Lloyd.Begin()
	m.Gain = make([]float64, c.Problem.P)
	return m
}

// shortest is the length of a mean that may be 0 but for rounding.
const shortest = 1e-14

// Project implements framework.Clusterer: each mean is divided by its length. A mean of 0,
// as that of a cluster without rows, has no direction: its center stays where it is. One
// that has not been anywhere goes to the first axis. The gain of a feature is what it adds
// to the sum of the cosines, Σ_j n_j μ_jl θ_jl.
func (c *spherical) Project(m *framework.Model, _ framework.Target, at framework.Point) (framework.Outcome, error) {
	clear(m.Gain)
	for j := range c.Problem.K {
		center, mean := m.Centers.Row(j), at.X.Row(j)
		if n := length(mean); n > shortest && at.RowMass[j] > 0 {
			for l, v := range mean {
				center[l] = v / n
				m.Gain[l] += float64(at.RowMass[j] * float64(v*center[l]))
			}
			continue
		}
		switch n := length(center); {
		case n == 0:
			center[0] = 1
		case math.Abs(n-1) > 1e-12: // of a start
			for l := range center {
				center[l] /= n
			}
		}
	}
	m.Round++
	return framework.Outcome{}, nil
}

// length returns the Euclidean length of a mean of rows of length 1, or of a center.
func length(x []float64) float64 {
	var squares float64
	for _, v := range x {
		squares += float64(v * v)
	}
	return math.Sqrt(squares)
}

// Features implements framework.Selector: all are selected.
func (c *spherical) Features(m *framework.Model) []framework.Feature {
	return allSelected(m.Gain)
}

// allSelected returns features of which none is dropped, without ranks.
func allSelected(gain []float64) []framework.Feature {
	all := make([]framework.Feature, len(gain))
	for l, g := range gain {
		all[l] = framework.Feature{Column: l, Cluster: -1, Selected: true, Weight: math.NaN(), Gain: g}
	}
	return all
}
