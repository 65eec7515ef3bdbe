package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestATuningInDuckDBDrawsFromASample(t *testing.T) {
	t.Parallel()
	wine := absolute(t, "../../examples/wine.csv")
	dir := t.TempDir()
	args := []string{wine, "--id", "id", "--exclude", "class", "--engine", "duckdb", "--db", "out.duckdb", "--restarts", "2"}
	sampled := succeed(t, dir, append([]string{"tune", "-a", "skfr", "-k", "2:3", "--grid", "4,13", "--draws", "3", "--sample", "150",
		"--into", "tuned"}, args...)...)
	says(t, sampled.stdout, "points are judged by 150 of the rows")
	says(t, sampled.stdout, "sparsity")
	rows := succeed(t, dir, "show", "tuned", "fit", "--db", "out.duckdb", "-o", "csv").stdout
	says(t, rows, ",178,13,") // all rows are fitted
	chosen := succeed(t, dir, append([]string{"fit", "-k", "auto", "--into", "auto"}, args...)...)
	says(t, chosen.stdout, "178 rows, 13 features, 3 clusters")
	says(t, succeed(t, dir, "sql", "out.duckdb", "-o", "csv", "-q", "-c", "SELECT count(*) AS n FROM auto_assignments").stdout, "178")
}

func TestARunWhoseRowsAreInDuckDBHasTheUsesOfOthers(t *testing.T) {
	t.Parallel()
	wine := absolute(t, "../../examples/wine.csv")
	dir := t.TempDir()
	fit := []string{"fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--restarts", "2", "--engine", "duckdb", "--db", "out.duckdb"}
	succeed(t, dir, append(fit, "--into", "a", "-q")...)
	succeed(t, dir, append(fit, "--into", "b", "-q", "-a", "skfr", "--sparsity", "6")...)
	succeed(t, dir, append(fit, "--into", "b", "-q", "-a", "skfr", "--sparsity", "5", "--replace")...)
	for name, of := range map[string]struct {
		args []string
		says string
	}{
		"runs":   {[]string{"runs"}, "skfr"},
		"show":   {[]string{"show", "b"}, "inertia"},
		"params": {[]string{"show", "b", "params", "-o", "csv"}, "engine,duckdb,flag"},
		"export": {[]string{"export", "b"}, "SELECT"},
		"diff":   {[]string{"diff", "a", "b"}, "cluster"},
		"score":  {[]string{"score", "a"}, "silhouette"},
		"rows":   {[]string{"report", "a", "--out", "-", "--format", "svg", "--chart", "rows"}, "direction 1"},
		"report": {[]string{"report", "a", "b", "--out", "-"}, "--engine duckdb"},
	} {
		t.Run(name, func(t *testing.T) {
			o := succeed(t, dir, append(of.args, "--db", "out.duckdb")...)
			says(t, o.stdout, of.says)
			if strings.Contains(o.stdout, "--assignments") || strings.Contains(o.stdout, "cannot be read now") {
				t.Error(o.stdout)
			}
		})
	}
	says(t, fails(t, dir, 3, "no-distances", "predict", "a", wine, "--flag", "0.99", "--db", "out.duckdb").stderr, "have stayed in an engine")
	says(t, succeed(t, dir, "drop", "b", "--db", "out.duckdb").stderr, "dropped b_assignments")
	says(t, succeed(t, dir, "sql", "out.duckdb", "-q", "-o", "csv",
		"-c", "SELECT count(*) AS n FROM (SHOW TABLES) WHERE name LIKE 'b%'").stdout,
		"0")
}

func TestMissingCellsOfManyFeaturesAndClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cells := make([]string, 60)
	for l := range cells {
		cells[l] = fmt.Sprintf("CASE WHEN (i + %d) %% 9 > 0 THEN (i * %d) %% 101 END AS x%d", l, 7*l+1, l)
	}
	relation := "SELECT i AS id, " + strings.Join(cells, ", ") + " FROM range(600) AS t(i)"
	args := []string{"fit", relation, "--id", "id", "--engine", "duckdb", "--restarts", "1", "--max-iter", "1", "--init", "random"}
	// It would take minutes if all terms were compared with each other.
	says(t, succeed(t, dir, append(args, "-k", "10", "-q")...).stdout, "60 features, 10 clusters")
	f := fails(t, dir, 3, "statement-too-large", append(args, "-k", "500", "-q")...)
	says(t, f.stderr, "60 features have NULLs", "at most 416 clusters")
}
