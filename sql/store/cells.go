package store

import (
	"fmt"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// cellWriters write the columns of a result table, by name; {key} is the row key.
type cellWriters map[string]cellWriter

// of returns the writers in the order in which the table has the columns.
func (c cellWriters) of(result string) []cellWriter {
	names := schema.AllColumns(result)
	if len(names) != len(c) {
		panic(fmt.Sprintf("store: %d columns are written to %s, which has %d", len(c), result, len(names)))
	}
	all := make([]cellWriter, len(names))
	for i, name := range names {
		if all[i] = c[name]; all[i] == nil {
			panic(fmt.Sprintf("store: nothing is written to column %s of %s", name, result))
		}
	}
	return all
}

func fitTables(r *result.Tables) []newTable {
	var all []newTable
	for _, what := range schema.OfFit() {
		n, columns := tableOf(r, what)
		all = append(all, newTable{result: what, rows: n, columns: columns, absent: what == schema.Violations && r.Violations == nil})
	}
	return all
}

// tableOf returns the number of rows of a result table and its columns.
func tableOf(r *result.Tables, name string) (int, cellWriters) {
	switch name {
	case schema.Assignments:
		return assignmentCells(r.Assignments)
	case schema.Centers:
		return centerCells(r.Centers)
	case schema.Features:
		return featureCells(r.Features)
	case schema.Clusters:
		return clusterCells(r.Clusters)
	case schema.Trace:
		return traceCells(r.Trace)
	case schema.Violations:
		return violationCells(r.Assignments, r.Violations)
	case schema.Fit:
		return 1, fitCells(r.Fit)
	default:
		return 1, runCells(r.Run, r.Fit.RunID)
	}
}

func assignmentCells(a result.Assignments) (int, cellWriters) {
	n, all := a.Keys.Len(), a.Len()
	status := a.Status
	if status == "" {
		status = input.NullCell
	}
	label := func(labels []int32) cellWriter {
		return fixed(func(i int) (int32, bool) {
			if i >= len(labels) || labels[i] < 0 {
				return 0, false
			}
			return labels[i], true
		})
	}
	number := func(values []float64) cellWriter {
		return fixed(func(i int) (float64, bool) {
			if i >= len(values) || !finite(values[i]) {
				return 0, false
			}
			return values[i], true
		})
	}
	return all, cellWriters{
		"{key}":          keyCells(keysOf(a.Keys), keysOf(a.Dropped)),
		"cluster":        label(a.Labels),
		"distance":       number(a.Distance),
		"second_cluster": label(a.Second),
		"margin":         number(a.Margin),
		"status": texts(func(i int) string {
			switch {
			case i >= n:
				return status
			case i < len(a.Labels) && a.Labels[i] < 0:
				return a.Unlabelling()
			}
			return ""
		}),
	}
}

func centerCells(rows []result.Center) (int, cellWriters) {
	return len(rows), cellWriters{
		"cluster":       counts(0, func(i int) int { return rows[i].Cluster }),
		"feature":       texts(func(i int) string { return rows[i].Feature }),
		"category":      orNull(func(i int) *string { return rows[i].Category }),
		"center":        numbers(func(i int) float64 { return rows[i].Center }),
		"center_scaled": numbers(func(i int) float64 { return rows[i].Scaled }),
		"frequency": fixed(func(i int) (float64, bool) {
			return rows[i].Frequency, rows[i].Category != nil && finite(rows[i].Frequency)
		}),
		"modal": fixed(func(i int) (bool, bool) {
			m := rows[i].Modal
			return m != nil && *m, m != nil
		}),
	}
}

func featureCells(rows []result.Feature) (int, cellWriters) {
	return len(rows), cellWriters{
		"feature":       texts(func(i int) string { return rows[i].Feature }),
		"category":      orNull(func(i int) *string { return rows[i].Category }),
		"feature_group": texts(func(i int) string { return rows[i].Group }),
		"cluster":       counts(0, func(i int) int { return rows[i].Cluster }),
		"selected": fixed(func(i int) (bool, bool) {
			s := rows[i].Selected
			return s != nil && *s, s != nil
		}),
		"weight":     numbers(func(i int) float64 { return rows[i].Weight }),
		"group_norm": numbers(func(i int) float64 { return rows[i].Norm }),
		"gain":       numbers(func(i int) float64 { return rows[i].Gain }),
		"rank":       counts(1, func(i int) int { return rows[i].Rank }),
		"location":   numbers(func(i int) float64 { return rows[i].Location }),
		"scale":      numbers(func(i int) float64 { return rows[i].Scale }),
	}
}

func clusterCells(rows []result.Cluster) (int, cellWriters) {
	return len(rows), cellWriters{
		"cluster": counts(0, func(i int) int { return rows[i].Cluster }),
		"size":    bigCounts(func(i int) int { return rows[i].Size }),
		"weight":  numbers(func(i int) float64 { return rows[i].Weight }),
		"inertia": numbers(func(i int) float64 { return rows[i].Inertia }),
	}
}

func traceCells(rows []result.Iteration) (int, cellWriters) {
	return len(rows), cellWriters{
		"restart":   counts(0, func(i int) int { return rows[i].Restart }),
		"iteration": counts(0, func(i int) int { return rows[i].Iteration }),
		"objective": numbers(func(i int) float64 { return rows[i].Objective }),
		"moved":     bigCounts(func(i int) int { return rows[i].Moved }),
		"selected":  counts(0, func(i int) int { return rows[i].Selected }),
	}
}

func fitCells(f result.Fit) cellWriters {
	return cellWriters{
		"run_id":         oneText(f.RunID),
		"algorithm":      oneText(f.Algorithm),
		"version":        oneText(f.Version),
		"plugin_sha256":  oneText(f.PluginSHA256),
		"params":         oneText(f.Params),
		"seed":           one(f.Seed),
		"n":              one(int64(f.N)),
		"p":              one(int32(f.P)),
		"k":              one(int32(f.K)),
		"objective":      oneNumber(f.Objective),
		"maximize":       one(f.Maximize),
		"inertia":        oneNumber(f.Inertia),
		"iterations":     one(int32(f.Iterations)),
		"converged":      one(f.Converged),
		"stop_reason":    oneText(f.StopReason),
		"source":         oneText(f.Source),
		"tool_version":   oneText(f.ToolVersion),
		"schema_version": one(int32(schema.Version)),
		"model":          oneText(f.Model),
	}
}

// runCells write the run last of all tables, so that it knows how long the others
// took.
func runCells(r result.Run, id string) cellWriters {
	began := time.Now()
	return cellWriters{
		"run_id":             oneText(id),
		"started_at":         fixed(func(int) (int64, bool) { return r.StartedAt.UnixMicro(), r.StartedAt != time.Time{} }),
		"seconds_read":       oneNumber(r.SecondsRead),
		"seconds_fit":        oneNumber(r.SecondsFit),
		"seconds_seeding":    oneNumber(r.SecondsSeeding),
		"seconds_iterations": oneNumber(r.SecondsIterations),
		"seconds_write":      numbers(func(int) float64 { return time.Since(began).Seconds() }),
		"threads":            one(int32(r.Threads)),
		"driver":             oneText(r.Driver),
		"blocks_by_worker":   oneText(r.BlocksByWorker),
		"step_calls":         oneText(r.StepCalls),
	}
}

// one, oneText and oneNumber write a table's only row.
func one[T any](x T) cellWriter { return fixed(func(int) (T, bool) { return x, true }) }

func oneText(s string) cellWriter { return texts(func(int) string { return s }) }

func oneNumber(x float64) cellWriter { return numbers(func(int) float64 { return x }) }
