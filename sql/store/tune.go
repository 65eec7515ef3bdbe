package store

import (
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func tuneTables(r *result.Tune) []newTable {
	all := []newTable{
		{result: schema.Tune, rows: len(r.Values), columns: tuneCells(r.Values)},
		{result: schema.TuneFolds, rows: len(r.Folds), columns: foldCells(r.Folds)},
	}
	if r.Final != nil {
		return append(all, fitTables(r.Final)...)
	}
	return append(all, newTable{result: schema.Fit, rows: 1, columns: fitCells(r.Fit)},
		newTable{result: schema.Run, rows: 1, columns: runCells(r.Run, r.Fit.RunID)})
}

func tuneCells(rows []result.TuneValue) cellWriters {
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

func foldCells(rows []result.TuneFold) cellWriters {
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
