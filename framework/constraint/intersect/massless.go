package intersect

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

const (
	// lightest stands for a mass of 0, relative to the least other mass.
	lightest = 1e-4
	// turns bounds the rounds of inTurn; it takes four or five.
	turns = 60
	// still is the change, relative to the largest number involved, at which it stops.
	still = 1e-15
)

// inTurn is nearest for masses some of which are 0. First the entries with mass
// come as near as the sets allow, wherever the others have to go. Then they are
// held, and the others come as near as they can, with equal masses.
//
// The first step solves problems in which a small mass stands for 0. Entries of
// that mass are drawn to where the previous round left them, so in the end nothing
// draws them (the proximal point method). Each round reduces the error by the ratio
// of the masses; where edges are straight, only rounding is left of it.
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
		// If balls leave only a single point, rounding of the held entries can exclude it.
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
