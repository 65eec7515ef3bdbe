package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// WriteStability creates the tables of a stability as Write does those of a fit.
func (db *DB) WriteStability(ctx context.Context, name string, replace bool, r *result.Stability) error {
	clusters, features, draws, jaccards := r.Clusters, r.Features, r.Draws, r.Jaccards
	return db.writeRun(ctx, name, replace, []newTable{
		{result: schema.Stability, rows: len(clusters), columns: cellWriters{
			"cluster":        duck.Integers(0, func(i int) int { return clusters[i].Cluster }),
			"size":           duck.Bigints(func(i int) int { return clusters[i].Size }),
			"jaccard":        duck.Doubles(func(i int) float64 { return clusters[i].Jaccard }),
			"standard_error": duck.Doubles(func(i int) float64 { return clusters[i].Error }),
			"dissolved":      duck.Doubles(func(i int) float64 { return clusters[i].Dissolved }),
			"recovered":      duck.Doubles(func(i int) float64 { return clusters[i].Recovered }),
		}},
		{result: schema.StabilityFeatures, rows: len(features), columns: cellWriters{
			"feature":   duck.Texts(func(i int) string { return features[i].Feature }),
			"category":  duck.TextsOrNull(func(i int) *string { return features[i].Category }),
			"cluster":   duck.Integers(0, func(i int) int { return features[i].Cluster }),
			"selected":  duck.Fixed(func(i int) (bool, bool) { return features[i].Selected, true }),
			"frequency": duck.Doubles(func(i int) float64 { return features[i].Frequency }),
		}},
		{result: schema.StabilityDraws, rows: len(draws), columns: cellWriters{
			"draw":       duck.Integers(0, func(i int) int { return draws[i].Draw }),
			"rows":       duck.Bigints(func(i int) int { return draws[i].Rows }),
			"status":     duck.Texts(func(i int) string { return draws[i].Status }),
			"converged":  duck.Fixed(func(i int) (bool, bool) { return draws[i].Converged, true }),
			"iterations": duck.Integers(0, func(i int) int { return draws[i].Iterations }),
			"selected":   duck.Integers(0, func(i int) int { return draws[i].Selected }),
			"ari":        duck.Doubles(func(i int) float64 { return draws[i].ARI }),
		}},
		{result: schema.StabilityClusters, rows: len(jaccards), columns: cellWriters{
			"draw":    duck.Integers(0, func(i int) int { return jaccards[i].Draw }),
			"cluster": duck.Integers(0, func(i int) int { return jaccards[i].Cluster }),
			"jaccard": duck.Doubles(func(i int) float64 { return jaccards[i].Jaccard }),
		}},
		{result: schema.Fit, rows: 1, columns: fitCells(r.Fit)},
		{result: schema.Run, rows: 1, columns: runCells(r.Run, r.Fit.RunID)},
	}, keyed{name: r.KeyName, typ: r.Keys.Type()})
}
