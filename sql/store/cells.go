package store

import (
	"time"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func (r *Results) tables() []newTable {
	var all []newTable
	for _, what := range schema.OfFit() {
		n, columns := r.table(what)
		all = append(all, newTable{result: what, rows: n, columns: columns, absent: what == schema.Violations && r.Violations == nil})
	}
	return all
}

// table returns the number of rows of a result table and its columns, in the
// order of its .sql file.
func (r *Results) table(name string) (int, []cellWriter) {
	switch name {
	case schema.Assignments:
		return r.Assignments.table()
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
		return 1, r.Fit.cells()
	default:
		return 1, r.Run.cells(r.Fit.RunID)
	}
}

func (a Assignments) table() (int, []cellWriter) {
	n, all := a.Keys.Len(), a.Len()
	status := a.Status
	if status == "" {
		status = NullCell
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
	return all, []cellWriter{
		keyCells(a.Keys, a.Dropped), label(a.Labels), number(a.Distance), label(a.Second), number(a.Margin),
		texts(func(i int) string {
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

func centerCells(rows []Center) (int, []cellWriter) {
	return len(rows), []cellWriter{
		counts(0, func(i int) int { return rows[i].Cluster }),
		texts(func(i int) string { return rows[i].Feature }),
		orNull(func(i int) *string { return rows[i].Category }),
		numbers(func(i int) float64 { return rows[i].Center }),
		numbers(func(i int) float64 { return rows[i].Scaled }),
		fixed(func(i int) (float64, bool) {
			return rows[i].Frequency, rows[i].Category != nil && finite(rows[i].Frequency)
		}),
		fixed(func(i int) (bool, bool) {
			m := rows[i].Modal
			return m != nil && *m, m != nil
		}),
	}
}

func featureCells(rows []Feature) (int, []cellWriter) {
	return len(rows), []cellWriter{
		texts(func(i int) string { return rows[i].Feature }),
		orNull(func(i int) *string { return rows[i].Category }),
		texts(func(i int) string { return rows[i].Group }),
		counts(0, func(i int) int { return rows[i].Cluster }),
		fixed(func(i int) (bool, bool) {
			s := rows[i].Selected
			return s != nil && *s, s != nil
		}),
		numbers(func(i int) float64 { return rows[i].Weight }),
		numbers(func(i int) float64 { return rows[i].Norm }),
		numbers(func(i int) float64 { return rows[i].Gain }),
		counts(1, func(i int) int { return rows[i].Rank }),
		numbers(func(i int) float64 { return rows[i].Location }),
		numbers(func(i int) float64 { return rows[i].Scale }),
	}
}

func clusterCells(rows []Cluster) (int, []cellWriter) {
	return len(rows), []cellWriter{
		counts(0, func(i int) int { return rows[i].Cluster }),
		bigCounts(func(i int) int { return rows[i].Size }),
		numbers(func(i int) float64 { return rows[i].Weight }),
		numbers(func(i int) float64 { return rows[i].Inertia }),
	}
}

func traceCells(rows []Iteration) (int, []cellWriter) {
	return len(rows), []cellWriter{
		counts(0, func(i int) int { return rows[i].Restart }),
		counts(0, func(i int) int { return rows[i].Iteration }),
		numbers(func(i int) float64 { return rows[i].Objective }),
		bigCounts(func(i int) int { return rows[i].Moved }),
		counts(0, func(i int) int { return rows[i].Selected }),
	}
}

func (f Fit) cells() []cellWriter {
	return []cellWriter{
		oneText(f.RunID), oneText(f.Algorithm), oneText(f.Version), oneText(f.PluginSHA256), oneText(f.Params),
		one(f.Seed), one(int64(f.N)), one(int32(f.P)), one(int32(f.K)),
		oneNumber(f.Objective), one(f.Maximize), oneNumber(f.Inertia),
		one(int32(f.Iterations)), one(f.Converged), oneText(f.StopReason),
		oneText(f.Source), oneText(f.ToolVersion), oneText(f.Model),
	}
}

// cells write the run last of all tables, so that it knows how long the others
// took.
func (r Run) cells(id string) []cellWriter {
	began := time.Now()
	return []cellWriter{
		oneText(id),
		fixed(func(int) (int64, bool) { return r.StartedAt.UnixMicro(), r.StartedAt != time.Time{} }),
		oneNumber(r.SecondsRead), oneNumber(r.SecondsFit),
		oneNumber(r.SecondsSeeding), oneNumber(r.SecondsIterations),
		numbers(func(int) float64 { return time.Since(began).Seconds() }),
		one(int32(r.Threads)), oneText(r.Driver), oneText(r.BlocksByWorker), oneText(r.StepCalls),
	}
}

// one, oneText and oneNumber write a table's only row.
func one[T any](x T) cellWriter { return fixed(func(int) (T, bool) { return x, true }) }

func oneText(s string) cellWriter { return texts(func(int) string { return s }) }

func oneNumber(x float64) cellWriter { return numbers(func(int) float64 { return x }) }
