package cli

import "math"

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
func withoutNoise(p *prepared, objective, inertia float64) (float64, float64) {
	total := squares(p)
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

// squares returns the sum of the squares of all fitted cells.
func squares(p *prepared) float64 {
	total := 0.0
	for _, c := range p.problem.Columns {
		total += c.SumSq + float64(c.Mass*c.Mean*c.Mean)
	}
	return total
}
