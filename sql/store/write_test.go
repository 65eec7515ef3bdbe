package store

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// sample are the results of a made-up run: three rows, of which one was dropped.
func sample() *result.Tables {
	yes, no := true, false
	dropped := duck.RowNumbers(0)
	dropped.AddNumber(9)
	return &result.Tables{
		Assignments: result.Assignments{KeyName: input.RowNumber, Keys: input.Numbered(2), Labels: []int32{0, 1}, Distance: []float64{0.5, 1.5},
			Second: []int32{1, -1}, Margin: []float64{2, math.Inf(1)}, Dropped: dropped},
		Centers: []result.Center{{Cluster: 0, Feature: "x", Center: 1, Scaled: -1}, {Cluster: 1, Feature: "x", Center: math.NaN(), Scaled: 1},
			{Cluster: 0, Feature: "y", Category: new(""), Frequency: 0.75, Modal: &yes},
			{Cluster: 1, Feature: "y", Category: new("c"), Frequency: sqltest.NaN, Modal: &no}},
		Features: []result.Feature{{Feature: "x", Cluster: -1, Selected: &yes, Weight: 0.5, Norm: 0.625, Gain: 3, Rank: 1, Location: 2, Scale: 4},
			{Feature: "y", Group: "g", Category: new("c"), Cluster: 1, Selected: &no, Weight: sqltest.NaN, Norm: sqltest.NaN,
				Gain: sqltest.NaN}, {Feature: "z", Cluster: 0}},
		Clusters: []result.Cluster{{Cluster: 0, Class: "a", Size: 1, Weight: 1, Inertia: 0.25}},
		Limits: []result.Limit{{Kind: "size", Cluster: 1, Amount: 1, Lo: 1, Hi: math.Inf(1), Price: 0.5},
			{Kind: "capacity", Name: "load", Column: "kg", Cluster: -1, Value: "v", Amount: 2, Lo: math.Inf(-1), Hi: 3, Slack: 1,
				Price: math.NaN()}},
		Violations: []result.Violation{{A: 1, B: 0, Kind: "must", Weight: 2, Cost: 0.5},
			{A: 0, B: 1, Kind: "cannot", Weight: math.Inf(1), Cost: sqltest.NaN}},
		Trace: []result.Iteration{{Restart: 0, Iteration: 1, Objective: 7.5, Moved: 2, Selected: 1}},
		Fit: result.Fit{RunID: result.RunID("k=2", "data"), Algorithm: "skfr", Version: "1", PluginSHA256: "abc", Params: `{"k": 2}`,
			Seed: math.MaxUint64,
			N:    2, P: 1, K: 2, Objective: 7.5, Maximize: true, Inertia: 2.5, Iterations: 1, Converged: true, StopReason: "settled",
			Approximate: true, LabelGap: new(0.25),
			Source: "FROM t", ToolVersion: "0.1", Model: `{"centers": []}`},
		Run: result.Run{StartedAt: time.Date(2024, 2, 29, 12, 0, 0, 5000, time.UTC), SecondsRead: 0.1, SecondsFit: 0.2,
			SecondsSeeding: 0.05, SecondsIterations: 0.1,
			Threads: 2, Driver: "plugin", BlocksByWorker: "[3,4]", StepCalls: `{"fit":1}`},
	}
}

func write(t *testing.T, db *DB, name string, replace bool, r *result.Tables) {
	t.Helper()
	must.Do(t, db.Write(t.Context(), name, replace, r))
}

func TestWriteThenShow(t *testing.T) {
	db := memory(t)
	write(t, db, "iris", false, sample())
	id := result.RunID("k=2", "data")
	for what, want := range map[string][][]any{
		schema.Assignments: {{int64(1), int64(0), 0.5, int64(1), 2.0, nil}, {int64(2), int64(1), 1.5, nil, nil, nil},
			{int64(9), nil, nil, nil, nil, "null_cell"}},
		schema.Centers: {{int64(0), "x", nil, 1.0, -1.0, nil, nil}, {int64(1), "x", nil, nil, 1.0, nil, nil},
			{int64(0), "y", "", 0.0, 0.0, 0.75, true}, {int64(1), "y", "c", 0.0, 0.0, nil, false}},
		schema.Features: {{"x", nil, nil, nil, true, 0.5, 0.625, 3.0, int64(1), 2.0, 4.0},
			{"y", "c", "g", int64(1), false, nil, nil, nil, nil, 0.0, 0.0},
			{"z", nil, nil, int64(0), nil, 0.0, 0.0, 0.0, nil, 0.0, 0.0}},
		schema.Clusters: {{int64(0), int64(1), 1.0, 0.25, "a"}},
		schema.Trace:    {{int64(0), int64(1), 7.5, int64(2), int64(1)}},
		schema.Limits: {{"size", nil, int64(1), nil, nil, 1.0, 1.0, nil, 0.0, 0.5},
			{"capacity", "load", nil, "kg", "v", 2.0, nil, 3.0, 1.0, nil}},
		schema.Fit: {{id, "skfr", "1", "abc", `{"k": 2}`, uint64(math.MaxUint64), int64(2), int64(1), int64(2), 7.5, true, 2.5, int64(1), true,
			"settled", true, 0.25, "FROM t", "0.1", int64(schema.Version()), `{"centers": []}`}},
		schema.Run: {{id, "2024-02-29 12:00:00.000005", 0.1, 0.2, 0.05, 0.1, "seconds", int64(2), "plugin", "[3,4]", `{"fit":1}`}},
	} {
		t.Run(what, func(t *testing.T) {
			columns, rows, err := db.Show(t.Context(), "iris", what)
			if err != nil {
				t.Fatal(sqltest.Explain(err))
			}
			names := schema.ColumnNames(what)
			if what == schema.Assignments {
				names = append([]string{input.RowNumber}, names...)
			}
			must.Equal(t, names, columns)
			if what == schema.Run { // how long writing took
				if seconds, ok := rows[0][6].(float64); ok && seconds > 0 {
					rows[0][6] = "seconds"
				}
			}
			must.Equal(t, want, rows)
		})
	}
	t.Run("the_model_comes_back_whole", func(t *testing.T) {
		fit := must.Get(db.LoadModel(t.Context(), "IRIS"))(t)
		must.Equal(t, sample().Fit, *fit)
	})
	t.Run("every_column_has_its_comment", func(t *testing.T) {
		rows, err := db.Rows(t.Context(), "SELECT count(*), count(comment) FROM duckdb_columns() WHERE table_name LIKE 'iris_%'")
		if err != nil || rows[0][0] != rows[0][1] || rows[0][0] == int64(0) {
			t.Error(rows, err)
		}
	})
}

func TestWriteManyRows(t *testing.T) {
	const n = 3*duck.ChunkRows + 17 // several chunks, the last in part
	db := opened(t, sqltest.Temp(t, "many.duckdb"), ReadWrite, "CREATE TABLE t AS SELECT 'key ' || i AS id, i AS x FROM range(6161) r(i)")
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id"})
	r := sample()
	r.Assignments = result.Assignments{KeyName: "id", Keys: table.Keys, Labels: make([]int32, n), Distance: make([]float64, n)}
	for i := range n {
		r.Assignments.Labels[i] = int32(i % 5)
		r.Assignments.Distance[i] = table.Builder.Values().Row(i)[0]
	}
	write(t, db, "run", false, r)
	rows, err := db.Rows(t.Context(),
		"SELECT count(*), count(*) FILTER (a.distance = t.x), sum(cluster)::BIGINT FROM run_assignments a JOIN t USING (id)")
	// n = 5·1232 + 1, so that the labels 0…4 occur 1232 times and one more is 0.
	if d := cmp.Diff([][]any{{int64(n), int64(n), int64(1232 * (0 + 1 + 2 + 3 + 4))}}, rows); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		before []string
		into   string
		want   string
	}{
		"tables_that_exist": {[]string{
			"CREATE TABLE iris_clusters (cluster INTEGER, size BIGINT, weight DOUBLE, inertia DOUBLE)",
			"CREATE TABLE Iris_Trace (restart INTEGER, iteration INTEGER, objective DOUBLE, moved BIGINT, selected INTEGER)",
		}, "iris", `
table-exists: 2 tables: Iris_Trace, iris_clusters already exist
where: into
hint: replace replaces them, or choose another name`},
		"somebody's_tables": {[]string{"CREATE TABLE iris_fit AS SELECT 1 AS x", "CREATE TABLE Iris_Trace AS SELECT 1 AS x"}, "iris", `
table-exists: 2 tables: Iris_Trace, iris_fit exist, with other columns than the result has
where: into
hint: choose another name, or rename or drop what is there; replace replaces results only`},
		"a_view": {[]string{"CREATE VIEW iris_fit AS SELECT 1 AS x"}, "iris", `
table-exists: iris_fit exists, and is a view
where: into
hint: choose another name, or drop the view`},
		"an_unknown_schema": {[]string{"CREATE SCHEMA results"}, "result.iris", `
schema-not-found: the database has no schema "result"
similar: results
where: into
hint: CREATE SCHEMA "result" makes one`},
		"three_parts": {nil, "a.b.c", `
bad-name: "a.b.c" cannot be the name of a run: it must be NAME or SCHEMA.NAME
where: into`},
	} {
		t.Run(name, func(t *testing.T) {
			db := memory(t, test.before...)
			before := tableCount(t, db)
			sqltest.WantFault(t, db.CheckTarget(t.Context(), test.into, false), test.want)
			sqltest.WantFault(t, db.Write(t.Context(), test.into, false, sample()), test.want)
			if after := tableCount(t, db); after != before {
				t.Errorf("%d tables before, %d after", before, after)
			}
		})
	}
	t.Run("a_database_opened_for_reading", func(t *testing.T) {
		path := sqltest.Temp(t, "x.duckdb")
		sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
		db := opened(t, path, ReadOnly)
		for _, err := range []error{db.Write(t.Context(), "iris", true, sample()), db.CheckTarget(t.Context(), "iris", true)} {
			must.Fault(t, err, "database-read-only")
		}
	})
}

func TestWriteReplaces(t *testing.T) {
	db := memory(t, "CREATE SCHEMA results")
	write(t, db, "results.iris", true, sample())
	again := sample()
	again.Fit.K = 7
	write(t, db, "results.iris", true, again)
	fit, err := db.LoadModel(t.Context(), "results.iris")
	if err != nil || fit.K != 7 {
		t.Error(fit, sqltest.Explain(err))
	}
	if n := tableCount(t, db); n != len(schema.OfFit()) {
		t.Errorf("%d tables", n)
	}
}

func TestReplaceNeverTouchesATableOfSomebodyElse(t *testing.T) {
	const hint = `
where: into
hint: choose another name, or rename or drop what is there; replace replaces results only`
	labels := func(db *DB, name string) error {
		return db.WriteAssignments(t.Context(), name, true, sample().Assignments)
	}
	run := func(db *DB, name string) error {
		if err := db.CheckTarget(t.Context(), name, true); err == nil {
			t.Error("the check before the fit does not refuse it")
		}
		return db.Write(t.Context(), name, true, sample())
	}
	db := memory(t) // the cases have runs and tables of different names
	write(t, db, "wine", false, sample())
	write(t, db, "beer", false, sample())
	for name, test := range map[string]struct {
		before, table, into string
		write               func(db *DB, name string) error
		by                  string // of whom the table is not; "": of a run
	}{
		"a_table_named_like_a_result": {"CREATE TABLE customers_features(precious VARCHAR)", "customers_features", "customers", run, ""},
		"assignments_that_lack_a_column": {"CREATE TABLE clients_assignments(id INTEGER, cluster INTEGER, distance DOUBLE, " +
			"second_cluster INTEGER, margin DOUBLE)",
			"clients_assignments", "clients", run, ""},
		"a_result_table_with_one_more": {"ALTER TABLE beer_centers ADD COLUMN remark VARCHAR", "beer_centers", "beer", run, ""},
		"the_table_that_was_predicted": {"CREATE TABLE new_customers(id INTEGER, age DOUBLE)", "new_customers", "new_customers", labels,
			"predict"},
		"a_run's_table_under_the_labels": {"SELECT 1", "wine_clusters", "wine_clusters", labels, "predict"},
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, db.Exec(t.Context(), test.before))
			before := tableCount(t, db)
			want := "table-exists: 1 table: " + test.table + " exists, with other columns than the result has"
			if test.by != "" {
				want = "table-exists: table " + test.table + " exists, and was not written by " + test.by
			}
			sqltest.WantFault(t, test.write(db, test.into), want+hint)
			if after := tableCount(t, db); after != before {
				t.Errorf("%d tables before, %d after", before, after)
			}
			for _, run := range []string{"wine", "beer"} {
				must.Get(db.LoadModel(t.Context(), run))(t)
			}
		})
	}
}

func TestReplaceKnowsAssignmentsWithAnyKey(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 'key ' || i AS name, i AS x FROM range(3) r(i)")
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "name"})
	named := result.Assignments{KeyName: "name", Keys: table.Keys, Labels: make([]int32, 3)}
	for _, a := range []result.Assignments{sample().Assignments, named, sample().Assignments} {
		must.Do(t, db.WriteAssignments(t.Context(), "labels", true, a))
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	bad := sample()
	bad.Fit.RunID = "" // must not be NULL; the fit is the sixth of seven tables
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx     context.Context
		results *result.Tables
	}{"late_error": {t.Context(), bad}, "cancelled": {cancelled, sample()}} {
		t.Run(name, func(t *testing.T) {
			path := sqltest.Temp(t, "x.duckdb")
			db := opened(t, path, ReadWrite)
			write(t, db, "iris", false, sample())
			if err := db.Write(test.ctx, "iris", true, test.results); err == nil {
				t.Fatal("no error")
			}
			fit, err := db.LoadModel(t.Context(), "iris")
			if err != nil || fit.Params != sample().Fit.Params {
				t.Error("the old run is gone:", sqltest.Explain(err))
			}
			if n := tableCount(t, db); n != len(schema.OfFit()) {
				t.Errorf("%d tables", n)
			}
			write(t, db, "other", false, sample()) // the connection is usable
			sqltest.Close(t, db)
			if _, err := os.Stat(path + ".tmp"); err == nil {
				t.Error("a temporary folder is left")
			}
		})
	}
}

func TestWriteAssignments(t *testing.T) {
	db := memory(t)
	a := sample().Assignments
	must.Do(t, db.WriteAssignments(t.Context(), "labels", false, a))
	rows, err := db.Rows(t.Context(), "SELECT row_id, cluster FROM labels ORDER BY rowid")
	if d := cmp.Diff([][]any{{int64(1), int64(0)}, {int64(2), int64(1)}, {int64(9), nil}}, rows); d != "" || err != nil {
		t.Error(d, err)
	}
	must.Fault(t, db.WriteAssignments(t.Context(), "labels", false, a), "table-exists")
}

func TestDistancesBelongToTheirPredictions(t *testing.T) {
	db := memory(t)
	a := sample().Assignments
	a.Distances = &result.Distances{PerRow: 2, Cluster: []int32{0, 1, 1, 0}, Distance: []float64{1, 2, 3, 4}}
	must.Do(t, db.WriteAssignments(t.Context(), "labels", false, a))
	rows, err := db.Rows(t.Context(), "SELECT row_id, rank, cluster, distance FROM labels_distances WHERE row_id = 2 ORDER BY rank")
	if d := cmp.Diff([][]any{{int64(2), int64(1), int64(1), 3.0}, {int64(2), int64(2), int64(0), 4.0}}, rows); d != "" || err != nil {
		t.Error(d, err)
	}
	must.Equal(t, []string{"labels", "labels_distances"}, must.Get(db.Drop(t.Context(), "labels"))(t))
	must.Do(t, db.WriteAssignments(t.Context(), "labels", false, a))
	a.Distances = nil
	must.Fault(t, db.WriteAssignments(t.Context(), "labels", false, a), "table-exists")
	must.Do(t, db.WriteAssignments(t.Context(), "labels", true, a)) // old distances do not stay
	must.Equal(t, []string{"labels"}, must.Get(db.Drop(t.Context(), "labels"))(t))

	fitted := sample()
	fitted.Assignments.Distances = &result.Distances{PerRow: 1, Cluster: []int32{0, 1}, Distance: []float64{1, 3}}
	must.Do(t, db.Write(t.Context(), "segments", false, fitted))
	_, rows, err = db.Show(t.Context(), "segments", "distances")
	if len(rows) != 2 || err != nil {
		t.Errorf("%v, %v", rows, err)
	}
	must.Do(t, db.Write(t.Context(), "segments", true, sample()))
	_, _, err = db.Show(t.Context(), "segments", "distances")
	must.Fault(t, err, "result-table-missing")
}

func TestAPredictionIsNoTableOfARun(t *testing.T) {
	db := memory(t)
	must.Do(t, db.Write(t.Context(), "segments", false, sample()))
	before, rows, err := db.Show(t.Context(), "segments", "assignments")
	must.Do(t, err)
	for _, name := range []string{"segments_assignments", "Segments_ASSIGNMENTS", "main.segments_path_features"} {
		err := db.WriteAssignments(t.Context(), name, true, sample().Assignments)
		must.Fault(t, err, "table-of-a-run")
	}
	after, again, err := db.Show(t.Context(), "segments", "assignments")
	if d := sqltest.Diff([]any{before, rows}, []any{after, again}); err != nil || d != "" {
		t.Errorf("%v: %s", err, d)
	}
	for _, name := range []string{"segments_of_may", "other_assignments"} {
		if err := db.WriteAssignments(t.Context(), name, true, sample().Assignments); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// tableCount returns the number of tables.
func tableCount(t *testing.T, db *DB) int {
	t.Helper()
	tables := must.Get(db.Tables(t.Context()))(t)
	return len(tables)
}
