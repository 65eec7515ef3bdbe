package store

import "github.com/sqlcluster/sqlcluster/sql/schema"

// TuneResults are the rows of the tables of a tuning, see package schema.
type TuneResults struct {
	KeyName string
	Keys    *Keys
	Values  []TuneValue
	Folds   []TuneFold

	Final *Results // the fit with the chosen value; nil: there is none, but
	Fit   Fit      // what was tuned, without model
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

func (r *TuneResults) tables() []newTable {
	all := []newTable{
		{result: schema.Tune, rows: len(r.Values), columns: tuneCells(r.Values)},
		{result: schema.TuneFolds, rows: len(r.Folds), columns: foldCells(r.Folds)},
	}
	if r.Final != nil {
		return append(all, r.Final.tables()...)
	}
	return append(all, newTable{result: schema.Fit, rows: 1, columns: r.Fit.cells()},
		newTable{result: schema.Run, rows: 1, columns: r.Run.cells(r.Fit.RunID)})
}

func tuneCells(rows []TuneValue) cellWriters {
	return cellWriters{
		"point":          counts(0, func(i int) int { return i }),
		"method":         texts(func(i int) string { return rows[i].Method }),
		"parameter":      texts(func(i int) string { return rows[i].Parameter }),
		"value":          numbers(func(i int) float64 { return rows[i].Value }),
		"status":         texts(func(i int) string { return rows[i].Status }),
		"converged":      fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"fits":           counts(0, func(i int) int { return rows[i].Fits }),
		"selected":       numbers(func(i int) float64 { return rows[i].Selected }),
		"score":          numbers(func(i int) float64 { return rows[i].Score }),
		"standard_error": numbers(func(i int) float64 { return rows[i].Error }),
		"best":           fixed(func(i int) (bool, bool) { return rows[i].Best, true }),
		"one_se":         fixed(func(i int) (bool, bool) { return rows[i].OneSE, true }),
	}
}

func foldCells(rows []TuneFold) cellWriters {
	return cellWriters{
		"point":      counts(0, func(i int) int { return rows[i].Point }),
		"repetition": counts(0, func(i int) int { return rows[i].Repetition }),
		"fold":       counts(0, func(i int) int { return rows[i].Fold }),
		"pairs":      counts(0, func(i int) int { return rows[i].Pairs }),
		"status":     texts(func(i int) string { return rows[i].Status }),
		"converged":  fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"iterations": counts(0, func(i int) int { return rows[i].Iterations }),
		"selected":   counts(0, func(i int) int { return rows[i].Selected }),
		"score":      numbers(func(i int) float64 { return rows[i].Score }),
	}
}
