package qp

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// rooms are work space.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// OntoSimplex replaces y by the nearest point whose entries are not negative and
// sum to r ≥ 0. With masses c that is
//
//	y_l = (x_l − τ/c_l)₊   with τ such that Σ_l y_l = r
//
// found by dropping entries that cannot be positive and, if that takes long, by
// sorting the others: O(p log p), usually O(p).
//
// Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), Efficient projections
// onto the l1-ball, https://doi.org/10.1145/1390156.1390191; Michelot (1986),
// https://doi.org/10.1007/BF00938486, for dropping.
func OntoSimplex(y, mass []float64, r float64) {
	heavy, light := Split(mass)
	if light == nil {
		heavySimplex(y, mass, r)
		return
	}
	// The sum of the entries with mass must only not be too large: the others make it up.
	part, sub := Pick(y, heavy), Pick(mass, heavy)
	for i, v := range part {
		part[i] = max(v, 0)
	}
	if sum(part) > r {
		heavySimplex(part, sub, r)
	}
	rest := Pick(y, light)
	heavySimplex(rest, nil, max(0, r-sum(part)))
	Put(y, heavy, part)
	Put(y, light, rest)
}

// OntoL1Ball replaces y by the nearest point whose absolute values sum to at most r:
// x if it is inside, else the point of the simplex nearest to |x|, with the signs of
// x.
//
// Source: Duchi et al. (2008), section 4.
func OntoL1Ball(y, mass []float64, r float64) {
	heavy, light := Split(mass)
	if light == nil {
		heavyL1Ball(y, mass, r)
		return
	}
	if SumAbs(y) <= r {
		return
	}
	part, rest := Pick(y, heavy), Pick(y, light)
	heavyL1Ball(part, Pick(mass, heavy), r)
	heavyL1Ball(rest, nil, max(0, r-SumAbs(part)))
	Put(y, heavy, part)
	Put(y, light, rest)
	shave(y, r)
}

// heavyL1Ball replaces y, which is outside, by the nearest point of the ball. No
// mass is 0.
func heavyL1Ball(y, mass []float64, r float64) {
	if mass == nil {
		evenL1Ball(y, r)
		return
	}
	if SumAbs(y) <= r {
		return
	}
	signs := slices.Clone(y)
	for i, v := range y {
		y[i] = math.Abs(v)
	}
	heavySimplex(y, mass, r)
	for i, v := range signs {
		y[i] = math.Copysign(y[i], v)
	}
	shave(y, r)
}

// evenL1Ball is heavyL1Ball for equal masses: evenSimplex with signs.
func evenL1Ball(y []float64, r float64) {
	total, most := 0.0, 0.0
	for _, v := range y {
		v = math.Abs(v)
		total += v
		if v > most {
			most = v
		}
	}
	if total <= r {
		return
	}
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	active := (*room)[:0]
	for _, v := range y {
		if v = math.Abs(v) - most; v > -r {
			active = append(active, v)
		}
	}
	*room = active
	t := evenThreshold(active, r, passes)
	total = 0
	for l, v := range y {
		to := math.Abs(v) - most - t
		if !(to > 0) {
			to = 0
		}
		total += to
		y[l] = math.Copysign(to, v)
	}
	if total > r {
		shave(y, r)
	}
}

// shave removes what rounding has left outside the ball, so that projecting the
// point again does not move it.
func shave(y []float64, r float64) {
	for off := SumAbs(y) - r; off > 0; off = SumAbs(y) - r {
		at := 0 // take it from the largest entry
		for i, v := range y {
			if math.Abs(v) > math.Abs(y[at]) {
				at = i
			}
		}
		v := math.Abs(y[at])
		y[at] = math.Copysign(min(v-off, math.Nextafter(v, 0)), y[at])
	}
}

// passes is how often heavySimplex drops features before it sorts.
const passes = 40

// heavySimplex replaces y by the nearest point of the simplex of radius r ≥ 0. No
// mass is 0.
func heavySimplex(y, mass []float64, r float64) {
	if len(y) == 0 {
		return
	}
	if mass == nil {
		evenSimplex(y, r)
		return
	}
	over := func(l int) float64 { return 1 / mass[l] }
	low := math.Inf(-1)
	for l, v := range y {
		low = max(low, mass[l]*(v-r))
	}
	t := simplexThreshold(y, over, r, low, passes)
	for l, v := range y {
		y[l] = max(0, v-float64(t*over(l)))
	}
}

// evenSimplex is heavySimplex for equal masses. Values are measured from the largest,
// so that thresholds are small.
func evenSimplex(y []float64, r float64) {
	most := y[0]
	for _, v := range y {
		if v > most {
			most = v
		}
	}
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	active := (*room)[:0]
	for _, v := range y {
		if v -= most; v > -r {
			active = append(active, v)
		}
	}
	*room = active
	t := evenThreshold(active, r, passes)
	for l, v := range y {
		if v = v - most - t; !(v > 0) {
			v = 0
		}
		y[l] = v
	}
}

// evenThreshold is simplexThreshold for equal masses and values above −r, which it
// overwrites.
func evenThreshold(active []float64, r float64, passes int) float64 {
	t, total := -r, sum(active)
	for pass := 0; len(active) > 0; pass++ {
		if pass == passes {
			slices.SortFunc(active, func(a, b float64) int { return cmp.Compare(b, a) })
			total = 0
			for i, v := range active {
				if i > 0 && v <= t {
					break
				}
				total += v
				t = (total - r) / float64(i+1)
			}
			return t
		}
		t = (total - r) / float64(len(active))
		left := active[:0]
		total = 0
		for _, v := range active {
			if v > t {
				left = append(left, v)
				total += v
			}
		}
		if len(left) == len(active) {
			return t
		}
		active = left
	}
	return t // r is 0, or lost in rounding
}

// simplexThreshold returns the t ≥ low such that Σ (z_l − t·over_l)₊ = r, by dropping
// features in some passes, and then by sorting.
func simplexThreshold(z []float64, over func(int) float64, r, low float64, passes int) float64 {
	active := make([]int, 0, 64)
	for l, v := range z {
		if v > float64(low*over(l)) {
			active = append(active, l)
		}
	}
	t := low
	for pass := 0; len(active) > 0; pass++ {
		if pass == passes {
			return sortedThreshold(z, over, r, active)
		}
		var values, slopes float64
		for _, l := range active {
			values += z[l]
			slopes += over(l)
		}
		t = (values - r) / slopes
		left := active[:0]
		for _, l := range active {
			if z[l] > float64(t*over(l)) {
				left = append(left, l)
			}
		}
		if len(left) == len(active) || len(left) == 0 {
			return t
		}
		active = left
	}
	return t // r is 0, or lost in rounding
}

// sortedThreshold is simplexThreshold among active features, by sorting.
func sortedThreshold(z []float64, over func(int) float64, r float64, active []int) float64 {
	slices.SortStableFunc(active, func(a, b int) int {
		x, y := z[a]/over(a), z[b]/over(b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var values, slopes, t float64
	for i, l := range active {
		if i > 0 && z[l]/over(l) <= t {
			break
		}
		values += z[l]
		slopes += over(l)
		t = (values - r) / slopes
	}
	return t
}
