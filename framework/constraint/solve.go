package constraint

import (
	"math"
	"slices"
)

// A target is what a program comes near to: it makes
//
//	½ Σ_i mass_i (y_i − x_i)² + Σ_i tilt_i |y_i|
//
// small, with no mass 0. A nil mass is all 1, a nil tilt all 0.
type target struct{ x, mass, tilt []float64 }

// nearest replaces y by the nearest point of the program. No mass is 0. It
// returns errEmpty if there is none, and errWork if it takes too long.
//
// A ball of radius r that is not met otherwise has a multiplier τ, which is
// searched for: with τ‖y‖²/2 or τ Σ |y_i| added to the distance, the nearest
// point of all else is on its surface. What is left is a box (each entry by
// itself), a box with one row (a knapsack), or the active set method.
func (p *program) nearest(y, mass []float64) error {
	return p.solve(y, target{x: slices.Clone(y), mass: mass}, len(p.l1), len(p.l2))
}

// solve writes to y the point for the target of the program with the first
// balls of each kind.
func (p *program) solve(y []float64, t target, l1, l2 int) error {
	switch {
	case l2 > 0:
		b := p.l2[l2-1]
		return p.onto(y, b, b.byNorm, func(tau float64) error { return p.solve(y, t.shrunk(b.of, tau), l1, l2-1) })
	case l1 > 0 && len(p.rows) == 0:
		b := p.l1[l1-1]
		return p.onto(y, b, b.bySum, func(tau float64) error { return p.solve(y, t.tilted(b.of, tau), l1-1, l2) })
	case len(p.rows) == 0:
		p.entries(y, t)
		return nil
	case l1 == 0 && len(p.rows) == 1:
		copy(y, t.x)
		p.knapsack().solve(y, t.mass)
		return nil
	}
	copy(y, t.x)
	return p.activeSet(y, t.mass)
}

// entries is solve where only bounds are left.
func (p *program) entries(y []float64, t target) {
	for i, x := range t.x {
		if t.tilt != nil {
			x = math.Copysign(max(0, math.Abs(x)-t.tilt[i]/t.massOf(i)), x)
		}
		y[i] = clip(x, p.lo[i], p.hi[i])
	}
}

// knapsack returns the bounds with the only row.
func (p *program) knapsack() knapsack {
	k := knapsack{coef: make([]float64, len(p.lo)), lo: p.lo, hi: p.hi, bound: p.rows[0].bound, equal: p.rows[0].equal}
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
	// evaluations bounds the search for a multiplier; about ten are taken.
	evaluations = 300
	// endless is a multiplier beside which masses, of at most 1, do not count.
	endless = 1e20
)

// A gauge says how far the size of a part of y is from a ball's surface: 0 on
// it, below 0 outside, at most 1 inside; and how large τ may be, about.
type gauge func(part []float64) (gap, tau float64)

// byNorm is straight in τ where masses are equal.
func (b ball) byNorm(part []float64) (gap, tau float64) {
	size := norm(part)
	return b.r/size - 1, size/b.r - 1
}

// bySum is straight in τ, in pieces.
func (b ball) bySum(part []float64) (gap, tau float64) {
	size := sumAbs(part)
	return 1 - size/b.r, (size - b.r) / float64(len(part))
}

// onto searches for the least multiplier τ with which y is in the ball, at
// solving for which rest writes y: by the rule of false position, where the
// weight of an end that stays is halved (Illinois), and by bisection where that
// is slow.
//
// Source: Dowell and Jarratt (1971), https://doi.org/10.1007/BF01934364.
func (p *program) onto(y []float64, b ball, of gauge, rest func(tau float64) error) error {
	part := make([]float64, len(b.of))
	try := func(tau float64) (gap, guess float64, err error) {
		if err := rest(tau); err != nil {
			return 0, 0, err
		}
		for i, l := range b.of {
			part[i] = y[l]
		}
		gap, guess = of(part)
		return gap, guess, nil
	}
	gap, high, err := try(0)
	if err != nil || gap >= 0 {
		return err
	}
	low, atLow := 0.0, gap
	for gap, _, err = try(high); err == nil && gap < 0; gap, _, err = try(high) {
		if high > endless {
			if gap < -p.apart() {
				return errEmpty
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
		if gap >= 0 {
			high, atHigh = tau, gap
			copy(inside, y)
			if last > 0 {
				atLow /= 2
			}
			if gap < 4e-16 {
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
