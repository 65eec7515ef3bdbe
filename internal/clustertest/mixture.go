package clustertest

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Mixture is a design of rows in normal clusters of variance 1, of different sizes,
// with Noise columns that tell nothing.
type Mixture struct {
	K, P, N, Noise int
	Seed           uint64
}

// Centers returns the centers of the design, K × P, and the share of the rows that
// each has. They are spread so far that the best possible classifier, that knows all
// of it, is wrong for about 2 % of rows (1 to 3 %): measured with 4000 simulated rows.
func (m Mixture) Centers() (framework.Matrix, []float64) {
	r := framework.Rand(m.Seed, "mixture-centers")
	c := framework.NewMatrix(m.K, m.P)
	for i := range c.Data {
		c.Data[i] = r.NormFloat64()
	}
	share, sum := make([]float64, m.K), 0.0
	for j := range share {
		share[j] = 1 + r.Float64()
		sum += share[j]
	}
	for j := range share {
		share[j] /= sum
	}
	low, high := 0.0, 64.0
	for range 24 {
		if middle := (low + high) / 2; m.bayesError(c, share, middle) > 0.02 {
			low = middle
		} else {
			high = middle
		}
	}
	for i := range c.Data {
		c.Data[i] *= high
	}
	return c, share
}

// bayesError returns the part of simulated rows that are likelier in another cluster,
// with centers of a spread.
func (m Mixture) bayesError(c framework.Matrix, share []float64, spread float64) float64 {
	const rows = 4000
	r := framework.Rand(m.Seed, "mixture-error")
	x := make([]float64, m.P)
	wrong := 0
	for range rows {
		own := draw(share, r.Float64())
		for l := range x {
			x[l] = spread*c.Row(own)[l] + r.NormFloat64()
		}
		best, most := 0, math.Inf(-1)
		for j := range share {
			d := 0.0
			for l, v := range c.Row(j) {
				d += (x[l] - spread*v) * (x[l] - spread*v)
			}
			if v := math.Log(share[j]) - d/2; v > most {
				best, most = j, v
			}
		}
		if best != own {
			wrong++
		}
	}
	return float64(wrong) / rows
}

func draw(share []float64, u float64) int {
	for j, s := range share {
		if u -= s; u < 0 {
			return j
		}
	}
	return len(share) - 1
}

// Rows draws the rows, noise last, and the cluster of each.
func (m Mixture) Rows() (Rows, []int32) {
	c, share := m.Centers()
	r := framework.Rand(m.Seed, "mixture-rows")
	rows, labels := Rows{X: framework.NewMatrix(m.N, m.P+m.Noise), Size: m.N}, make([]int32, m.N)
	for i := range labels {
		j := draw(share, r.Float64())
		labels[i] = int32(j)
		for l := range rows.X.Row(i) {
			rows.X.Row(i)[l] = r.NormFloat64()
			if l < m.P {
				rows.X.Row(i)[l] += c.Row(j)[l]
			}
		}
	}
	return rows, labels
}

// A Blob is a design of rows without clusters: uniform in a box, or normal; in
// columns that are independent, or a random linear map of such.
type Blob struct {
	P, N                int
	Uniform, Correlated bool
	Seed                uint64
}

// Rows draws the rows.
func (b Blob) Rows() Rows {
	r := framework.Rand(b.Seed, "blob")
	rows := Rows{X: framework.NewMatrix(b.N, b.P), Size: b.N}
	linear := framework.NewMatrix(b.P, b.P)
	for i := range linear.Data {
		linear.Data[i] = r.NormFloat64()
	}
	z := make([]float64, b.P)
	for i := range b.N {
		x := rows.X.Row(i)
		for l := range z {
			if z[l] = r.NormFloat64(); b.Uniform {
				z[l] = r.Float64()
			}
		}
		if !b.Correlated {
			copy(x, z)
			continue
		}
		for l := range x {
			for h, v := range z {
				x[l] += linear.Row(l)[h] * v
			}
		}
	}
	return rows
}
