package means

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// Sums are the statistics of means: the mass of each cluster, the sum of each
// feature in each cluster and, when cells are missing, the mass of the observed
// cells. Rows of fractional weight are also counted: rounding may leave a
// little mass where no row is any more.
type Sums struct {
	K, P     int
	Missing  bool // cells may be NaN
	Weighted bool // rows have weights

	origin []float64 // by column: sums are of x − origin; nil: all 0
	sumSq  []float64 // by column: Σ weight · (x − origin)²
}

// Positions in framework.Stats, without missing cells and with them.
const (
	mass = iota
	sum
	cells // with missing cells only
)

// NewSums returns the statistics for a problem. Columns that are far from 0 for
// their spread are summed about a point near their mean, so that the objective
// does not drown in rounding.
func NewSums(p framework.Problem) Sums {
	s := Sums{K: p.K, P: p.P, Missing: framework.HasMissing(p.Columns), Weighted: p.Weighted, sumSq: make([]float64, p.P)}
	for l, c := range p.Columns {
		o := originOf(c)
		if o != 0 && s.origin == nil {
			s.origin = make([]float64, p.P)
		}
		if o != 0 {
			s.origin[l] = o
		}
		s.sumSq[l] = c.SumSq + float64(c.Mass*(c.Mean-o)*(c.Mean-o))
	}
	return s
}

// originOf returns 0 for a column whose mean is within a standard deviation of
// 0, and otherwise a number within half of one of the mean. It is a multiple of
// a power of two near the standard deviation, so that subtracting it is mostly
// exact.
func originOf(c framework.Column) float64 {
	if !(c.Mass > 0) || c.Mass*c.Mean*c.Mean <= c.SumSq {
		return 0
	}
	if c.Constant() {
		return c.Min
	}
	_, exponent := math.Frexp(math.Sqrt(c.SumSq / c.Mass))
	unit := math.Ldexp(1, exponent-1)
	return float64(math.Round(c.Mean/unit) * unit) // not fused with the caller's sums
}

// Declare returns the declaration of the statistics.
func (s Sums) Declare() []framework.Stat {
	d := []framework.Stat{{Name: "mass", Len: s.K}, {Name: "sum", Len: s.K * s.P}}
	if s.Missing {
		d = append(d, framework.Stat{Name: "cell_mass", Len: s.K * s.P})
	}
	if s.Weighted {
		rows := s.K // of clusters, and behind them of entries
		if s.Missing {
			rows += s.K * s.P
		}
		d = append(d, framework.Stat{Name: "rows", Len: rows})
	}
	return d
}

// Collect implements framework.Clusterer.
func (s Sums) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	sums := kernel.Sums{Mass: st[mass], Sum: st[sum], Origin: s.origin}
	if s.Missing {
		sums.Count = st[cells]
	}
	sums.Move(b.X.Data, from, to, b.RowWeight)
	if s.Weighted {
		s.count(b, from, to, st[len(st)-1])
	}
	return nil
}

// count counts the rows of positive weight, and their cells when some are missing.
func (s Sums) count(b framework.Block, from, to []int32, rows []float64) {
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f == t || b.Weight(i) == 0 {
			continue
		}
		for _, change := range [...]struct {
			cluster int32
			by      float64
		}{{f, -1}, {t, 1}} {
			j := int(change.cluster)
			if j < 0 {
				continue
			}
			rows[j] += change.by
			if !s.Missing {
				continue
			}
			of := rows[s.K+j*s.P:]
			for l, v := range b.X.Row(i) {
				if v == v {
					of[l] += change.by
				}
			}
		}
	}
}

// An Update is what follows from statistics. It is room for one model, to be
// used again and again.
type Update struct {
	Objective float64
	Mean      framework.Matrix // k×p: μ; 0, the origin of the fitted space, where nothing was observed
	Mass      []float64        // length k: n_j
	CellMass  []float64        // length k·p: m_jl; nil when no cell is missing
	column    []float64
	total     []float64 // length p, for Between: the mass of a feature
	center    []float64 // and its mean
}

// Update computes the means, and the sum over the observed cells of
// weight · (x_il − θ_jl)², j being the row's cluster, without reading a row.
// With o the origin of the sums, it is
//
//	Σ_l [ Σ_i (x_il − o_l)² − Σ_j S_jl²/m_jl ] + Σ_jl m_jl (μ_jl − θ_jl)²
//
// The bracket is the within-cluster sum of squares of feature l. Its rounding
// error is of the order of 1e-16 times Σ_i (x_il − o_l)², which is at most
// twice the sum of squares about the mean. Every row must have a label.
func (s Sums) Update(u *Update, theta framework.Matrix, st framework.Stats) {
	if u.column == nil {
		u.Mean, u.column = framework.NewMatrix(s.K, s.P), make([]float64, s.P)
	}
	u.Mass = append(u.Mass[:0], st[mass]...)
	if s.Missing {
		u.CellMass = append(u.CellMass[:0], st[cells]...)
	}
	if s.Weighted {
		rows := st[len(st)-1]
		dropRest(u.Mass, rows[:s.K])
		dropRest(u.CellMass, rows[s.K:])
	}
	kernel.Sums{Mass: u.Mass, Count: u.CellMass, Sum: st[sum], Origin: s.origin}.Means(u.Mean.Data, theta.Data, s.sumSq, u.column)
	u.Objective = 0
	for _, v := range u.column {
		u.Objective += v
	}
}

// dropRest sets masses to 0 where there are no rows, and not what rounding has
// left.
func dropRest(masses, rows []float64) {
	for i, n := range rows {
		if n == 0 {
			masses[i] = 0
		}
	}
}
