package qp

import "math"

// OntoL2Ball replaces y by the nearest point of norm at most r: r · x / ‖x‖ for x
// outside. If masses c differ there is no closed form. The nearest point is
//
//	y_l = c_l x_l / (c_l + τ)   with τ such that ‖y‖ = r
//
// and τ is found by Newton's method on 1/‖y‖, which converges from one side until
// rounding stops it.
//
// Source: Parikh and Boyd (2014), section 6.5.1; Moré and Sorensen (1983),
// https://doi.org/10.1137/0904038, for the iteration.
func OntoL2Ball(y, mass []float64, r float64) {
	heavy, light := Split(mass)
	if Norm(y) <= r {
		return
	}
	if light == nil {
		heavyL2Ball(y, mass, r)
		return
	}
	part, rest := Pick(y, heavy), Pick(y, light)
	heavyL2Ball(part, Pick(mass, heavy), r)
	n := Norm(part)
	heavyL2Ball(rest, nil, math.Sqrt(max(0, r-n))*math.Sqrt(r+n))
	Put(y, heavy, part)
	Put(y, light, rest)
	for Norm(y) > r { // because of rounding
		lower(y)
	}
}

// lower moves all entries to the next number nearer to 0.
func lower(y []float64) {
	for i, v := range y {
		if v != 0 {
			y[i] = math.Nextafter(v, 0)
		}
	}
}

// heavyL2Ball replaces y by the nearest point of the ball. No mass is 0.
func heavyL2Ball(y, mass []float64, r float64) {
	n := Norm(y)
	if n <= r {
		return
	}
	if mass == nil || r == 0 {
		for i, v := range y {
			y[i] = v / n
		}
		toNorm(y, r)
		return
	}
	x := make([]float64, len(y)) // in units of ‖x‖, so that nothing overflows
	for i, v := range y {
		x[i] = v / n
	}
	copy(y, shrinkTo(x, mass, r/n))
	n = Norm(y)
	for i := range y {
		y[i] /= n
	}
	toNorm(y, r)
}

// toNorm multiplies y, of norm 1, by r, or by a little less if rounding would leave
// it outside, so that projecting it again does not move it.
func toNorm(y []float64, r float64) {
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	*room = append((*room)[:0], y...)
	to := *room
	by := r
	for less := 0x1p-53; ; less *= 2 {
		for i, v := range y {
			to[i] = v * by
		}
		n := Norm(to)
		if n <= r {
			copy(y, to)
			return
		}
		by = min(by*(r/n), math.Nextafter(by, 0)) * (1 - less)
	}
}

// newtons bounds the steps of shrinkTo; it takes about ten.
const newtons = 200

// shrinkTo returns c_l x_l / (c_l + τ) of norm r, 0 < r < ‖x‖.
func shrinkTo(x, mass []float64, r float64) []float64 {
	y := make([]float64, len(x))
	var tau float64
	for range newtons {
		var squares, slope float64
		for i, v := range x {
			y[i] = mass[i] * v / (mass[i] + tau)
			squares += float64(y[i] * y[i])
			slope += float64(y[i] * y[i] / (mass[i] + tau))
		}
		size := math.Sqrt(squares)
		next := tau + squares/slope*(size-r)/r
		if !(next > tau) {
			break
		}
		tau = next
	}
	return y
}
