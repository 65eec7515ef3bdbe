package qp

import (
	"math"
	"sync"
)

// An Order is an order in which entries do not fall, in original units:
// Location_i + Scale_i y_i. Nil means 0 and 1.
type Order struct{ Location, Scale []float64 }

// Original returns entry i in original units.
func (o Order) Original(i int, v float64) float64 {
	if o.Scale != nil {
		v *= o.Scale[i]
	}
	if o.Location != nil {
		v += o.Location[i]
	}
	return v
}

// A pool is a run of features that have one value.
type pool struct {
	end        int // the feature after the last
	value      float64
	mass, size float64 // size counts where there is no mass
	mean       float64 // the value without bounds
	lo, hi     float64
}

// poolRooms are work space of Onto.
var poolRooms = sync.Pool{New: func() any { return new([]pool) }}

// Onto replaces y by the nearest point that rises. It is isotone regression with
// weights c_l / Scale_l², in original units, found by pooling adjacent violators:
// O(p).
//
// Source: Barlow, Bartholomew, Bremner and Brunk (1972), Statistical inference
// under order restrictions, section 1.2.
func (o Order) Onto(y, mass []float64) {
	room := poolRooms.Get().(*[]pool)
	defer poolRooms.Put(room)
	pools := (*room)[:0]
	for i, v := range y {
		p := o.pool(i, v, mass)
		pools = pooled(pools, p)
	}
	*room = pools
	i := 0
	for _, p := range pools {
		if i+1 == p.end { // alone: stays exactly as it is
			i++
			continue
		}
		for ; i < p.end; i++ {
			y[i] = o.fitted(i, p.value)
		}
	}
}

// pool returns feature i alone, without bounds.
func (o Order) pool(i int, v float64, mass []float64) pool {
	p := pool{end: i + 1, mass: 1, size: 1, lo: math.Inf(-1), hi: math.Inf(1)}
	p.mean = o.Original(i, v)
	p.value = p.mean
	if o.Scale != nil {
		p.size = 1 / float64(o.Scale[i]*o.Scale[i])
	}
	if p.mass = p.size; mass != nil {
		p.mass *= mass[i]
	}
	return p
}

// fitted is the inverse of Original.
func (o Order) fitted(i int, v float64) float64 {
	if o.Location != nil {
		v -= o.Location[i]
	}
	if o.Scale != nil {
		v /= o.Scale[i]
	}
	return v
}

// pooled appends a pool, and joins it with preceding pools of larger means.
func pooled(pools []pool, next pool) []pool {
	for len(pools) > 0 && pools[len(pools)-1].value > next.value {
		next = pools[len(pools)-1].with(next)
		pools = pools[:len(pools)-1]
	}
	return append(pools, next)
}

// with joins a pool with the one after it.
func (p pool) with(next pool) pool {
	a, b := p.mass, next.mass
	if a == 0 && b == 0 {
		a, b = p.size, next.size
	}
	// The mean as a step from the mean of the larger part: it does not overflow,
	// and is exact if both are equal.
	if a >= b {
		next.mean = p.mean + (next.mean-p.mean)*(b/(a+b))
	} else {
		next.mean += (p.mean - next.mean) * (a / (a + b))
	}
	next.mass += p.mass
	next.size += p.size
	if p.lo > next.lo {
		next.lo = p.lo
	}
	if p.hi < next.hi {
		next.hi = p.hi
	}
	next.value = Clip(next.mean, next.lo, next.hi)
	return next
}

// isotone is solve for bounds and one chain. A lower bound also holds for all later
// entries, an upper one for all earlier entries. With bounds that rise, a pool's
// value is the number within them that is nearest to its mean.
//
// Source: Best, Chakravarti and Ubhaya (2000), Minimizing separable convex
// functions subject to simple chain constraints,
// https://doi.org/10.1137/S1052623497314970.
func (p *Program) isotone(y []float64, t target) error {
	p.entries(y, t)
	c := p.chains[0]
	var mass []float64
	if t.mass != nil {
		mass = Pick(t.mass, c.of)
	}
	alone := make([]pool, len(c.of))
	least, most := math.Inf(-1), math.Inf(1)
	big := MaxAbs(c.Location)
	for i, l := range c.of {
		alone[i] = c.pool(i, t.x[l], mass)
		big = max(big, math.Abs(alone[i].mean))
		least = max(least, c.Original(i, p.Lo[l]))
		alone[i].lo = least
	}
	for i := len(c.of) - 1; i >= 0; i-- {
		most = min(most, c.Original(i, p.Hi[c.of[i]]))
		if alone[i].hi = most; alone[i].lo > most {
			if alone[i].lo-most > p.apart()*max(big, math.Abs(most), math.Abs(alone[i].lo)) {
				return ErrEmpty
			}
			alone[i].hi = alone[i].lo
		}
	}
	pools := make([]pool, 0, len(c.of))
	for _, a := range alone {
		a.value = Clip(a.mean, a.lo, a.hi)
		pools = pooled(pools, a)
	}
	i := 0
	for _, q := range pools {
		for lone := i+1 == q.end; i < q.end; i++ {
			l := c.of[i]
			v := t.x[l] // alone and free: stays exactly as it is
			if !lone || q.value != q.mean {
				v = c.fitted(i, q.value)
			}
			y[l] = Clip(v, p.Lo[l], p.Hi[l])
		}
	}
	return nil
}
