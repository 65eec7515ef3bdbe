package framework

import (
	"fmt"
	"math"
)

// A Set is a closed set to which a target is restricted.
type Set interface {
	Properties() Properties

	// Project writes to dst the point of the set nearest to at.X:
	//
	//	argmin over y in the set of ½ Σ_j RowMass_j Σ_l ColMass_l (y_jl − x_jl)²
	//
	// A set that keeps some entries and sets the others to 0 keeps those of the largest
	// gains, Point.GainAt. Where the point has a Gain, that replaces the masses in the
	// choice of entries, and nowhere else.
	//
	// A Maximize set writes its best point instead, the one of least norm if
	// there are several:
	//
	//	argmax over y in the set of Σ_jl y_jl x_jl − Penalty(y)
	//
	// dst has the shape of at.X. It may share its memory, except in Maximize sets.
	// Masses of 0 are allowed. Project is deterministic.
	Project(dst Matrix, at Point) error

	// Violation returns how far y is from being in the set: 0 inside.
	Violation(y Matrix) float64

	// Penalty returns what y costs in the objective; 0 for a set without a penalty.
	Penalty(y Matrix) float64
}

// A Point is what is projected, with the masses of the inner product.
type Point struct {
	X       Matrix    // centers: k×p; feature weights: 1×p
	RowMass []float64 // length X.Rows; nil: all 1
	ColMass []float64 // length X.Cols; nil: all 1

	// Gain, if not nil, has the shape of X and replaces
	// RowMass_j · ColMass_l · X_jl² as the gain of keeping entry (j, l).
	// Medians and means of observed cells have no such masses.
	Gain []float64
}

// Check returns an error unless all numbers are finite, every list is as long as X
// requires, and no mass is below 0.
func (p Point) Check() error {
	if len(p.X.Data) != p.X.Rows*p.X.Cols {
		return fmt.Errorf("the point has %d numbers for %d × %d", len(p.X.Data), p.X.Rows, p.X.Cols)
	}
	for _, l := range []struct {
		name string
		list []float64
		want int
		mass bool
	}{
		{"X", p.X.Data, len(p.X.Data), false}, {"RowMass", p.RowMass, p.X.Rows, true},
		{"ColMass", p.ColMass, p.X.Cols, true}, {"Gain", p.Gain, len(p.X.Data), false},
	} {
		if l.list != nil && len(l.list) != l.want {
			return fmt.Errorf("%s has %d numbers; it must have %d", l.name, len(l.list), l.want)
		}
		for i, v := range l.list {
			if math.IsNaN(v) || math.IsInf(v, 0) || l.mass && v < 0 {
				return fmt.Errorf("entry %d of %s is %v", i, l.name, v)
			}
		}
	}
	return nil
}

// GainAt returns the gain of keeping entry (j, l) instead of setting it to 0.
func (p Point) GainAt(j, l int) float64 {
	i := j*p.X.Cols + l
	if p.Gain != nil {
		return p.Gain[i]
	}
	w := p.X.Data[i] * p.X.Data[i]
	if p.RowMass != nil {
		w *= p.RowMass[j]
	}
	if p.ColMass != nil {
		w *= p.ColMass[l]
	}
	return w
}

// Properties are what a Set declares about itself. They decide which laws it is
// checked against.
type Properties struct {
	Kind      string
	Maximize  bool // Project finds the best point (feature weights), not the nearest
	Convex    bool
	Cone      bool // a point scaled by c ≥ 0 stays in the set
	RowWise   bool // each row is projected by itself
	Separable bool // each entry is projected by itself
}
