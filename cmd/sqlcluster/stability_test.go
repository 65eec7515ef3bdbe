package main

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A run is made again from what it has recorded: if a setting were lost, its rows or its
// clusters would be others, and the command would refuse them.
func TestStabilityMakesEveryKindOfRunAgain(t *testing.T) {
	t.Parallel()
	wine := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	heart := rowsOf(t, absolute(t, "../../examples/heart.csv"))
	for name, args := range map[string]string{
		"scaled":      "-k 3 --scale robust --init maximin --seed 7 --restarts 2 --max-iter 50 --tol 1e-6 --empty origin --init-space raw",
		"sparse":      "-a skfr -k 3 --sparsity 5 --scope local --features alcohol,hue,color*,proline,flavanoids --order input",
		"weights":     "-a skm -k 3 --l1-bound 2 --weight ash --exclude class,id",
		"chosen":      "-k 2:4 --exclude class",
		"trimmed":     "-k 3 --exclude class --trim 0.05",
		"constraints": "-k 2 --exclude class --constraints 'SELECT ''box'' AS kind, ''alcohol'' AS feature, 12.0 AS lo, 14.0 AS hi'",
	} {
		dir := t.TempDir()
		split := strings.SplitN(args, "--constraints ", 2)
		fit := append([]string{"fit", "SELECT * " + wine, "--id", "id", "--db", "r.duckdb", "--into", "run"}, strings.Fields(split[0])...)
		if len(split) > 1 {
			fit = append(fit, "--constraints", strings.ReplaceAll(strings.Trim(split[1], "'"), "''", "'"))
		}
		succeed(t, dir, fit...)
		if got := shown(t, succeed(t, dir, "stability", "run", "--db", "r.duckdb", "--draws", "3", "-o", "json").stdout,
			"stability"); len(got) < 2 {
			t.Errorf("%s: %v", name, got)
		}
	}
	dir := t.TempDir()
	succeed(t, dir, "fit", "SELECT * "+heart, "--id", "id", "--exclude", "HD", "--categorical", "auto", "-a", "groupskm", "-k", "2",
		"--lambda", "0.01",
		"--db", "r.duckdb", "--into", "run")
	succeed(t, dir, "stability", "run", "--db", "r.duckdb", "--draws", "2", "--resample", "bootstrap", "--into", "sure")
	tables := tablesOf(t, dir+"/r.duckdb", "sure", "stability", "stability_features", "stability_clusters", "stability_draws")
	if n := len(tables["stability_draws"]); n != 2 {
		t.Errorf("%d draws", n)
	}
}

func TestStabilityOfOtherRowsOrOfAnApproximateRunIsRefused(t *testing.T) {
	t.Parallel()
	wine := "SELECT * " + rowsOf(t, absolute(t, "../../examples/wine.csv"))
	dir := t.TempDir()
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "r.duckdb", "--into", "run")
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--batch", "50", "--db", "r.duckdb", "--into", "batched")
	fails(t, dir, 3, "batch-and-draws", "stability", "batched", "--db", "r.duckdb")
	fails(t, dir, 3, "not-the-rows-of-the-run", "stability", "run", wine+" WHERE id > 1", "--db", "r.duckdb")
}

func TestStabilityKeepsLimitsAndClassesInHalfOfTheRows(t *testing.T) {
	t.Parallel()
	from := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	labels := "SELECT id, class " + from + " WHERE id % 10 = 0"
	for name, flags := range map[string][]string{
		"limits":        {"--constraints", "SELECT 'size' AS kind, 58 AS lo, 61 AS hi"},
		"classes":       {"--labels", labels},
		"a start":       {"--labels", labels, "--labels-as", "start"},
		"doubtful ones": {"--labels", "SELECT *, 3 AS weight FROM (" + labels + ")", "--constraints", "SELECT 'share' AS kind, 0.2 AS lo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			succeed(t, dir, append([]string{"fit", "SELECT * " + from, "--id", "id", "--exclude", "class", "-k", "3", "--db", "r.duckdb", "--into",
				"run"}, flags...)...)
			var before map[string][]map[string]any
			for _, threads := range []string{"1", "2"} { // a fit that is not the run again would be refused
				succeed(t, dir, "stability", "run", "--db", "r.duckdb", "--draws", "5", "--into", "sure", "--replace", "--threads", threads)
				now := tablesOf(t, dir+"/r.duckdb", "sure", "stability", "stability_clusters", "stability_draws")
				if before != nil {
					must.Equal(t, before, now)
				}
				before = now
			}
			for _, row := range before["stability"] {
				if jaccard := row["jaccard"].(float64); jaccard < 0.75 { // the three classes of wine are found again
					t.Error(row)
				}
			}
		})
	}
}
