package qp

import (
	"math"
	"slices"
)

// A Program has the constraints of several convex sets on entries y_0 … y_(n−1):
//
//	Lo ≤ y ≤ Hi,   ⟨a, y⟩ ≤ b or = b,   y rises,   Σ |y_i| ≤ r,   ‖y‖ ≤ r
//
// All but the first may be on some of the entries. Sets write themselves into it.
type Program struct {
	Lo, Hi []float64
	rows   []row
	chains []chain
	l1, l2 []ball
	held   bool // some entries have Lo = Hi, at a nearest point with its rounding
}

// Free returns a program of n entries without constraints.
func Free(n int) *Program {
	return &Program{Lo: slices.Repeat([]float64{math.Inf(-1)}, n), Hi: slices.Repeat([]float64{math.Inf(1)}, n)}
}

// Bound adds lo ≤ y_i ≤ hi.
func (p *Program) Bound(i int, lo, hi float64) { p.Lo[i], p.Hi[i] = max(p.Lo[i], lo), min(p.Hi[i], hi) }

// HalfSpace adds ⟨coef, y⟩ ≤ bound, over the entries of.
func (p *Program) HalfSpace(of []int, coef []float64, bound float64) {
	if unit := unitOf(coef); unit != 0 && !math.IsInf(bound, 1) {
		p.rows = append(p.rows, row{of: of, coef: scaledBy(coef, unit), bound: bound * unit})
	}
}

// Simplex requires that entries are not negative and sum to r.
func (p *Program) Simplex(of []int, r float64) {
	if r == 0 {
		p.zero(of)
		return
	}
	for _, i := range of {
		p.Bound(i, 0, math.Inf(1))
	}
	p.rows = append(p.rows, row{of: of, coef: ones(len(of)), bound: r, equal: true})
}

// L1Ball requires that absolute values sum to at most r.
func (p *Program) L1Ball(of []int, r float64) { p.l1 = p.round(p.l1, of, r) }

// L2Ball requires that the norm is at most r.
func (p *Program) L2Ball(of []int, r float64) { p.l2 = p.round(p.l2, of, r) }

// Rise requires that entries are in an order.
func (p *Program) Rise(of []int, by Order) { p.chains = append(p.chains, chain{of, by}) }

// Holding returns the program with some entries held where they are in y.
func (p *Program) Holding(entries []int, y []float64) *Program {
	h := *p
	h.Lo, h.Hi, h.held = slices.Clone(p.Lo), slices.Clone(p.Hi), true
	for _, l := range entries {
		h.Lo[l], h.Hi[l] = y[l], y[l]
	}
	return &h
}

// apart returns the distance, relative to the largest number involved, from which on
// sets have no common point. Smaller distances are rounding.
func (p *Program) apart() float64 {
	if p.held {
		return Feasible
	}
	return 1e-12
}

// A row is a linear inequality, or equation. of is sorted by the set's order.
type row struct {
	of    []int
	coef  []float64 // scaled to about 1
	bound float64
	equal bool
}

// A chain is entries that rise.
type chain struct {
	of []int
	Order
}

// A ball is an L1 or L2 ball about 0.
type ball struct {
	of []int
	r  float64
}

// links returns the rows that are equivalent to a chain.
func (c chain) links() []row {
	var rows []row
	for i := 1; i < len(c.of); i++ {
		// s_(i−1) y_(i−1) + m_(i−1) ≤ s_i y_i + m_i
		a, b := scaleOf(c.Scale, i-1), scaleOf(c.Scale, i)
		unit := unitOf([]float64{a, b})
		rise := c.Original(i, 0) - c.Original(i-1, 0)
		rows = append(rows, row{of: c.of[i-1 : i+1], coef: []float64{a * unit, -b * unit}, bound: rise * unit})
	}
	return rows
}

// round adds a ball to those of its kind. A radius of 0 is a bound.
func (p *Program) round(balls []ball, of []int, r float64) []ball {
	switch {
	case r == 0:
		p.zero(of)
		return balls
	case math.IsInf(r, 1):
		return balls
	}
	return append(balls, ball{of, r})
}

func (p *Program) zero(of []int) {
	for _, i := range of {
		p.Bound(i, 0, 0)
	}
}

// scaleOf returns scale i, or 1 if there are none.
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
