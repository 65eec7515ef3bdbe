package result

import "github.com/sqlcluster/sqlcluster/sql/input"

// Tune are the rows of the tables of a tuning, see package schema.
type Tune struct {
	KeyName string
	Keys    input.Keys
	Values  []TuneValue
	Folds   []TuneFold

	Final *Tables // the fit with the chosen value; nil: there is none, but
	Fit   Fit     // what was tuned, without model
	Run   Run
}

// TuneValue is a row of the tuning.
type TuneValue struct {
	Method    string
	Parameter string
	Value     float64
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
