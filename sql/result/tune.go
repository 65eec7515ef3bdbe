package result

import "github.com/sqlcluster/sqlcluster/sql/input"

// Tune are the rows of the tables of a tuning, see package schema.
type Tune struct {
	KeyName string
	Keys    input.Keys
	Values  []TuneValue
	Folds   []TuneFold // nil: not by classes, and no such table
	Draws   []TuneDraw // nil: by classes, and no such table

	Final *Tables // the fit with the chosen value; nil: there is none, but
	Fit   Fit     // what was tuned, without model
	Run   Run
}

// TuneValue is a row of the tuning.
type TuneValue struct {
	Point     int
	Method    string
	K         int
	Parameter string  // "": NULL
	Value     float64 // NaN: NULL
	Status    string
	Converged bool
	Fits      int
	Selected  float64 // NaN: NULL, as in Score and Error
	Score     float64
	Error     float64
	Best      bool
	OneSE     bool
}

// TuneFold is a row of the folds of a tuning.
type TuneFold struct {
	Point, Repetition, Fold int
	Pairs                   int
	Status                  string
	Converged               bool
	Iterations              int // −1: NULL
	Selected                int // −1: NULL
	Score                   float64
}

// TuneDraw is a row of the draws of a tuning.
type TuneDraw struct {
	Kind        string
	Draw, Point int
	Status      string
	Converged   bool
	Iterations  int // −1: NULL
	Selected    int // −1: NULL
	Objective   float64
	Explained   float64
}
