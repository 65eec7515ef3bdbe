package constraint

import (
	"math"
	"slices"
)

// A program is convex sets that share entries y_0 … y_(n−1), written out:
//
//	lo ≤ y ≤ hi,   ⟨a, y⟩ ≤ b or = b,   y rises,   Σ |y_i| ≤ r,   ‖y‖ ≤ r
//
// all but the first over some of the entries each.
type program struct {
	lo, hi []float64
	rows   []row
	chains []chain
	l1, l2 []ball
	held   bool // lo is hi where a nearest point was found, but for rounding
}

// apart returns the distance, relative to the numbers in play, from which on
// sets have no point in common. Less is rounding.
func (p *program) apart() float64 {
	if p.held {
		return feasible
	}
	return 1e-12
}

// A row is a linear inequality, or equation. of is sorted by the set's order.
type row struct {
	of    []int
	coef  []float64 // of the order of 1
	bound float64
	equal bool
}

// A chain is entries that rise.
type chain struct {
	of []int
	Monotone
}

// A ball is an L1 or L2 ball about 0.
type ball struct {
	of []int
	r  float64
}

// write adds a set of some entries to the program.
func (p *program) write(set vector, of []int) {
	switch s := set.(type) {
	case HalfSpace:
		if unit := unitOf(s.Coef); unit != 0 && !math.IsInf(s.Bound, 1) {
			p.rows = append(p.rows, row{of: of, coef: scaledBy(s.Coef, unit), bound: s.Bound * unit})
		}
	case Simplex:
		least, most := 0.0, math.Inf(1)
		if s.Radius == 0 {
			most = 0
		}
		p.narrow(of, least, most)
		if s.Radius > 0 {
			p.rows = append(p.rows, row{of: of, coef: ones(len(of)), bound: s.Radius, equal: true})
		}
	case L1Ball:
		p.l1 = p.round(p.l1, of, s.Radius)
	case L2Ball:
		p.l2 = p.round(p.l2, of, s.Radius)
	case Monotone:
		p.chains = append(p.chains, chain{of, s})
	}
}

// links returns the rows that say what a chain says.
func (c chain) links() []row {
	var rows []row
	for i := 1; i < len(c.of); i++ {
		// s_(i−1) y_(i−1) + m_(i−1) ≤ s_i y_i + m_i
		a, b := scaleOf(c.Scale, i-1), scaleOf(c.Scale, i)
		unit := unitOf([]float64{a, b})
		rise := c.original(i, 0) - c.original(i-1, 0)
		rows = append(rows, row{of: c.of[i-1 : i+1], coef: []float64{a * unit, -b * unit}, bound: rise * unit})
	}
	return rows
}

// round adds a ball to those of its kind. A radius of 0 is a bound.
func (p *program) round(balls []ball, of []int, r float64) []ball {
	switch {
	case r == 0:
		p.narrow(of, 0, 0)
		return balls
	case math.IsInf(r, 1):
		return balls
	}
	return append(balls, ball{of, r})
}

func (p *program) narrow(of []int, lo, hi float64) {
	for _, i := range of {
		p.lo[i], p.hi[i] = max(p.lo[i], lo), min(p.hi[i], hi)
	}
}

// scaleOf returns scale i, which is 1 where there are none.
func scaleOf(scale []float64, i int) float64 {
	if scale == nil {
		return 1
	}
	return scale[i]
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func scaledBy(x []float64, c float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * c
	}
	return y
}
