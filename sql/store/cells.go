package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// cellWriters write the columns of a result table, by name; {key} is the row key.
type cellWriters map[string]duck.Cells

// of returns the writers in the order in which the table has the columns.
func (c cellWriters) of(result string) []duck.Cells {
	names := schema.AllColumns(result)
	if len(names) != len(c) {
		panic(fmt.Sprintf("store: %d columns are written to %s, which has %d", len(c), result, len(names)))
	}
	all := make([]duck.Cells, len(names))
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
		if t, has := fitTable(r, schema.Distances); what == schema.Fit && has {
			all = append(all, t)
		}
		if t, has := fitTable(r, what); has {
			all = append(all, t)
		}
	}
	return all
}

// fitTable returns a table of a fit, if it has that.
func fitTable(r *result.Tables, what string) (t newTable, has bool) {
	switch {
	case what == schema.Violations && r.Violations == nil, what == schema.Limits && r.Limits == nil,
		what == schema.Distances && r.Assignments.Distances == nil:
		return t, false
	case what != schema.Distances && !slices.Contains(schema.OfFit(), what):
		return t, false
	}
	t.result = what
	if a := r.Assignments; what == schema.Assignments && (a.Elsewhere != "" || a.From != "") {
		t.from = a.From
		if a.Unlabelled != "" {
			t.from = "SELECT #1, NULL, NULL, NULL, NULL, " + schema.Text(a.Unlabelled) + " FROM (" + a.From + ")"
		}
		return t, a.Elsewhere == ""
	}
	t.rows, t.columns = cellsOf(r, what)
	if what == schema.Centers && r.CentersLeftOut > 0 {
		t.comment = schema.NonzeroCenters()
	}
	return t, true
}

// Cells returns the number of rows of a result table of a fit, and its columns in the
// order of schema.AllColumns.
func Cells(r *result.Tables, name string) (rows int, columns []duck.Cells) {
	rows, cells := cellsOf(r, name)
	return rows, cells.of(name)
}

// PathCells returns the columns of a path and of its features, as Cells does.
func PathCells(r *result.Path) (points, features []duck.Cells) {
	return pointCells(r.Points).of(schema.Path), pathFeatureCells(r.Features).of(schema.PathFeatures)
}

// TuneCells returns the columns of a tuning, as Cells does.
func TuneCells(r *result.Tune) []duck.Cells { return tuneCells(r.Values).of(schema.Tune) }

// cellsOf returns the number of rows of a result table and its columns.
func cellsOf(r *result.Tables, name string) (int, cellWriters) {
	switch name {
	case schema.Assignments:
		return assignmentCells(r.Assignments)
	case schema.Centers:
		return centerCells(r.Centers)
	case schema.Features:
		columns := featureCells(func(i int) *result.Feature { return &r.Features[i] })
		columns["location"] = duck.Doubles(func(i int) float64 { return r.Features[i].Location })
		columns["scale"] = duck.Doubles(func(i int) float64 { return r.Features[i].Scale })
		return len(r.Features), columns
	case schema.Clusters:
		return clusterCells(r.Clusters)
	case schema.Trace:
		return traceCells(r.Trace)
	case schema.Distances:
		return distanceCells(r.Assignments)
	case schema.Violations:
		return violationCells(r.Assignments, r.Violations)
	case schema.Limits:
		return limitCells(r.Limits)
	case schema.Fit:
		return 1, fitCells(r.Fit)
	default:
		return 1, runCells(r.Run, r.Fit.RunID)
	}
}

func assignmentCells(a result.Assignments) (int, cellWriters) {
	n, keys, dropped := a.Keys.Len(), duck.KeysOf(a.Keys), duck.KeysOf(a.Dropped)
	return a.Len(), cellWriters{
		"{key}":          duck.KeysThen(keys, dropped),
		"cluster":        duck.Labels(a.Labels),
		"distance":       duck.Numbers(a.Distance),
		"second_cluster": duck.Labels(a.Second),
		"margin":         duck.Numbers(a.Margin),
		"status":         statusCells(a, n),
	}
}

// statusCells write why rows have no cluster: the first n have keys, and those behind them were left
// out.
func statusCells(a result.Assignments, n int) duck.Cells {
	if a.Len() == n && len(a.Labels) == n && !slices.ContainsFunc(a.Labels, func(j int32) bool { return j < 0 }) {
		return duck.Nulls
	}
	return duck.Texts(func(i int) string {
		if i >= n {
			return cmp.Or(a.Status, input.NullCell)
		}
		return a.StatusOf(i)
	})
}

func distanceCells(a result.Assignments) (int, cellWriters) {
	keys, d := duck.KeysOf(a.Keys), a.Distances
	return len(d.Cluster), cellWriters{
		"{key}":    duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, i / d.PerRow }),
		"rank":     duck.Integers(0, func(i int) int { return i%d.PerRow + 1 }),
		"cluster":  duck.Integers(0, func(i int) int { return int(d.Cluster[i]) }),
		"distance": duck.Doubles(func(i int) float64 { return d.Distance[i] }),
	}
}

func centerCells(rows []result.Center) (int, cellWriters) {
	return len(rows), cellWriters{
		"cluster":       duck.Integers(0, func(i int) int { return rows[i].Cluster }),
		"feature":       duck.Texts(func(i int) string { return rows[i].Feature }),
		"category":      duck.TextsOrNull(func(i int) *string { return rows[i].Category }),
		"center":        duck.Doubles(func(i int) float64 { return rows[i].Center }),
		"center_scaled": duck.Doubles(func(i int) float64 { return rows[i].Scaled }),
		"frequency": duck.Doubles(func(i int) float64 {
			if rows[i].Category == nil {
				return math.NaN()
			}
			return rows[i].Frequency
		}),
		"modal": duck.Fixed(func(i int) (bool, bool) {
			m := rows[i].Modal
			return m != nil && *m, m != nil
		}),
	}
}

// featureCells write what both a fit and a path say of a feature.
func featureCells(row func(i int) *result.Feature) cellWriters {
	return cellWriters{
		"feature":       duck.Texts(func(i int) string { return row(i).Feature }),
		"category":      duck.TextsOrNull(func(i int) *string { return row(i).Category }),
		"feature_group": duck.Texts(func(i int) string { return row(i).Group }),
		"cluster":       duck.Integers(0, func(i int) int { return row(i).Cluster }),
		"selected": duck.Fixed(func(i int) (bool, bool) {
			s := row(i).Selected
			return s != nil && *s, s != nil
		}),
		"weight":     duck.Doubles(func(i int) float64 { return row(i).Weight }),
		"group_norm": duck.Doubles(func(i int) float64 { return row(i).Norm }),
		"gain":       duck.Doubles(func(i int) float64 { return row(i).Gain }),
		"rank":       duck.Integers(1, func(i int) int { return row(i).Rank }),
	}
}

func clusterCells(rows []result.Cluster) (int, cellWriters) {
	return len(rows), cellWriters{
		"cluster":     duck.Integers(0, func(i int) int { return rows[i].Cluster }),
		"known_class": duck.Texts(func(i int) string { return rows[i].Class }),
		"size":        duck.Bigints(func(i int) int { return rows[i].Size }),
		"weight":      duck.Doubles(func(i int) float64 { return rows[i].Weight }),
		"inertia":     duck.Doubles(func(i int) float64 { return rows[i].Inertia }),
	}
}

func traceCells(rows []result.Iteration) (int, cellWriters) {
	return len(rows), cellWriters{
		"restart":   duck.Integers(0, func(i int) int { return rows[i].Restart }),
		"iteration": duck.Integers(0, func(i int) int { return rows[i].Iteration }),
		"objective": duck.Doubles(func(i int) float64 { return rows[i].Objective }),
		"moved":     duck.Bigints(func(i int) int { return rows[i].Moved }),
		"selected":  duck.Integers(0, func(i int) int { return rows[i].Selected }),
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
		"approximate":    one(f.Approximate),
		"label_gap":      oneOrNull(f.LabelGap),
		"source":         oneText(f.Source),
		"tool_version":   oneText(f.ToolVersion),
		"schema_version": one(int32(schema.Version())),
		"model":          oneText(f.Model),
	}
}

// runCells write the run last of all tables, so that it knows how long the others
// took.
func runCells(r result.Run, id string) cellWriters {
	began := time.Now()
	return cellWriters{
		"run_id":             oneText(id),
		"started_at":         duck.Fixed(func(int) (int64, bool) { return r.StartedAt.UnixMicro(), r.StartedAt != time.Time{} }),
		"seconds_read":       oneNumber(r.SecondsRead),
		"seconds_fit":        oneNumber(r.SecondsFit),
		"seconds_seeding":    oneNumber(r.SecondsSeeding),
		"seconds_iterations": oneNumber(r.SecondsIterations),
		"seconds_write":      duck.Doubles(func(int) float64 { return time.Since(began).Seconds() }),
		"threads":            one(int32(r.Threads)),
		"driver":             oneText(r.Driver),
		"blocks_by_worker":   oneText(r.BlocksByWorker),
		"step_calls":         oneText(r.StepCalls),
	}
}

// one, oneText and oneNumber write a table's only row.
func one[T any](x T) duck.Cells { return duck.Fixed(func(int) (T, bool) { return x, true }) }

func oneOrNull(x *float64) duck.Cells {
	if x == nil {
		return duck.Nulls
	}
	return oneNumber(*x)
}

func oneText(s string) duck.Cells { return duck.Texts(func(int) string { return s }) }

func oneNumber(x float64) duck.Cells { return duck.Doubles(func(int) float64 { return x }) }

func suggestionCells(keys *duck.Keys, all []result.Suggestion) cellWriters {
	return cellWriters{
		"a":      duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, all[i].A }),
		"b":      duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, all[i].B }),
		"kind":   duck.Texts(func(int) string { return "" }),
		"weight": duck.Doubles(func(i int) float64 { return all[i].Weight }),
		"why":    duck.Texts(func(i int) string { return all[i].Why }),
	}
}

func limitCells(all []result.Limit) (int, cellWriters) {
	return len(all), cellWriters{
		"kind":    duck.Texts(func(i int) string { return all[i].Kind }),
		"name":    duck.Texts(func(i int) string { return all[i].Name }),
		"cluster": duck.Integers(0, func(i int) int { return all[i].Cluster }),
		"feature": duck.Texts(func(i int) string { return all[i].Column }),
		"value":   duck.Texts(func(i int) string { return all[i].Value }),
		"amount":  duck.Doubles(func(i int) float64 { return all[i].Amount }),
		"lo":      duck.Doubles(func(i int) float64 { return all[i].Lo }),
		"hi":      duck.Doubles(func(i int) float64 { return all[i].Hi }),
		"slack":   duck.Doubles(func(i int) float64 { return all[i].Slack }),
		"price":   duck.Doubles(func(i int) float64 { return all[i].Price }),
	}
}

func violationCells(a result.Assignments, all []result.Violation) (int, cellWriters) {
	keys := duck.KeysOf(a.Keys)
	return len(all), cellWriters{
		"a":       duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, all[i].A }),
		"b":       duck.KeysAt(func(i int) (*duck.Keys, int) { return keys, all[i].B }),
		"kind":    duck.Texts(func(i int) string { return all[i].Kind }),
		"weight":  duck.Doubles(func(i int) float64 { return all[i].Weight }),
		"cost":    duck.Doubles(func(i int) float64 { return all[i].Cost }),
		"derived": duck.Fixed(func(i int) (bool, bool) { return all[i].Derived, true }),
	}
}
