package constraint

import (
	"math"
	"slices"
)

const (
	// sweeps bounds the rounds of Dykstra's algorithm.
	sweeps = 10_000
	// settled is the change of all corrections in one round, relative to the
	// numbers in play, at which the algorithm stops.
	settled = 1e-11
	// feasible is the distance from a set, relative to the numbers in play, that
	// a result may have.
	feasible = 1e-8
)

// dykstra replaces y by the nearest point of the task's sets, to tolerance: it
// projects onto one after the other, each time giving back what the same set
// took the last time. It stops when a round changes these corrections by less
// than 1e-11 of the largest number in play (a criterion that is not deceived by
// rounds in which the point stands still), or after 10 000 rounds. It returns
// how many it took. No mass is 0.
//
// Source: Boyle and Dykstra (1986), https://doi.org/10.1007/978-1-4613-9940-7_3;
// Birgin and Raydan (2005), https://doi.org/10.1137/03060062X, for the stop.
func (t *task) dykstra(y, mass []float64) (rounds int) {
	taken := make([][]float64, len(t.pieces))
	masses := make([][]float64, len(t.pieces))
	for i, p := range t.pieces {
		taken[i] = make([]float64, len(p.of))
		if masses[i] = mass; mass != nil && !p.all {
			masses[i] = normal(pick(mass, p.of))
		}
	}
	var outside []float64 // what the bounds took
	if t.lo != nil {
		outside = make([]float64, len(y))
	}
	scale := largestOf(y)
	part, back := make([]float64, 0, len(y)), make([]float64, 0, len(y))
	for rounds = 1; rounds < sweeps; rounds++ {
		var change float64
		for i, p := range t.pieces {
			part = part[:0]
			for n, l := range p.of {
				part = append(part, y[l]+taken[i][n])
			}
			back = append(back[:0], part...)
			p.set.nearest(part, masses[i])
			for n, l := range p.of {
				next := back[n] - part[n]
				change = max(change, math.Abs(next-taken[i][n]))
				taken[i][n] = next
				y[l] = part[n]
			}
		}
		for l, took := range outside {
			v := y[l] + took
			y[l] = clip(v, t.lo[l], t.hi[l])
			outside[l] = v - y[l]
			change = max(change, math.Abs(outside[l]-took))
		}
		scale = max(scale, largestOf(y))
		if change <= settled*scale {
			break
		}
	}
	return rounds
}

// alternate moves y from one set to the next, some rounds long or until it is in
// all of them or comes to rest, and returns the set that it is then farthest
// from, and how far.
func (t *task) alternate(y []float64, rounds int) (name string, off float64) {
	for range rounds {
		before := slices.Clone(y)
		for _, p := range t.pieces {
			part := pick(y, p.of)
			p.set.nearest(part, nil)
			put(y, p.of, part)
		}
		if t.lo != nil {
			for i, v := range y {
				y[i] = clip(v, t.lo[i], t.hi[i])
			}
		}
		name, off = t.farthest(y)
		if scale := largestOf(y); off <= 1e-9*scale || farApart(y, before) <= 1e-15*scale {
			break
		}
	}
	return name, off
}
