package sets

import (
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// A Target is a constraint set to be checked, or a family of them.
type Target struct {
	Name       string
	New        func(r *rand.Rand, rows, cols int) framework.Set // for points of rows × cols, drawn from r alone
	Rows, Cols int                                              // the only shape that the set takes; 0: any
	Nested     func(rows, cols int) []framework.Set             // a family, each a superset of the one before; nil: none

	similar func(c *judge.Trial) (set framework.Set, rows, cols int) // in place of New, with a shape of its own; nil: New
}

// drawn makes a set for points of rows × cols.
func (target Target) drawn(c *judge.Trial) (set framework.Set, rows, cols int) {
	if target.similar != nil {
		return target.similar(c)
	}
	rows, cols = target.shape(c)
	return target.New(c.Rand, rows, cols), rows, cols
}

func (target Target) shape(c *judge.Trial) (rows, cols int) {
	rows, cols = c.Between(1, 1+c.Size/8), c.Between(1, 1+c.Size/3)
	if c.Large() && c.Rand.IntN(2) == 0 {
		cols = cases.Wide[c.Rand.IntN(len(cases.Wide))]
	}
	switch {
	case target.Rows > 0:
		rows = target.Rows
	case target.maximizes():
		rows = 1 // feature weights
	}
	if target.Cols > 0 {
		cols = target.Cols
	}
	return rows, cols
}

// maximizes reports whether these are Maximize sets, whose Project writes the best
// point instead of the nearest one.
func (target Target) maximizes() bool {
	set := target.New(rand.New(rand.NewPCG(1, 1)), max(target.Rows, 1), max(target.Cols, 1))
	return set.Properties().Maximize
}

// ofNearest restricts a law to sets whose Project writes the nearest point.
func ofNearest(check func(*judge.Trial, Target)) func(*judge.Trial, Target) {
	return func(c *judge.Trial, target Target) {
		if target.maximizes() {
			c.Skipf("the set says Maximize: Project writes the best point, not the nearest")
		}
		check(c, target)
	}
}

// ofBest restricts a law to Maximize sets.
func ofBest(check func(*judge.Trial, Target)) func(*judge.Trial, Target) {
	return func(c *judge.Trial, target Target) {
		if !target.maximizes() {
			c.Skipf("the set does not say Maximize")
		}
		check(c, target)
	}
}
