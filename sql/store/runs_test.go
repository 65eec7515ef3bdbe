package store

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRuns(t *testing.T) {
	db := memory(t, "CREATE SCHEMA results", "CREATE TABLE outfit AS SELECT 1 AS x", "CREATE TABLE best_fit AS SELECT 1 AS x")
	write(t, db, "wine", false, sample())
	write(t, db, "results.wine", false, sample())
	runs, err := db.Runs(context.Background())
	if err != nil {
		t.Fatal(explain(err))
	}
	names := []string{}
	for _, r := range runs {
		names = append(names, r.Name)
		want := sample().Fit
		want.Model = ""
		if d := cmp.Diff(want, r.Fit); d != "" || !r.StartedAt.Equal(sample().Run.StartedAt) {
			t.Error(d, r.StartedAt)
		}
	}
	if d := cmp.Diff([]string{"wine", "results.wine"}, names); d != "" {
		t.Error(d)
	}
}

func TestRunsUnknown(t *testing.T) {
	db := memory(t)
	_, err := db.LoadModel(context.Background(), "wine")
	wantFault(t, err, `
run-not-found: the database has no run "wine"
hint: it has no runs at all; fit --into NAME makes one`)
	write(t, db, "wine", false, sample())
	_, err = db.Drop(context.Background(), "wnie")
	wantFault(t, err, `
run-not-found: the database has no run "wnie"
similar: wine
hint: it has wine`)
	_, _, err = db.Show(context.Background(), "wine", "center")
	wantFault(t, err, `
result-table-unknown: a run has no table "center"
similar: centers
hint: it has assignments, centers, features, clusters, trace, fit, run`)
}

func TestDrop(t *testing.T) {
	db := memory(t, "CREATE TABLE wine AS SELECT 1 AS x")
	write(t, db, "wine", false, sample())
	if err := db.exec(context.Background(), "DROP TABLE wine_trace"); err != nil {
		t.Fatal(err)
	}
	_, _, err := db.Show(context.Background(), "wine", "trace")
	wantFault(t, err, `result-table-missing: run "wine" has lost its table wine_trace`)
	dropped, err := db.Drop(context.Background(), "wine")
	if d := cmp.Diff([]string{"wine_assignments", "wine_centers", "wine_features", "wine_clusters", "wine_fit", "wine_run"}, dropped); d != "" || err != nil {
		t.Error(d, explain(err))
	}
	if n := tableCount(t, db); n != 1 {
		t.Errorf("%d tables are left", n)
	}
}
