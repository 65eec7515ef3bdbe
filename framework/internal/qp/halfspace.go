package qp

import "math"

// OntoHalfSpace replaces y by the nearest point with ⟨coef, y⟩ ≤ bound: with
// masses c
//
//	y_l = x_l − τ coef_l / c_l,   τ = (⟨coef, x⟩ − bound)₊ / Σ_l coef_l² / c_l
//
// Source: Boyd and Vandenberghe (2004), Convex optimization, section 8.1.1.
func OntoHalfSpace(y, mass, coef []float64, bound float64) {
	unit := unitOf(coef)
	beyond := over(y, coef, bound, unit)
	if beyond <= 0 {
		return
	}
	if mass == nil {
		var squares float64
		for _, a := range coef {
			squares += float64(a * unit * (a * unit))
		}
		for i, a := range coef {
			if a != 0 {
				y[i] -= float64(beyond / squares * (a * unit))
			}
		}
		return
	}
	// Entries of mass 0 cost nothing: if there are any, only they move.
	free := false
	for i, m := range mass {
		free = free || m == 0 && coef[i] != 0
	}
	var sum float64
	for i, a := range coef {
		sum += float64(step(a*unit, mass[i], free) * (a * unit))
	}
	for i, a := range coef {
		if a != 0 {
			y[i] -= float64(beyond / sum * step(a*unit, mass[i], free))
		}
	}
}

// step returns a coefficient divided by its mass. If only entries of mass 0 move,
// they count as of mass 1, and all others as of infinite mass.
func step(a, mass float64, free bool) float64 {
	switch {
	case a == 0 || free && mass > 0:
		return 0
	case free:
		return a
	}
	return a / mass
}

// BeyondHalfSpace returns the Euclidean distance of y from the half-space.
func BeyondHalfSpace(y, coef []float64, bound float64) float64 {
	unit := unitOf(coef)
	if beyond := over(y, coef, bound, unit); beyond > 0 {
		return beyond / Norm(scaledBy(coef, unit))
	}
	return 0
}

// unitOf returns a power of two that scales the largest coefficient to about 1, so
// that no square overflows, or 0 if all are 0.
func unitOf(coef []float64) float64 {
	most := MaxAbs(coef)
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	return math.Ldexp(1, -max(e, -1000))
}

// over returns by how much the sum is above the bound, both times unit.
func over(y, coef []float64, bound, unit float64) float64 {
	if unit == 0 || math.IsInf(bound, 1) {
		return 0
	}
	sum := -bound * unit
	for i, a := range coef {
		sum += float64(a * unit * y[i])
	}
	return sum
}
