package qp

import (
	"math"
	"slices"
)

// A knapsack is {y : lo ≤ y ≤ hi, ⟨coef, y⟩ ≤ bound}, or = bound if equal is set.
// Its nearest point is y_l(τ) = Clip(x_l − τ coef_l / c_l), with τ such that the
// sum is the bound. The sum falls as τ grows, and is linear between the 2p values of
// τ at which an entry meets one of its bounds. These are sorted, and the right piece
// is found by bisection: O(p log p).
//
// Source: Brucker (1984), An O(n) algorithm for quadratic knapsack problems,
// https://doi.org/10.1016/0167-6377(84)90010-5.
type knapsack struct {
	coef, lo, hi []float64
	bound        float64
	equal        bool
}

// nearest replaces y by the nearest point of the set, which must not be empty.
func (k knapsack) nearest(y, mass []float64) {
	heavy, light := Split(mass)
	if light == nil {
		k.solve(y, mass)
		return
	}
	// Entries with mass move only as far as entries of mass 0 cannot make up for.
	h, g := k.pick(heavy), k.pick(light)
	part, rest := Pick(y, heavy), Pick(y, light)
	least, most := g.reach()
	x := slices.Clone(part)
	h.clip(part)
	switch s := h.sum(part); {
	case s > k.bound-least:
		h.bound = k.bound - least
	case k.equal && s < k.bound-most:
		h.bound = k.bound - most
	default:
		h.bound = s
	}
	h.equal = true
	copy(part, x)
	h.solve(part, Pick(mass, heavy))
	g.bound = k.bound - h.sum(part)
	g.solve(rest, nil)
	Put(y, heavy, part)
	Put(y, light, rest)
}

// solve is nearest for masses above 0.
func (k knapsack) solve(y, mass []float64) {
	x := slices.Clone(y)
	k.clip(y)
	s := k.sum(y)
	if s == k.bound || s < k.bound && !k.equal {
		return
	}
	rate := make([]float64, len(x)) // y_l falls by rate_l as τ grows by 1
	var breaks []float64
	for l, a := range k.coef {
		if rate[l] = a; mass != nil {
			rate[l] /= mass[l]
		}
		if rate[l] == 0 {
			continue
		}
		for _, b := range [...]float64{k.lo[l], k.hi[l]} {
			if t := (x[l] - b) / rate[l]; !math.IsInf(b, 0) && !math.IsInf(t, 0) {
				breaks = append(breaks, t)
			}
		}
	}
	slices.Sort(breaks)
	at := func(tau float64) {
		for l, v := range x {
			if rate[l] != 0 {
				y[l] = Clip(v-float64(tau*rate[l]), k.lo[l], k.hi[l])
			}
		}
	}
	// The piece is between breaks[first−1] and breaks[first].
	first, _ := slices.BinarySearchFunc(breaks, k.bound, func(tau, bound float64) int {
		if at(tau); k.sum(y) > bound {
			return -1
		}
		return 1
	})
	low, high := math.Inf(-1), math.Inf(1)
	if first > 0 {
		low = breaks[first-1]
	}
	if first < len(breaks) {
		high = breaks[first]
	}
	at(k.inPiece(x, rate, low, high))
}

// inPiece returns the τ between low and high at which the sum is the bound.
func (k knapsack) inPiece(x, rate []float64, low, high float64) float64 {
	inside := low
	if math.IsInf(low, 0) {
		inside = high
	}
	if math.IsInf(inside, 0) {
		inside = 0
	}
	total, slope := -k.bound, 0.0
	for l, v := range x {
		a := k.coef[l]
		if rate[l] == 0 {
			total += float64(a * Clip(v, k.lo[l], k.hi[l]))
			continue
		}
		from, to := (v-k.hi[l])/rate[l], (v-k.lo[l])/rate[l] // the entry is free between these
		if from > to {
			from, to = to, from
		}
		if from <= low && to >= high && from < to {
			total += float64(a * v)
			slope += float64(a * rate[l])
		} else {
			total += float64(a * Clip(v-float64(inside*rate[l]), k.lo[l], k.hi[l]))
		}
	}
	if slope == 0 {
		return inside
	}
	return Clip(total/slope, low, high)
}

func (k knapsack) clip(y []float64) {
	for l, v := range y {
		y[l] = Clip(v, k.lo[l], k.hi[l])
	}
}

func (k knapsack) sum(y []float64) (s float64) {
	for l, a := range k.coef {
		s += float64(a * y[l])
	}
	return s
}

// reach returns the smallest and the largest sum within the bounds.
func (k knapsack) reach() (least, most float64) {
	for l, a := range k.coef {
		switch {
		case a > 0:
			least, most = least+a*k.lo[l], most+a*k.hi[l]
		case a < 0:
			least, most = least+a*k.hi[l], most+a*k.lo[l]
		}
	}
	return least, most
}

func (k knapsack) pick(at []int) knapsack {
	return knapsack{coef: Pick(k.coef, at), lo: Pick(k.lo, at), hi: Pick(k.hi, at), bound: k.bound, equal: k.equal}
}

// LeastSum returns the smallest ⟨coef, y⟩ within bounds.
func LeastSum(coef, lo, hi []float64) float64 {
	least, _ := knapsack{coef: coef, lo: lo, hi: hi}.reach()
	return least
}
