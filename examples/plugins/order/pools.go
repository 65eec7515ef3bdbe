package main

import "slices"

// A pool has columns that share one value.
type pool struct {
	columns    []int
	value      float64 // in original units
	mass, size float64 // size counts where there is no mass
}

// one returns the pool of one column. A mass in the fitted space is mass / Scale² in
// original units.
func (s set) one(y, mass []float64, l int) pool {
	c := s.columns[l]
	p := pool{columns: []int{l}, value: c.Location + y[l]*c.Scale, size: 1 / (c.Scale * c.Scale)}
	if p.mass = p.size; mass != nil {
		p.mass *= mass[l]
	}
	return p
}

// with joins two pools; the value is their mean, weighted by mass.
func (p pool) with(q pool) pool {
	a, b := p.mass, q.mass
	if a == 0 && b == 0 {
		a, b = p.size, q.size
	}
	// A step from the value of the heavier pool: exact if both are equal.
	value := p.value + (q.value-p.value)*(b/(a+b))
	if b > a {
		value = q.value + (p.value-q.value)*(a/(a+b))
	}
	return pool{slices.Concat(p.columns, q.columns), value, p.mass + q.mass, p.size + q.size}
}

// nearest replaces y by the nearest point of the order: the least
// Σ mass_l (z_l − y_l)² of all z that keep it.
//
// Each side is a chain that rises towards the peak. It is pooled by itself, from its
// far end: if a column is below the pool before it, they are joined. The peak comes
// last. As long as it is below the last pool of a side, it absorbs the higher of the
// two. This is the algorithm of Pardalos and Xue (1999) for an order that is a tree,
// whose root is the peak.
func (s set) nearest(y []float64, o order, mass []float64) {
	if o.peak < 0 {
		return
	}
	up, down := s.chain(y, mass, o.up), s.chain(y, mass, o.down)
	top := s.one(y, mass, o.peak)
	for {
		higher := &up
		if len(up) == 0 || len(down) > 0 && down[len(down)-1].value > up[len(up)-1].value {
			higher = &down
		}
		n := len(*higher)
		if n == 0 || (*higher)[n-1].value <= top.value {
			break
		}
		top = (*higher)[n-1].with(top)
		*higher = (*higher)[:n-1]
	}
	for _, p := range slices.Concat(up, down, []pool{top}) {
		if len(p.columns) == 1 {
			continue // stays exactly as it is
		}
		for _, l := range p.columns {
			y[l] = (p.value - s.columns[l].Location) / s.columns[l].Scale
		}
	}
}

// chain pools columns so that the values of pools rise.
func (s set) chain(y, mass []float64, columns []int) []pool {
	var pools []pool
	for _, l := range columns {
		next := s.one(y, mass, l)
		for n := len(pools); n > 0 && pools[n-1].value > next.value; n-- {
			next = pools[n-1].with(next)
			pools = pools[:n-1]
		}
		pools = append(pools, next)
	}
	return pools
}
