package constraint

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
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

// lightest are what stands for a mass of 0, relative to the largest: the
// algorithm needs masses, and takes long where they differ much. The second is
// taken where the first does not lead to a point.
var lightest = [...]float64{1e-6, 1e-3}

// dykstraAnyMass is dykstra for masses that may be 0.
func dykstraAnyMass(y framework.Matrix, sets []framework.Set, rowMass, colMass []float64) error {
	if !slices.Contains(rowMass, 0) && !slices.Contains(colMass, 0) {
		return dykstra(y, sets, rowMass, colMass)
	}
	x := y.Clone()
	var err error
	for _, least := range lightest {
		y.CopyFrom(x)
		if err = dykstra(y, sets, withoutZeros(rowMass, least), withoutZeros(colMass, least)); err == nil {
			return nil
		}
	}
	return err
}

// dykstra replaces y by the nearest point of the intersection of convex sets,
// to tolerance: it projects onto one after the other, each time giving back
// what the same set took the last time. It stops when a round changes these
// corrections by less than 1e-11 of the largest number in play (a criterion that
// is not deceived by rounds in which the point stands still), and returns a
// Fault if the point is then, or after 10 000 rounds, farther than 1e-8 of that
// number from one of the sets.
//
// Source: Boyle and Dykstra (1986), https://doi.org/10.1007/978-1-4613-9940-7_3;
// Birgin and Raydan (2005), https://doi.org/10.1137/03060062X, for the stop.
func dykstra(y framework.Matrix, sets []framework.Set, rowMass, colMass []float64) error {
	corrections := make([]framework.Matrix, len(sets))
	for i := range corrections {
		corrections[i] = framework.NewMatrix(y.Rows, y.Cols)
	}
	z := y.Clone()
	scale := largestOf(y.Data)
	for range sweeps {
		var change float64
		for i, set := range sets {
			taken := corrections[i].Data
			for l, v := range y.Data {
				z.Data[l] = v + taken[l]
			}
			if err := set.Project(y, framework.Point{X: z, RowMass: rowMass, ColMass: colMass}); err != nil {
				return err
			}
			for l, v := range y.Data {
				next := z.Data[l] - v
				change = max(change, math.Abs(next-taken[l]))
				taken[l] = next
			}
		}
		scale = max(scale, largestOf(y.Data))
		if change <= settled*scale {
			break
		}
	}
	return nearAll(y, sets, feasible*scale)
}

// nearAll returns a Fault if y is farther from a set than allowed.
func nearAll(y framework.Matrix, sets []framework.Set, allowed float64) error {
	for _, set := range sets {
		if v := set.Violation(y); !(v <= allowed) {
			return framework.Faultf(framework.Data, "no-common-point",
				"no point was found that is in all sets: after %d rounds the nearest one is still %.3g (fitted units) away from %s", sweeps, v, set.Properties().Kind).
				WithHint("the sets have no point in common, or only just: relax one of them")
		}
	}
	return nil
}

// withoutZeros returns masses of which none is below least times the largest.
func withoutZeros(mass []float64, least float64) []float64 {
	most := largestOf(mass)
	if most == 0 {
		return nil
	}
	m := make([]float64, len(mass))
	for i, v := range mass {
		m[i] = max(v, least*most)
	}
	return m
}
