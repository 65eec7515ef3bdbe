package means

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Sums are the statistics of means: the mass of each cluster, the sum of each
// feature in each cluster and, when cells are missing, the mass of the observed
// cells.
type Sums struct {
	K, P    int
	Missing bool // cells may be NaN
	Columns []framework.Column
}

// Positions in framework.Stats.
const (
	mass = iota
	sum
	cells
)

// NewSums returns the statistics for a problem.
func NewSums(p framework.Problem) Sums {
	return Sums{K: p.K, P: p.P, Missing: framework.HasMissing(p.Columns), Columns: p.Columns}
}

// Declare returns the declaration of the statistics.
func (s Sums) Declare() []framework.Stat {
	d := []framework.Stat{{Name: "mass", Len: s.K}, {Name: "sum", Len: s.K * s.P}}
	if s.Missing {
		d = append(d, framework.Stat{Name: "cell_mass", Len: s.K * s.P})
	}
	return d
}

// Collect implements framework.Clusterer.
func (s Sums) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f == t {
			continue
		}
		row, w := b.X.Row(i), b.Weight(i)
		if f >= 0 {
			s.add(st, int(f), row, -w)
		}
		if t >= 0 {
			s.add(st, int(t), row, w)
		}
	}
	return nil
}

// add adds a row of weight w to cluster j.
func (s Sums) add(st framework.Stats, j int, row []float64, w float64) {
	st[mass][j] += w
	sums := st[sum][j*s.P : (j+1)*s.P]
	if !s.Missing {
		for l, v := range row {
			sums[l] += w * v
		}
		return
	}
	counts := st[cells][j*s.P : (j+1)*s.P]
	for l, v := range row {
		if v == v {
			sums[l] += w * v
			counts[l] += w
		}
	}
}

// Mass returns n_j, the mass of each cluster (shared memory, not to be written).
func (s Sums) Mass(st framework.Stats) []float64 { return st[mass] }

// CellMass returns m_jl.
func (s Sums) CellMass(st framework.Stats, j, l int) float64 {
	if s.Missing {
		return st[cells][j*s.P+l]
	}
	return st[mass][j]
}

// Means writes μ to dst (k×p). Where nothing was observed it writes 0, the
// origin of the fitted space.
func (s Sums) Means(dst framework.Matrix, st framework.Stats) {
	for i, total := range st[sum] {
		dst.Data[i] = 0
		if m := s.CellMass(st, i/s.P, i%s.P); m > 0 {
			dst.Data[i] = total / m
		}
	}
}

// Objective returns the sum over the observed cells of weight · (x_il − θ_jl)²,
// j being the row's cluster, without reading a row:
//
//	Σ_l [ Σ_i x_il² − Σ_j S_jl²/m_jl ] + Σ_jl m_jl (μ_jl − θ_jl)²
//
// The bracket is the within-cluster sum of squares of feature l. Its rounding
// error is of the order of 1e-16 times the total sum of squares.
func (s Sums) Objective(theta framework.Matrix, st framework.Stats) float64 {
	var total float64
	for l := range s.P {
		within, shift := s.Columns[l].SumSq, 0.0
		for j := range s.K {
			m := s.CellMass(st, j, l)
			if m <= 0 {
				continue
			}
			i := j*s.P + l
			mean := st[sum][i] / m
			within -= st[sum][i] * mean
			shift += m * (mean - theta.Data[i]) * (mean - theta.Data[i])
		}
		total += math.Max(within, 0) + shift
	}
	return total
}
