package store

import (
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func pathTables(r *result.Path) []newTable {
	var all []newTable
	add := func(what string, rows int, columns cellWriters) {
		all = append(all, newTable{result: what, rows: rows, columns: columns})
	}
	add(schema.Path, len(r.Points), pointCells(r.Points))
	add(schema.PathFeatures, len(r.Features), pathFeatureCells(r.Features))
	if r.Labels != nil {
		add(schema.PathAssignments, r.Keys.Len()*len(r.Labels), pathLabelCells(r))
	}
	add(schema.Fit, 1, fitCells(r.Fit))
	add(schema.Run, 1, runCells(r.Run, r.Fit.RunID))
	return all
}

func pointCells(rows []result.PathPoint) cellWriters {
	return cellWriters{
		"point":              duck.Integers(0, func(i int) int { return i }),
		"parameter":          duck.Texts(func(i int) string { return rows[i].Parameter }),
		"value":              duck.Doubles(func(i int) float64 { return rows[i].Value }),
		"status":             duck.Texts(func(i int) string { return rows[i].Status }),
		"converged":          duck.Fixed(func(i int) (bool, bool) { return rows[i].Converged, true }),
		"iterations":         duck.Integers(0, func(i int) int { return rows[i].Iterations }),
		"selected":           duck.Integers(0, func(i int) int { return rows[i].Selected }),
		"objective":          duck.Doubles(func(i int) float64 { return rows[i].Objective }),
		"explained_variance": duck.Doubles(func(i int) float64 { return rows[i].Explained }),
		"ari_previous":       duck.Doubles(func(i int) float64 { return rows[i].ARI }),
		"warm_from":          duck.Doubles(func(i int) float64 { return rows[i].WarmFrom }),
	}
}

func pathFeatureCells(rows []result.PathFeature) cellWriters {
	columns := featureCells(func(i int) *result.Feature { return &rows[i].Feature })
	columns["point"] = duck.Integers(0, func(i int) int { return rows[i].Point })
	return columns
}

func pathLabelCells(r *result.Path) cellWriters {
	n, keys := r.Keys.Len(), duck.KeysOf(r.Keys)
	return cellWriters{
		"point": duck.Integers(0, func(i int) int { return i / n }),
		"{key}": duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, i % n }),
		"cluster": duck.Fixed(func(i int) (int32, bool) {
			labels := r.Labels[i/n]
			if labels == nil || labels[i%n] < 0 {
				return 0, false
			}
			return labels[i%n], true
		}),
	}
}
