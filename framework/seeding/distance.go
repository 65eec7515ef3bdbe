package seeding

import "math"

// squares writes to dst the squared distance of each row of x (len(dst) × p,
// row-major) to c (length p) in the given space. Features that are NaN in
// either are left out.
func squares(dst, x, c, space []float64) {
	p := len(c)
	i := 0
	for ; i+tile <= len(dst); i += tile {
		four(dst[i:i+tile], x[i*p:(i+tile)*p], c, space)
	}
	for ; i < len(dst); i++ {
		dst[i] = observed(x[i*p:(i+1)*p], c, space)
	}
	// A sum is NaN where a cell is missing: rare enough to be done again, and
	// the loops above stay free of branches.
	for i, d := range dst {
		if d != d {
			dst[i] = observed(x[i*p:(i+1)*p], c, space)
		}
	}
}

// tile is the number of rows whose chains run side by side, to keep the
// processor busy.
const tile = 4

// four writes the squared distances of four rows without missing cells.
func four(dst, x, c, space []float64) {
	p := len(c)
	r, s, t, u := x[:p], x[p:2*p], x[2*p:3*p], x[3*p:4*p]
	var dr, ds, dt, du float64
	if space == nil {
		for l, v := range c {
			er, es, et, eu := r[l]-v, s[l]-v, t[l]-v, u[l]-v
			dr = math.FMA(er, er, dr)
			ds = math.FMA(es, es, ds)
			dt = math.FMA(et, et, dt)
			du = math.FMA(eu, eu, du)
		}
	} else {
		space = space[:p]
		for l, v := range c {
			w := space[l]
			er, es, et, eu := r[l]-v, s[l]-v, t[l]-v, u[l]-v
			dr = math.FMA(er*w, er, dr)
			ds = math.FMA(es*w, es, ds)
			dt = math.FMA(et*w, et, dt)
			du = math.FMA(eu*w, eu, du)
		}
	}
	dst[0], dst[1], dst[2], dst[3] = dr, ds, dt, du
}

// observed returns the squared distance of x and c over the features that both
// have observed and that count in the space, by the chain of four.
func observed(x, c, space []float64) float64 {
	d := 0.0
	for l, v := range c {
		e := x[l] - v
		if e != e {
			continue
		}
		if space == nil {
			d = math.FMA(e, e, d)
		} else if w := space[l]; w != 0 { // 0 · Inf would be NaN
			d = math.FMA(e*w, e, d)
		}
	}
	return d
}
