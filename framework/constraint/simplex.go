package constraint

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Simplex is the set of centers whose features of Where are not negative and
// sum to Radius. With column masses c its nearest point is
//
//	y_l = (x_l − τ/c_l)₊   with τ such that Σ_l y_l = Radius
//
// found by dropping features that cannot be positive, and by sorting what is
// left if that takes long: O(p log p), and O(p) as a rule.
//
// Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), Efficient projections
// onto the l1-ball, https://doi.org/10.1145/1390156.1390191; Michelot (1986),
// https://doi.org/10.1007/BF00938486, for dropping.
type Simplex struct {
	Where
	Radius float64
}

// L1Ball is the set of centers whose features of Where have absolute values that
// sum to at most Radius. Its nearest point is x if x is inside, and else that of
// the simplex for |x|, with the signs of x.
//
// Source: Duchi et al. (2008), section 4.
type L1Ball struct {
	Where
	Radius float64
}

var (
	_ vector = Simplex{}
	_ vector = L1Ball{}
)

// Properties implements framework.Set.
func (Simplex) Properties() framework.Properties {
	return framework.Properties{Kind: "simplex", Convex: true, RowWise: true}
}

// Properties implements framework.Set.
func (L1Ball) Properties() framework.Properties {
	return framework.Properties{Kind: "l1_ball", Convex: true, RowWise: true}
}

// Project implements framework.Set. It returns a Fault if Radius is negative or
// not finite.
func (s Simplex) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(s, dst, at)
}

// Project implements framework.Set. It returns a Fault if Radius is negative.
func (b L1Ball) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(b, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (s Simplex) Violation(y framework.Matrix) float64 { return violationRows(s, y) }

// Violation returns the Euclidean distance from the set.
func (b L1Ball) Violation(y framework.Matrix) float64 { return violationRows(b, y) }

func (s Simplex) check(width int) error {
	if width == 0 && s.Radius != 0 {
		return framework.Faultf(framework.Data, "empty-set", "the simplex is empty: no features cannot sum to %g", s.Radius)
	}
	return radius("simplex", s.Radius, false)
}

func (b L1Ball) check(int) error { return radius("l1_ball", b.Radius, true) }

// radius returns a Fault if the radius of a set is not one.
func radius(kind string, r float64, infinite bool) error {
	switch {
	case math.IsNaN(r) || !infinite && math.IsInf(r, 1):
		return framework.Faultf(framework.Data, "bad-set", "%s: the radius is %g", kind, r)
	case r < 0:
		return framework.Faultf(framework.Data, "empty-set", "the %s is empty: its radius is %g, and must not be negative", kind, r)
	}
	return nil
}

func (s Simplex) nearest(y, mass []float64) {
	heavy, light := split(mass)
	if light == nil {
		ontoSimplex(y, mass, s.Radius)
		return
	}
	// What has mass need only not be too large; the rest makes up the sum.
	part, sub := pick(y, heavy), pick(mass, heavy)
	for i, v := range part {
		part[i] = max(v, 0)
	}
	if sum(part) > s.Radius {
		ontoSimplex(part, sub, s.Radius)
	}
	rest := pick(y, light)
	ontoSimplex(rest, nil, max(0, s.Radius-sum(part)))
	put(y, heavy, part)
	put(y, light, rest)
}

func (b L1Ball) nearest(y, mass []float64) {
	heavy, light := split(mass)
	if light == nil {
		ontoL1Ball(y, mass, b.Radius)
		return
	}
	if sumAbs(y) <= b.Radius {
		return
	}
	part, rest := pick(y, heavy), pick(y, light)
	ontoL1Ball(part, pick(mass, heavy), b.Radius)
	ontoL1Ball(rest, nil, max(0, b.Radius-sumAbs(part)))
	put(y, heavy, part)
	put(y, light, rest)
	shave(y, b.Radius)
}

func (s Simplex) distance(y, room []float64) float64 { return fromNearest(s, y, room) }
func (b L1Ball) distance(y, room []float64) float64  { return fromNearest(b, y, room) }

// ontoL1Ball replaces y, which is outside, by the nearest point of the ball. No
// mass is 0.
func ontoL1Ball(y, mass []float64, r float64) {
	if mass == nil {
		ontoEvenL1Ball(y, r)
		return
	}
	if sumAbs(y) <= r {
		return
	}
	signs := slices.Clone(y)
	for i, v := range y {
		y[i] = math.Abs(v)
	}
	ontoSimplex(y, mass, r)
	for i, v := range signs {
		y[i] = math.Copysign(y[i], v)
	}
	shave(y, r)
}

// ontoEvenL1Ball is ontoL1Ball of equal masses: ontoEvenSimplex with signs.
func ontoEvenL1Ball(y []float64, r float64) {
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

// shave takes what rounding has left beyond the ball, so that a point that is
// projected again stays where it is.
func shave(y []float64, r float64) {
	for off := sumAbs(y) - r; off > 0; off = sumAbs(y) - r {
		at := 0 // the largest entry can miss it
		for i, v := range y {
			if math.Abs(v) > math.Abs(y[at]) {
				at = i
			}
		}
		v := math.Abs(y[at])
		y[at] = math.Copysign(min(v-off, math.Nextafter(v, 0)), y[at])
	}
}

// passes is how often ontoSimplex drops features before it sorts.
const passes = 40

// ontoSimplex replaces y by the nearest point of the simplex of radius r ≥ 0. No
// mass is 0.
func ontoSimplex(y, mass []float64, r float64) {
	if len(y) == 0 {
		return
	}
	if mass == nil {
		ontoEvenSimplex(y, r)
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

// ontoEvenSimplex is ontoSimplex of equal masses. Values are measured from the
// largest, where thresholds are small.
func ontoEvenSimplex(y []float64, r float64) {
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

// evenThreshold is simplexThreshold of equal masses, for values above −r. It
// writes over them.
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

// simplexThreshold returns t such that Σ (z_l − t·over_l)₊ = r, by dropping
// features in some passes and then by sorting. It is at least low.
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

// split returns the positions with and without mass; none without if mass is nil.
func split(mass []float64) (heavy, light []int) {
	if !slices.Contains(mass, 0) {
		return nil, nil
	}
	for i, m := range mass {
		if m > 0 {
			heavy = append(heavy, i)
		} else {
			light = append(light, i)
		}
	}
	return heavy, light
}

func pick(x []float64, at []int) []float64 {
	v := make([]float64, len(at))
	for i, l := range at {
		v[i] = x[l]
	}
	return v
}

func put(x []float64, at []int, v []float64) {
	for i, l := range at {
		x[l] = v[i]
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func sumAbs(x []float64) (s float64) {
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}
