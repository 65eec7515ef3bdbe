package means

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// Sums are the statistics of means: the mass of each cluster, the sum of each
// feature in each cluster and, when cells are missing, the mass of the observed
// cells.
//
// Sums of rows without weights are in two parts (see kernel.Sums), so that the
// mean of equal cells is that cell, to the last digit. Rows that are equally far
// from two such centers then have distances with equal bits. Rows with weights are
// also counted and summed without them, for two reasons: rounding may leave a
// little mass in a cluster that has lost its rows, and the mean of equal cells is
// exact only without weights.
//
// This holds for statistics that were collected anew, such as those that a run
// settles with. Sums that large rows were added to and taken from may keep the
// rounding errors.
type Sums struct {
	K, P     int
	Missing  bool // cells may be NaN
	Weighted bool // rows have weights

	origin []float64 // by column: sums are of x − origin; nil: all 0
	sumSq  []float64 // by column: Σ weight · (x − origin)²

	// base is that of sparse rows, about which all their sums are; nil: rows are dense.
	base  []float64
	based bool // some base is not 0
}

// parts are the statistics of a problem.
type parts struct {
	weighted kernel.Sums // where rows have weights
	counted  kernel.Sums // of the rows without their weights
}

// parts finds the statistics that Declare declares.
func (s Sums) parts(st framework.Stats) parts {
	var all parts
	next := func() []float64 {
		one := st[0]
		st = st[1:]
		return one
	}
	if s.Weighted {
		all.weighted = kernel.Sums{Mass: next(), Sum: next(), Origin: s.origin}
		if s.Missing {
			all.weighted.Count = next()
		}
	}
	all.counted = kernel.Sums{Mass: next(), Sum: next(), Low: next(), Origin: s.origin}
	if s.Missing {
		all.counted.Count = next()
	}
	return all
}

// NewSums returns the statistics for a problem. Where the mean of a column is
// large next to its spread, squares and weighted sums are about a point near the
// mean, so that the objective does not drown in rounding.
func NewSums(p framework.Problem) Sums {
	s := Sums{K: p.K, P: p.P, Missing: framework.HasMissing(p.Columns), Weighted: p.Weighted, sumSq: make([]float64, p.P)}
	if p.Sparse {
		s.base = make([]float64, p.P)
	}
	for l, c := range p.Columns {
		if p.Sparse {
			s.base[l], s.based = c.Base, s.based || c.Base != 0
			s.sumSq[l] = c.SumSq + float64(c.Mass*(c.Mean-c.Base)*(c.Mean-c.Base))
			continue
		}
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
	var d []framework.Stat
	if s.Weighted {
		d = append(d, framework.Stat{Name: "mass", Len: s.K}, framework.Stat{Name: "sum", Len: s.K * s.P})
		if s.Missing {
			d = append(d, framework.Stat{Name: "cell_mass", Len: s.K * s.P})
		}
	}
	d = append(d, framework.Stat{Name: "rows", Len: s.K},
		framework.Stat{Name: "high", Len: s.K * s.P}, framework.Stat{Name: "low", Len: s.K * s.P})
	if s.Missing {
		d = append(d, framework.Stat{Name: "cells", Len: s.K * s.P})
	}
	return d
}

// Collect implements framework.Clusterer.
func (s Sums) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	all := s.parts(st)
	if b.Sparse != nil {
		if s.Weighted {
			all.weighted.MoveEntries(entriesOf(b.Sparse), from, to, b.RowWeight)
		}
		all.counted.MoveEntries(entriesOf(b.Sparse), from, to, b.RowWeight)
		return nil
	}
	if s.Weighted {
		all.weighted.Move(b.X.Data, from, to, b.RowWeight)
	}
	all.counted.Move(b.X.Data, from, to, b.RowWeight)
	return nil
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
	center    []float64 // its mean,
	first     []float64 // and that of the first cluster that has some

	// Of sparse rows: the centers less the base, where some of it is not 0, and the observed cells with and without
	// their weights.
	theta          []float64
	cells, counted []float64
}

// Update computes the means, and the sum over the observed cells of
// weight · (x_il − θ_jl)², with j the row's cluster, without reading a row.
// With o the origin of the sums, it is
//
//	Σ_l [ Σ_i (x_il − o_l)² − Σ_j S_jl²/m_jl ] + Σ_jl m_jl (μ_jl − θ_jl)²
//
// The bracket is the within-cluster sum of squares of feature l. Its rounding
// error is of the order of 1e-16 times Σ_i (x_il − o_l)², which is at most
// twice the sum of squares about the mean. It is right if every row has a label; the
// means and masses are also right without.
func (s Sums) Update(u *Update, theta framework.Matrix, st framework.Stats) {
	s.update(u, theta, st, nil)
}

// update is Update with Model.Share.
func (s Sums) update(u *Update, theta framework.Matrix, st framework.Stats, share func(n int, work func(i int))) {
	if u.column == nil {
		u.Mean, u.column = newMatrix(s.K, s.P), make([]float64, s.P)
	}
	all := s.parts(st)
	if s.base != nil {
		theta = s.aboutBase(u, &all, theta)
	}
	use := all.counted
	if s.Weighted {
		use = all.weighted
	}
	u.Mass = append(u.Mass[:0], use.Mass...)
	if s.Missing {
		u.CellMass = append(u.CellMass[:0], use.Count...)
	}
	if s.Weighted {
		dropRest(u.Mass, all.counted.Mass)
		dropRest(u.CellMass, all.counted.Count)
	}
	use.Mass, use.Count = u.Mass, u.CellMass
	use.Means(u.Mean.Data, theta.Data, s.sumSq, u.column, share)
	if s.Weighted {
		about(u.Mean, use)
		equalCells(u.Mean, all.counted)
	}
	if s.based {
		s.addBase(u)
	}
	objective := 0.0 // in a register
	for _, v := range u.column {
		objective += v
	}
	u.Objective = objective
}

// aboutBase returns theta less the base, and makes observed cells of missing ones.
func (s Sums) aboutBase(u *Update, all *parts, theta framework.Matrix) framework.Matrix {
	if s.based {
		u.theta = slices.Grow(u.theta[:0], len(theta.Data))[:0]
		for j := range theta.Rows {
			for l, v := range theta.Row(j) {
				u.theta = append(u.theta, v-s.base[l])
			}
		}
		theta.Data = u.theta
	}
	observed := func(room, missing, mass []float64) []float64 {
		room = slices.Grow(room[:0], len(missing))[:0]
		for i, v := range missing {
			room = append(room, mass[i/s.P]-v)
		}
		return room
	}
	if s.Missing {
		if s.Weighted {
			u.cells = observed(u.cells, all.weighted.Count, all.weighted.Mass)
			all.weighted.Count = u.cells
		}
		u.counted = observed(u.counted, all.counted.Count, all.counted.Mass)
		all.counted.Count = u.counted
	}
	return theta
}

// addBase makes means of those less the base; they stay 0 where nothing was observed.
func (s Sums) addBase(u *Update) {
	for j := range s.K {
		if u.CellMass == nil && !(u.Mass[j] > 0) {
			continue
		}
		for l, v := range u.Mean.Row(j) {
			if u.CellMass == nil || u.massOf(j, l) > 0 {
				u.Mean.Row(j)[l] = v + s.base[l]
			}
		}
	}
}

// dropRest removes the mass that rounding has left where there are no rows.
func dropRest(masses, rows []float64) {
	for i := range masses {
		if rows[i] == 0 {
			masses[i] = 0
		}
	}
}

// about computes the means of sums about an origin o as
//
//	(S_jl + m_jl o_l) / m_jl
//
// which is rounded once if sums and weights are exact, so that a row of weight 2
// and two rows have the same mean; o_l + S_jl/m_jl would be rounded twice.
func about(mean framework.Matrix, sums kernel.Sums) {
	for l, o := range sums.Origin {
		if o == 0 {
			continue
		}
		for j, m := range sums.Mass {
			i := j*mean.Cols + l
			if sums.Count != nil {
				m = sums.Count[i]
			}
			if m > 0 {
				mean.Data[i] = math.FMA(m, o, sums.Sum[i]) / m
			}
		}
	}
}

// equalCells replaces weighted means that may be of equal cells by the mean without
// weights, which is that cell to the last digit. Weights such as 0.1, and products
// with them, are rounded: the weighted mean of n equal cells x, with o the origin,
// is known to
//
//	2n·u·|x − o| + 3u·|x|,   u = 2⁻⁵³
//
// since each sum adds n products, with n roundings in all, and the origin is
// subtracted and added once, before the division. Means that differ by less than
// this cannot be told apart.
func equalCells(mean framework.Matrix, rows kernel.Sums) {
	for j := range mean.Rows {
		n := rows.Mass[j]
		for l, mu := range mean.Row(j) {
			i := j*mean.Cols + l
			if rows.Count != nil {
				n = rows.Count[i]
			}
			if !(n > 0) {
				continue
			}
			plain := rows.Sum[i]/n + float64(rows.Low[i]*(1/n))
			off := math.Abs(plain)
			if rows.Origin != nil {
				off = math.Abs(plain - rows.Origin[l])
			}
			// One more n and u are for what is of the order of u².
			if math.Abs(mu-plain) <= float64((n+1)*off*0x1p-52)+float64(math.Abs(plain)*0x1p-50) {
				mean.Row(j)[l] = plain
			}
		}
	}
}
