package qp

import (
	"math"
	"slices"
)

// A target is what a program minimises:
//
//	½ Σ_i mass_i (y_i − x_i)² + Σ_i tilt_i |y_i|
//
// No mass is 0. A nil mass means all 1, a nil tilt all 0.
type target struct{ x, mass, tilt []float64 }

// Nearest replaces y by the nearest point of the program. No mass may be 0. It
// returns ErrEmpty if there is no point, and ErrWork if it takes too long.
//
// For a ball that is violated it searches for a multiplier τ: with τ‖y‖²/2 or
// τ Σ |y_i| added to the distance, the nearest point of the other sets is on the
// ball's surface. The same holds for an inequality, with τ ⟨a, y⟩. What remains is a
// box (each entry by itself), a box with one row (a knapsack), or a box with one
// chain (isotone regression). Where that would nest many searches, the active set
// method is used instead.
func (p *Program) Nearest(y, mass []float64) error {
	return p.solve(y, target{x: slices.Clone(y), mass: mass}, len(p.rows), len(p.l1), len(p.l2))
}

// Exact replaces y by the nearest point, whatever the masses, if the program is one
// half-space or simplex within bounds. It reports whether it is.
func (p *Program) Exact(y, mass []float64) bool {
	if len(p.rows) != 1 || len(p.chains)+len(p.l1)+len(p.l2) > 0 {
		return false
	}
	p.knapsack().nearest(y, mass)
	return true
}

// Few is the number of entries up to which the active set method is faster than a
// search within a search. Feasible is the distance from a set that a result may
// have, relative to the largest number involved.
const (
	Few      = 64
	Feasible = 1e-8
)

// solve writes to y the point that minimises the target, subject to the bounds, the
// chains, and the first rows and balls of each kind.
func (p *Program) solve(y []float64, t target, rows, l1, l2 int) error {
	if l2 > 0 {
		b := p.l2[l2-1]
		return p.search(y, b.byNorm, func(tau float64) error { return p.solve(y, t.shrunk(b.of, tau), rows, l1, l2-1) })
	}
	chains := len(p.chains)
	switch {
	case chains+rows+l1 == 0:
		p.entries(y, t)
		return nil
	case chains+l1 == 0 && rows == 1:
		copy(y, t.x)
		p.knapsack().solve(y, t.mass)
		return nil
	case chains == 1 && rows+l1 == 0:
		return p.isotone(y, t)
	case chains+rows == 0:
		b := p.l1[l1-1]
		return p.search(y, b.bySum, func(tau float64) error { return p.solve(y, t.tilted(b.of, tau), rows, l1-1, l2) })
	case len(y) > Few && (rows == 1 && (chains == 0 || chains == 1 && l1 == 0) || rows == 2 && chains+l1 == 0):
		return p.across(y, t, rows, l1)
	}
	copy(y, t.x)
	return p.activeSet(y, t.mass)
}

// across is solve by a search for the multiplier of the last row.
func (p *Program) across(y []float64, t target, rows, l1 int) error {
	r := p.rows[rows-1]
	rest := func(tau float64) error { return p.solve(y, t.pushed(r, tau), rows-1, l1, 0) }
	if err := rest(0); err != nil {
		return err
	}
	if r.over(y) < 0 {
		if !r.equal {
			return nil
		}
		r.coef, r.bound = scaledBy(r.coef, -1), -r.bound
	}
	return p.search(y, r.bySide(t), rest)
}

// over returns by how much the sum is above the bound.
func (r row) over(y []float64) float64 {
	over := -r.bound
	for i, l := range r.of {
		over += float64(r.coef[i] * y[l])
	}
	return over
}

// bySide is piecewise linear in τ.
func (r row) bySide(t target) gauge {
	var squares float64
	for i, l := range r.of {
		squares += float64(r.coef[i] * r.coef[i] / t.massOf(l))
	}
	return func(y []float64) (gap, tau float64) {
		over, size := r.over(y), math.Abs(r.bound)
		for i, l := range r.of {
			size += math.Abs(r.coef[i] * y[l])
		}
		if over == 0 {
			return 0, 0
		}
		return -over / size, over / squares
	}
}

// entries is solve for bounds alone.
func (p *Program) entries(y []float64, t target) {
	for i, x := range t.x {
		if t.tilt != nil {
			x = math.Copysign(max(0, math.Abs(x)-t.tilt[i]/t.massOf(i)), x)
		}
		y[i] = Clip(x, p.Lo[i], p.Hi[i])
	}
}

// knapsack returns the bounds and the only row.
func (p *Program) knapsack() knapsack {
	k := knapsack{coef: make([]float64, len(p.Lo)), lo: p.Lo, hi: p.Hi, bound: p.rows[0].bound, equal: p.rows[0].equal}
	for i, l := range p.rows[0].of {
		k.coef[l] = p.rows[0].coef[i]
	}
	return k
}

func (t target) massOf(i int) float64 {
	if t.mass == nil {
		return 1
	}
	return t.mass[i]
}

// shrunk returns the target with τ y²/2 added for some entries.
func (t target) shrunk(of []int, tau float64) target {
	if tau == 0 {
		return t
	}
	s := target{x: slices.Clone(t.x), mass: make([]float64, len(t.x)), tilt: t.tilt}
	for i := range s.mass {
		s.mass[i] = t.massOf(i)
	}
	for _, i := range of {
		m := s.mass[i]
		s.mass[i] += tau
		s.x[i] *= m / s.mass[i]
	}
	return s
}

// pushed returns the target with τ ⟨a, y⟩ added.
func (t target) pushed(r row, tau float64) target {
	s := target{x: slices.Clone(t.x), mass: t.mass, tilt: t.tilt}
	for i, l := range r.of {
		s.x[l] -= float64(tau * r.coef[i] / t.massOf(l))
	}
	return s
}

// tilted returns the target with τ |y| added for some entries.
func (t target) tilted(of []int, tau float64) target {
	s := target{x: t.x, mass: t.mass, tilt: make([]float64, len(t.x))}
	copy(s.tilt, t.tilt)
	for _, i := range of {
		s.tilt[i] += tau
	}
	return s
}

const (
	// evaluations bounds the search for a multiplier; it takes about ten.
	evaluations = 300
	// endless is a multiplier beside which masses, which are at most 1, vanish.
	endless = 1e20
	// onSurface is the largest gap that is rounding.
	onSurface = 4e-16
)

// A gauge says how far y is from the surface of a set (0 on it, negative outside),
// and about how large τ may be.
type gauge func(y []float64) (gap, tau float64)

// byNorm is linear in τ if masses are equal.
func (b ball) byNorm(y []float64) (gap, tau float64) {
	size := Norm(Pick(y, b.of))
	return b.r/size - 1, size/b.r - 1
}

// bySum is piecewise linear in τ.
func (b ball) bySum(y []float64) (gap, tau float64) {
	size := 0.0
	for _, l := range b.of {
		size += math.Abs(y[l])
	}
	return 1 - size/b.r, (size - b.r) / float64(len(b.of))
}

// search finds the least multiplier τ for which y is in a set; rest(τ) writes y. It
// uses the rule of false position, in which the weight of an end that stays is
// halved (the Illinois algorithm), and bisection where that is slow.
//
// Source: Dowell and Jarratt (1971), https://doi.org/10.1007/BF01934364.
func (p *Program) search(y []float64, of gauge, rest func(tau float64) error) error {
	try := func(tau float64) (gap, guess float64, err error) {
		if err := rest(tau); err != nil {
			return 0, 0, err
		}
		gap, guess = of(y)
		return gap, guess, nil
	}
	gap, high, err := try(0)
	if err != nil || gap >= -onSurface {
		return err
	}
	low, atLow := 0.0, gap
	for gap, _, err = try(high); err == nil && gap < -onSurface; gap, _, err = try(high) {
		if high > endless {
			if gap < -p.apart() {
				return ErrEmpty
			}
			return nil
		}
		low, atLow = high, gap
		high *= 8
	}
	if err != nil {
		return err
	}
	inside, atHigh := slices.Clone(y), gap
	width, last := high-low, 0.0
	for n := 0; n < evaluations && gap != 0; n++ {
		tau := high - atHigh*((high-low)/(atHigh-atLow))
		if n%4 == 3 {
			if high-low > width/4 {
				tau = low + (high-low)/2
			}
			width = high - low
		}
		if !(tau > low && tau < high) {
			if tau = low + (high-low)/2; !(tau > low && tau < high) {
				break
			}
		}
		if gap, _, err = try(tau); err != nil {
			return err
		}
		if gap >= -onSurface {
			high, atHigh = tau, gap
			copy(inside, y)
			if last > 0 {
				atLow /= 2
			}
			if gap < onSurface {
				break
			}
			last = 1
		} else {
			low, atLow = tau, gap
			if last < 0 {
				atHigh /= 2
			}
			last = -1
		}
	}
	copy(y, inside)
	return nil
}
