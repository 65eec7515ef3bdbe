package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func TestRuns(t *testing.T) {
	db := memory(t, "CREATE SCHEMA results", "CREATE TABLE outfit AS SELECT 1 AS x", "CREATE TABLE best_fit AS SELECT 1 AS x")
	write(t, db, "wine", false, sample())
	write(t, db, "results.wine", false, sample())
	runs := must.Get(db.Runs(t.Context()))(t)
	names := []string{}
	for _, r := range runs {
		names = append(names, r.Name)
		want := sample().Fit
		want.Model = ""
		if d := cmp.Diff(want, r.Fit); d != "" || !r.StartedAt.Equal(sample().Run.StartedAt) {
			t.Error(d, r.StartedAt)
		}
	}
	must.Equal(t, []string{"wine", "results.wine"}, names)
}

func TestRunsUnknown(t *testing.T) {
	db := memory(t)
	_, err := db.LoadModel(t.Context(), "wine")
	sqltest.WantFault(t, err, `
run-not-found: the database has no run "wine"
hint: it has no runs at all; a fit with into = NAME makes one`)
	write(t, db, "wine", false, sample())
	_, err = db.Drop(t.Context(), "wnie")
	sqltest.WantFault(t, err, `
run-not-found: the database has no run "wnie"
similar: wine
hint: it has wine`)
	_, _, err = db.Show(t.Context(), "wine", "center")
	sqltest.WantFault(t, err, `
result-table-unknown: a run has no table "center"
similar: centers
hint: it has assignments, centers, features, clusters, trace, violations, limits, distances, path, path_features, path_assignments, tune, tune_folds, tune_draws, stability, stability_features, stability_draws, stability_clusters, silhouettes, progress, models, fit, run`)
}

func TestDrop(t *testing.T) {
	db := memory(t, "CREATE TABLE wine AS SELECT 1 AS x")
	write(t, db, "wine", false, sample())
	must.Do(t, db.Exec(t.Context(), "DROP TABLE wine_trace"))
	_, _, err := db.Show(t.Context(), "wine", "trace")
	sqltest.WantFault(t, err, `result-table-missing: run "wine" has no table wine_trace
hint: sqlcluster help tables says which tables a fit, a path and a tuning have`)
	dropped, err := db.Drop(t.Context(), "wine")
	if d := cmp.Diff([]string{"wine_assignments", "wine_centers", "wine_features", "wine_clusters", "wine_violations", "wine_limits",
		"wine_fit",
		"wine_run"}, dropped); d != "" || err != nil {
		t.Error(d, sqltest.Explain(err))
	}
	if n := tableCount(t, db); n != 1 {
		t.Errorf("%d tables are left", n)
	}
}

func TestDropLeavesEverythingIfOneTableIsSomebodyElses(t *testing.T) {
	db := memory(t)
	write(t, db, "wine", false, sample())
	for _, s := range []string{"DROP TABLE wine_features", "CREATE TABLE wine_features(precious VARCHAR)"} {
		must.Do(t, db.Exec(t.Context(), s))
	}
	_, err := db.Drop(t.Context(), "wine")
	sqltest.WantFault(t, err, `
table-exists: 1 table: wine_features exists, with other columns than the result has
hint: nothing was dropped; rename or drop what does not belong to the run, and try again`)
	if n := tableCount(t, db); n != len(schema.OfFit()) {
		t.Errorf("%d tables are left", n)
	}
}

// A transaction in which a statement has failed refuses all others, the look
// into the catalogue too.
func TestACatalogueThatCannotBeReadIsNoMissingTable(t *testing.T) {
	db := memory(t)
	write(t, db, "wine", false, sample())
	fit := must.Get(db.findRun(t.Context(), "wine"))(t)
	err := db.Transaction(t.Context(), func() error {
		if err := db.Exec(t.Context(), "INSERT INTO wine_fit (run_id) VALUES (NULL)"); err == nil {
			t.Error("the statement does not fail")
		}
		if _, err := db.started(t.Context(), fit); err == nil {
			t.Error("the start of the run is taken for unknown")
		}
		_, err := db.members(t.Context(), fit)
		return err
	})
	must.Fault(t, err, "list-failed")
}
