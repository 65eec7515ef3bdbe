package result

import "github.com/sqlcluster/sqlcluster/sql/input"

// Path are the rows of the tables of a path, see package schema.
type Path struct {
	KeyName  string
	Keys     input.Keys
	Points   []PathPoint
	Features []PathFeature
	Labels   [][]int32 // of each point, nil where it has none; nil: not to be written
	Fit      Fit       // without model
	Run      Run
}

// PathPoint is a row of the path.
type PathPoint struct {
	Parameter  string
	Value      float64
	Status     string
	Converged  bool
	Iterations int
	Selected   int // −1: NULL
	Objective  float64
	Explained  float64
	ARI        float64
	WarmFrom   float64 // NaN: NULL
}

// PathFeature is a row of the features of a path.
type PathFeature struct {
	Point int
	Feature
}

// IsPath reports whether the row describes a path or a tuning without a fit of
// the chosen value: there is no model.
func (f *Fit) IsPath() bool { return f.Model == "" }
