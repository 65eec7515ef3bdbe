package main

import (
	"strings"
	"testing"
)

func TestSeveralAlgorithmsBeginWithTheSameClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wine := "SELECT * EXCLUDE class " + rowsOf(t, absolute(t, "../../examples/wine.csv"))
	// Of all 13 features, skfr is k-means: from one start, both find the same.
	fit := []string{"fit", wine, "--id", "id", "-k", "3", "--sparsity", "13", "--db", "r.duckdb", "--into", "w", "-o", "json", "-a"}
	text := succeed(t, dir, append(fit, "skfr,kmeans")...).stdout
	rows := shown(t, text, "fits")
	if len(rows) != 2 || rows[0]["objective"] != rows[1]["objective"] || rows[0]["silhouette"] != rows[1]["silhouette"] {
		t.Error(rows)
	}
	equal(t, []map[string]any{{"first": "skfr", "second": "kmeans", "ari": 1.0}}, shown(t, text, "agreement"), "agreement")
	runs := func() string { return succeed(t, dir, "runs", "--db", "r.duckdb", "-o", "csv").stdout }
	before := runs()
	says(t, before, "w_skfr,", "w_kmeans,")

	fails(t, dir, 3, "table-exists", append(fit, "kmeans,skfr")...)
	fails(t, dir, 2, "unknown-parameter", append(fit, "pckm,kmeans", "--replace")...) // neither has a sparsity
	fails(t, dir, 2, "bad-flag", append(fit, "skfr,skfr")...)
	if after := runs(); after != before {
		t.Errorf("%s\nnow\n%s", before, after)
	}
	says(t, succeed(t, dir, append(fit, "skfr,kmeans", "--replace", "--seed", "2")...).stdout, `"skfr"`)
	if strings.Count(runs(), "\n") != strings.Count(before, "\n") {
		t.Error(runs())
	}
	fails(t, dir, 3, "start-and-draws", "stability", "w_kmeans", "--db", "r.duckdb") // its start is that of skfr
}
