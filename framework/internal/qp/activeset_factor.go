package qp

import (
	"math"
	"slices"
)

// resolve splits a direction into multiples r of the active rows and a remainder,
// which is orthogonal to all rows in the free entries.
func (a *activeSet) resolve(along []float64) (r, left []float64) {
	left = slices.Clone(along)
	q := make([]float64, len(a.active))
	for range 2 {
		for c, b := range a.basis {
			d := a.along(b, left)
			q[c] += d
			a.less(left, b, d)
		}
	}
	r = a.back(q)
	for i := range left {
		if a.side[i] == 0 {
			continue
		}
		left[i] = along[i]
		for c, f := range a.active {
			left[i] -= float64(r[c] * f.along[i])
		}
	}
	a.work += (len(a.active) + 1) * len(along)
	return r, left
}

// along returns the inner product over the free entries: elsewhere the vectors of
// the basis are 0.
func (a *activeSet) along(b, x []float64) (sum float64) {
	for i, v := range b {
		sum += float64(v * x[i])
	}
	return sum
}

func (a *activeSet) less(x, b []float64, d float64) {
	for i, v := range b {
		x[i] -= float64(d * v)
	}
}

// back solves R r = q, where R is the upper triangle.
func (a *activeSet) back(q []float64) []float64 {
	r := slices.Clone(q)
	for c := len(r) - 1; c >= 0; c-- {
		r[c] /= a.upper[c][c]
		for d := range c {
			r[d] -= float64(a.upper[c][d] * r[c])
		}
	}
	return r
}

// forward solves Rᵀ e = d.
func (a *activeSet) forward(d []float64) []float64 {
	e := slices.Clone(d)
	for c := range e {
		for b := range c {
			e[c] -= float64(a.upper[c][b] * e[b])
		}
		e[c] /= a.upper[c][c]
	}
	return e
}

// factor completes the basis of the active rows.
func (a *activeSet) factor() error {
	for c := len(a.basis); c < len(a.active); c++ {
		b := slices.Clone(a.active[c].along)
		for i, side := range a.side {
			if side != 0 {
				b[i] = 0
			}
		}
		column := make([]float64, c+1)
		for range 2 {
			for e, other := range a.basis {
				d := a.along(other, b)
				column[e] += d
				a.less(b, other, d)
			}
		}
		length := math.Sqrt(a.along(b, b))
		if length == 0 {
			return ErrWork
		}
		for i := range b {
			b[i] /= length
		}
		column[c] = length
		a.basis = append(a.basis, b)
		a.upper = append(a.upper[:c], column)
		a.work += 4 * (c + 1) * len(b)
	}
	if a.work > maxWork {
		return ErrWork
	}
	return nil
}
