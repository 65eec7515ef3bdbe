package qp

import (
	"errors"
	"math"
	"slices"
)

// The errors of Program.Nearest: there is no point, or it takes too long to find.
var (
	ErrEmpty = errors.New("the sets have no point in common")
	ErrWork  = errors.New("the nearest point needs more work than is allowed")
)

const (
	// touches is the distance, relative to the largest number involved, up to which
	// a point counts as on an edge.
	touches = 1e-13
	// dependent is the squared length up to which the remainder of a direction of
	// length 1 is rounding: the direction is in the span of others.
	dependent = 1e-20
	// maxWork bounds the multiplications of one run of the active set method.
	maxWork = 50_000_000
)

// A facet is an inequality ⟨a, y⟩ ≤ b, or an equation, in units v_i = s_i y_i in
// which the distance is Euclidean. Its direction has length 1.
type facet struct {
	along  []float64 // the direction: one number for each entry
	bound  float64
	equal  bool
	kind   facetKind
	which  int     // which one of its kind: the entry, the row or the L1 ball
	u      float64 // the multiplier
	excess float64 // ⟨a, y⟩ − b when it was found
}

type facetKind int

const (
	ofBound facetKind = iota
	ofRow
	ofBall
)

// An activeSet is one run of the dual active set method: v is the point nearest to
// x that meets all active constraints, and no multiplier of an inequality is
// negative. In each step the inequality that is violated most becomes active, and
// those that this makes redundant leave, until none is violated. The distance grows
// with each step, so no active set occurs twice.
//
// An active bound takes its entry out of the problem. The other active constraints
// are held as an orthogonal basis, made by modified Gram-Schmidt, run twice.
//
// Source: Goldfarb and Idnani (1983), A numerically stable dual method for
// solving strictly convex quadratic programs,
// https://doi.org/10.1007/BF02591962.
type activeSet struct {
	*Program
	rows    []row     // of the program and its chains
	x, v, s []float64 // x and v in the units of v
	big     float64   // the largest number involved, in the units of y
	side    []int8    // of an entry: −1 at lo, 1 at hi, 0 free
	held    []bool    // lo is hi
	u       []float64 // the multipliers of bounds
	active  []*facet
	passed  [3][]bool // by kind: what is active, or violated only by rounding
	basis   [][]float64
	upper   [][]float64 // column c: the components of facet c along the basis
	work    int
}

// activeSet replaces y, which holds x, by the nearest point of the program without
// its L2 balls.
func (p *Program) activeSet(y, mass []float64) error {
	n := len(y)
	a := &activeSet{Program: p, x: make([]float64, n), v: make([]float64, n), s: ones(n), big: MaxAbs(y),
		side: make([]int8, n), held: make([]bool, n), u: make([]float64, n)}
	a.rows = slices.Clone(p.rows)
	for _, c := range p.chains {
		a.rows = append(a.rows, c.links()...)
	}
	a.passed = [3][]bool{ofBound: make([]bool, n), ofRow: make([]bool, len(a.rows)), ofBall: make([]bool, len(p.l1))}
	for i, x := range y {
		if mass != nil {
			a.s[i] = math.Sqrt(mass[i])
		}
		a.x[i] = x * a.s[i]
		a.v[i] = a.x[i]
		a.held[i] = p.Lo[i] == p.Hi[i]
		switch {
		case p.Lo[i] > p.Hi[i]:
			return ErrEmpty
		case x < p.Lo[i] || a.held[i]:
			a.pin(i, -1)
		case x > p.Hi[i]:
			a.pin(i, 1)
		}
	}
	for {
		a.big = max(a.big, a.largest())
		f := a.worst()
		if f == nil {
			break
		}
		if err := a.add(f); err != nil {
			return err
		}
	}
	for i := range y {
		y[i] = a.y(i)
	}
	return nil
}

// y returns an entry in its own units. An entry at a bound is exactly the bound.
func (a *activeSet) y(i int) float64 {
	switch a.side[i] {
	case -1:
		return a.Lo[i]
	case 1:
		return a.Hi[i]
	}
	return a.v[i] / a.s[i]
}

func (a *activeSet) largest() (most float64) {
	for i := range a.v {
		most = max(most, math.Abs(a.y(i)))
	}
	return most
}

// pin makes a bound active, which changes the basis.
func (a *activeSet) pin(i int, side int8) {
	a.side[i] = side
	a.v[i] = a.y(i) * a.s[i]
	a.u[i] = math.Abs(a.x[i] - a.v[i])
	a.basis = a.basis[:0]
}

// worst returns the inequality that is violated most, or nil. Ties go to the first,
// in the order of bounds, rows, balls.
func (a *activeSet) worst() *facet {
	most, at, side := 0.0, -1, 0.0
	for i := range a.v {
		if a.side[i] != 0 || a.passed[ofBound][i] {
			continue
		}
		y := a.v[i] / a.s[i]
		if below := a.Lo[i] - y; below > touches*a.big && below*a.s[i] > most {
			most, at, side = below*a.s[i], i, -1
		}
		if above := y - a.Hi[i]; above > touches*a.big && above*a.s[i] > most {
			most, at, side = above*a.s[i], i, 1
		}
	}
	var worst *facet
	if at >= 0 {
		worst = &facet{along: make([]float64, len(a.v)), kind: ofBound, which: at, excess: most}
		worst.along[at] = side
		worst.bound = side*a.v[at] - most
	}
	for r, row := range a.rows {
		if a.passed[ofRow][r] {
			continue
		}
		if f := a.violated(row.of, row.coef, row.bound, row.equal, most); f != nil {
			f.kind, f.which = ofRow, r
			worst, most = f, f.excess
		}
		a.work += len(row.of)
	}
	for n, b := range a.l1 {
		if a.passed[ofBall][n] {
			continue
		}
		signs := make([]float64, len(b.of))
		for i, l := range b.of {
			signs[i] = math.Copysign(1, a.y(l))
		}
		if f := a.violated(b.of, signs, b.r, false, most); f != nil {
			f.kind, f.which = ofBall, n
			worst, most = f, f.excess
		}
	}
	a.work += 10*len(a.v) + 1000
	return worst
}

// violated returns the facet of an inequality that is violated by more than rounding
// and by more than most, or nil.
func (a *activeSet) violated(of []int, coef []float64, bound float64, equal bool, most float64) *facet {
	var over, size, squares float64
	for i, l := range of {
		over += float64(coef[i] * a.y(l))
		size += math.Abs(coef[i])
		c := coef[i] / a.s[l]
		squares += float64(c * c)
	}
	over -= bound
	sign := 1.0
	if equal && over < 0 {
		sign = -1
	}
	length := math.Sqrt(squares)
	if over *= sign; !(over > touches*(size*a.big+math.Abs(bound))) || over/length <= most {
		return nil
	}
	f := &facet{along: make([]float64, len(a.v)), bound: sign * bound / length, equal: equal, excess: over / length}
	for i, l := range of {
		f.along[l] = sign * coef[i] / a.s[l] / length
	}
	return f
}

// add makes a facet active.
func (a *activeSet) add(f *facet) error {
	for {
		if err := a.factor(); err != nil {
			return err
		}
		r, left := a.resolve(f.along)
		var squares float64
		for i, v := range left {
			if a.side[i] == 0 {
				squares += float64(v * v)
			}
		}
		t, leaving := a.longest(r, left)
		full := math.Inf(1)
		if squares > dependent {
			full = f.excess / squares
		}
		if math.IsInf(full, 1) && math.IsInf(t, 1) {
			return a.unmet(f)
		}
		t = min(t, full)
		a.step(f, t, r, left, squares > dependent)
		if t == full {
			a.enter(f)
			return a.settle()
		}
		a.leave(leaving)
	}
}

// unmet passes over an inequality that contradicts the active ones only by rounding,
// and returns ErrEmpty for others.
func (a *activeSet) unmet(f *facet) error {
	if f.excess > a.apart()*a.big*MaxAbs(a.s) {
		return ErrEmpty
	}
	a.passed[f.kind][f.which] = true
	return nil
}

// longest returns how far one can go until a multiplier becomes 0, and whose it is:
// a row's, or −1 − i for a bound of entry i.
func (a *activeSet) longest(r, left []float64) (t float64, leaving int) {
	t = math.Inf(1)
	for c, f := range a.active {
		if r[c] > 0 && !f.equal && f.u/r[c] < t {
			t, leaving = f.u/r[c], c
		}
	}
	for i, side := range a.side {
		if rate := float64(side) * left[i]; side != 0 && !a.held[i] && rate > 0 && a.u[i]/rate < t {
			t, leaving = a.u[i]/rate, -1-i
		}
	}
	return t, leaving
}

func (a *activeSet) step(f *facet, t float64, r, left []float64, moves bool) {
	f.u += t
	for c, g := range a.active {
		g.u -= float64(t * r[c])
	}
	for i, side := range a.side {
		if side != 0 {
			a.u[i] -= float64(t * float64(side) * left[i])
		} else if moves {
			a.v[i] -= float64(t * left[i])
		}
	}
	if moves {
		f.excess = -f.bound
		for i, v := range f.along {
			f.excess += float64(v * a.v[i])
		}
	}
}

func (a *activeSet) enter(f *facet) {
	if f.kind == ofBound {
		a.pin(f.which, int8(f.along[f.which]))
		return
	}
	a.active = append(a.active, f)
	if f.kind == ofRow {
		a.passed[ofRow][f.which] = true
	}
}

func (a *activeSet) leave(which int) {
	if which < 0 {
		a.side[-1-which] = 0
		a.u[-1-which] = 0
		a.basis = a.basis[:0]
		return
	}
	if f := a.active[which]; f.kind == ofRow {
		a.passed[ofRow][f.which] = false
	}
	a.active = slices.Delete(a.active, which, which+1)
	a.basis = a.basis[:min(len(a.basis), which)]
}

// settle computes the point and the multipliers from the active set alone, without
// the rounding errors of earlier steps.
func (a *activeSet) settle() error {
	if err := a.factor(); err != nil {
		return err
	}
	for i, side := range a.side {
		if side == 0 {
			a.v[i] = a.x[i]
		}
	}
	q := make([]float64, len(a.active))
	for range 3 { // the last two correct for rounding
		d := make([]float64, len(a.active))
		for c, f := range a.active {
			d[c] = a.along(f.along, a.v) - f.bound
		}
		for c, e := range a.forward(d) {
			q[c] += e
			a.less(a.v, a.basis[c], e)
		}
	}
	a.work += 6 * (len(a.active) + 1) * len(a.v)
	for c, u := range a.back(q) {
		if a.active[c].u = u; !a.active[c].equal {
			a.active[c].u = max(0, u)
		}
	}
	for i, side := range a.side {
		if side == 0 {
			continue
		}
		off := a.x[i] - a.v[i]
		for _, f := range a.active {
			off -= float64(f.u * f.along[i])
		}
		if a.u[i] = float64(side) * off; !a.held[i] {
			a.u[i] = max(0, a.u[i])
		}
	}
	return nil
}
