package job

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An objective that is computed from sums is exact to about 1e-16 of the squares
// that it is the difference of. Where clusters are points it is nothing but that
// error, while the inertia, from the rows themselves, is 0, or the square of a
// rounding error.
const (
	sumsNoise = 1e-12 // of the sum of squares: far above the error of sums
	rowsNoise = 1e-28 // far above the square of the error of a cell, (2e-16)²
)

// withoutNoise returns the objective and the inertia of a fit with squared loss,
// and those of its clusters, without what is rounding only.
func (b *Job) withoutNoise(objective, inertia float64) (float64, float64) {
	total := b.squares()
	if math.Abs(objective) <= sumsNoise*total && math.Abs(objective-inertia) <= sumsNoise*total {
		objective = inertia // as the rows have it
	}
	return silent(objective, total), silent(inertia, total)
}

// silent returns 0 for a sum of squares of rounding errors.
func silent(v, total float64) float64 {
	if math.Abs(v) <= rowsNoise*total {
		return 0
	}
	return v
}

// unit is the largest relative error of one rounding, 2⁻⁵³.
const unit = 0x1p-53

// silentGain returns what a feature gains, and 0 for what rounding may have made
// of no gain. A gain is a sum of squares m·μ² of means about 0, or about the mean
// of all rows, and μ is known to
//
//	n·u·√(Σx²/m)      for a sum of n cells x, and
//	4u·location/scale  for the rounding of cells and of the column's own mean,
//
// so that no gain is told from
//
//	2(n·u)²·Σx² + 2m·(4u·location/scale)²
//
// Gains per row are of less, and have a smaller error. So have gains that are no
// squares, of medians, next to which this is nothing.
func (b *Job) silentGain(f framework.Feature) float64 {
	c, n := b.Problem.Columns[f.Column], float64(b.Problem.N)
	squares := c.SumSq + float64(c.Mass*c.Mean*c.Mean)
	sum, location := n*unit, 4*unit*c.Location/c.Scale
	if math.Abs(f.Gain) <= float64(2*sum*sum*squares)+float64(2*c.Mass*location*location) {
		return 0
	}
	return f.Gain
}

// silentShare returns the center of a category, which is the share of a cluster's
// rows that have it: 0 and 1 where none and all have it, and not what rounding
// leaves of a sum of n cells that were scaled, and scaled back.
func silentShare(center, frequency float64, n int) float64 {
	if (frequency == 0 || frequency == 1) && math.Abs(center-frequency) <= float64(n+4)*unit {
		return frequency
	}
	return center
}

// squares returns the sum of the squares of all fitted cells.
func (b *Job) squares() float64 {
	total := 0.0
	for _, c := range b.Problem.Columns {
		total += c.SumSq + float64(c.Mass*c.Mean*c.Mean)
	}
	return total
}
