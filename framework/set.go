package framework

// A Set is a closed set to which a target is restricted.
type Set interface {
	Properties() Properties

	// Project writes to dst the point of the set nearest to at.X:
	//
	//	argmin over y in the set of ½ Σ_j RowMass_j Σ_l ColMass_l (y_jl − x_jl)²
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
