package intersect

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

const (
	// lightest is what stands for a mass of 0, relative to the least other one.
	lightest = 1e-4
	// turns bounds the rounds of inTurn; four or five are taken.
	turns = 60
	// still is the change, relative to the numbers in play, at which they stop.
	still = 1e-15
)

// inTurn is nearest for masses of which some are 0: first what has mass is as
// near as the sets allow, wherever the rest has to go; then that is held, and the
// rest is as near as it can be beside it, with equal masses.
//
// The first is found by problems in which a small mass stands for 0, and what
// has it is drawn to where the round before left it, and so by nothing in the
// end (the proximal point method). What is off falls by the ratio of the masses
// in each round; where edges are straight, nothing is left of it but rounding.
//
// Source: Rockafellar (1976), Monotone operators and the proximal point
// algorithm, https://doi.org/10.1137/0314056.
func (t *task) inTurn(y, mass []float64) error {
	heavy, light := qp.Split(mass)
	least := math.Inf(1)
	for _, l := range heavy {
		least = min(least, mass[l])
	}
	small := slices.Clone(mass)
	for _, l := range light {
		small[l] = lightest * least
	}
	x, rest := qp.Pick(y, heavy), qp.Pick(y, light)
	aim, scale := rest, qp.MaxAbs(y)
	var before []float64
	for range turns {
		qp.Put(y, heavy, x)
		qp.Put(y, light, rest)
		if err := t.withMass(y, small); err != nil {
			return err
		}
		now := qp.Pick(y, heavy)
		rest = qp.Pick(y, light)
		if before != nil && qp.FarApart(now, before) <= still*max(scale, qp.MaxAbs(y)) {
			break
		}
		before = now
	}
	first := slices.Clone(y)
	qp.Put(y, light, aim)
	err := t.holding(heavy, y).withMass(y, nil)
	if _, off := t.farthest(y); err != nil || off > 1e-12*max(scale, qp.MaxAbs(y)) {
		// Where balls leave a single point, rounding of what is held leaves none.
		copy(y, first)
	}
	return nil
}

// holding returns the task with some entries held where they are.
func (t *task) holding(entries []int, y []float64) *task {
	held := *t
	held.program = t.program.Holding(entries, y)
	held.lo, held.hi = held.program.Lo, held.program.Hi
	return &held
}
