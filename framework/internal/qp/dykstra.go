package qp

import (
	"math"
	"slices"
)

// A Step projects some entries onto a set.
type Step struct {
	Of   []int                 // nil: all, in their order
	Onto func([]float64) error // replaces these entries by the nearest point
}

// settled is the change of all corrections in one round, relative to the largest
// number involved, at which Dykstra's algorithm stops.
const settled = 1e-11

// Dykstra replaces y by the nearest point of the sets of all steps, within a
// tolerance. It takes one step after the other, each time undoing the correction
// that the same step made the last time. It stops when a round changes the
// corrections by less than 1e-11 of the largest number involved (unlike the point,
// they change even in rounds in which the point does not move), or after the given
// number of rounds. It returns the largest number involved. No mass may be 0.
//
// Source: Boyle and Dykstra (1986), https://doi.org/10.1007/978-1-4613-9940-7_3;
// Birgin and Raydan (2005), https://doi.org/10.1137/03060062X, for the stop.
func Dykstra(y []float64, steps []Step, rounds int) (big float64, err error) {
	taken := make([][]float64, len(steps))
	for i, s := range steps {
		taken[i] = make([]float64, s.width(y))
	}
	big = MaxAbs(y)
	part, back := make([]float64, 0, len(y)), make([]float64, 0, len(y))
	for range rounds {
		var change float64
		for i, s := range steps {
			part = part[:0]
			for n, took := range taken[i] {
				part = append(part, y[s.entry(n)]+took)
			}
			back = append(back[:0], part...)
			if err := s.Onto(part); err != nil {
				return big, err
			}
			for n, v := range part {
				next := back[n] - v
				change = max(change, math.Abs(next-taken[i][n]))
				taken[i][n] = next
				y[s.entry(n)] = v
			}
		}
		big = max(big, MaxAbs(y))
		if change <= settled*big {
			break
		}
	}
	return big, nil
}

// Alternate takes one step after the other, without undoing anything, until y is in
// all sets or comes to rest, or for some rounds. It returns what farthest says of the
// last point: the set that it is farthest from, and how far.
func Alternate(y []float64, steps []Step, rounds int, farthest func() (string, float64)) (name string, off float64, err error) {
	for range rounds {
		before := slices.Clone(y)
		for _, s := range steps {
			part := y
			if s.Of != nil {
				part = Pick(y, s.Of)
			}
			if err := s.Onto(part); err != nil {
				return "", 0, err
			}
			if s.Of != nil {
				Put(y, s.Of, part)
			}
		}
		name, off = farthest()
		if scale := MaxAbs(y); off <= 1e-9*scale || FarApart(y, before) <= 1e-15*scale {
			break
		}
	}
	return name, off, nil
}

func (s Step) width(y []float64) int {
	if s.Of == nil {
		return len(y)
	}
	return len(s.Of)
}

func (s Step) entry(n int) int {
	if s.Of == nil {
		return n
	}
	return s.Of[n]
}
