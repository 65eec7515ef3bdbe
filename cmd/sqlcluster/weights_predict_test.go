package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestPredictMeasuresWithTheWeightsOfTheModel has two clusters in x, and noise in
// y that is far larger: without its weights, the model would put rows by y.
func TestPredictMeasuresWithTheWeightsOfTheModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("id,x,y,z,kind\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%g,%g,%g,%s\n", i, float64(i%2)*4+0.01*float64(i%7), 40*math.Sin(float64(i*i)), math.Cos(float64(3*i)),
			[]string{"a", "b", "b"}[i%3])
	}
	write(t, dir, "rows.csv", text.String())
	for name, algorithm := range map[string][]string{
		"skm":      {"-a", "skm", "--l1-bound", "1.2", "--exclude", "kind"},
		"groupskm": {"-a", "groupskm", "--lambda", "0.4"},
	} {
		t.Run(name, func(t *testing.T) {
			db := name + ".duckdb"
			flags := []string{"--id", "id", "--db", db, "-o", "csv"}
			fit := succeed(t, dir, append(append([]string{"fit", "rows.csv", "-k", "2", "--scale", "raw", "--init-space", "fitted", "--weight-tol",
				"0",
				"--start", "SELECT id, id % 2 AS cluster FROM 'rows.csv'", "--into", "ours"}, flags...), algorithm...)...)
			if strings.Count(fit.stdout, ",0,") < 20 || strings.Count(fit.stdout, ",1,") < 20 {
				t.Fatalf("the fit has other clusters: %s", fit.stdout)
			}
			predicted := succeed(t, dir, append([]string{"predict", "ours", "rows.csv"}, flags...)...)
			equal(t, fit.stdout, predicted.stdout, "clusters, distances or margins differ from those of the fit")
		})
	}
}

func TestARunWithoutWeightsHasNoClustersToPredict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	fit := succeed(t, dir, "fit", rows, "--id", "id", "--exclude", "class", "-k", "3", "-a", "groupskm", "--lambda", "5", "--db",
		"out.duckdb", "--into", "ours")
	says(t, fit.stdout, "no feature got a weight, so there are no clusters")
	o := sqlcluster(t, dir, "predict", "ours", rows, "--id", "id", "--db", "out.duckdb")
	if want := "error[no-clusters]: no feature of run \"ours\" has a weight, so that it has no clusters\n  hint:  fit again, with a weaker " +
		"penalty\n"; o.code == 0 || o.stderr != want {
		t.Errorf("exit code %d, %q, want %q", o.code, o.stderr, want)
	}
	written := tablesOf(t, filepath.Join(dir, "out.duckdb"), "ours", "assignments", "fit")
	if written["assignments"][0]["cluster"] != nil || written["fit"][0]["stop_reason"] != "all_zero" {
		t.Errorf("%v %v", written["assignments"][0], written["fit"])
	}
}

func TestPairsAreNeitherKeptNorBrokenWithoutClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"fit", rowsOf(t, absolute(t, "../../examples/wine.csv")), "--id", "id", "--exclude", "class", "-k", "3", "-a", "pcskm",
		"--l1-bound", "2",
		"--pairs", "SELECT * FROM (VALUES (1, 2, 'must'), (3, 4, 'must'), (1, 100, 'cannot')) t(a, b, kind)", "--db", "out.duckdb"}
	some := succeed(t, dir, append(args, "--into", "some")...)
	none := succeed(t, dir, append(args, "--constraints", "SELECT 'fixed' AS kind, 1 AS value", "--into", "none")...)
	if says(t, none.stdout, "no feature got a weight, so there are no clusters"); strings.Contains(none.stdout, "kept") {
		t.Error(none.stdout)
	}
	says(t, some.stdout, "pairs: ", "kept")
	written := tablesOf(t, filepath.Join(dir, "out.duckdb"), "none", "violations", "fit")
	if got := written["violations"]; len(got) > 0 {
		t.Errorf("broken pairs: %v", got)
	}
	if written["fit"][0]["stop_reason"] != "all_zero" {
		t.Error(written["fit"])
	}
}
