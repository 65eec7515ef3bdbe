package functions_test

import (
	"fmt"
	"slices"
	"testing"
)

// 3000 groups are finished in several calls, since a vector has 2048 entries, on
// several threads.
func TestGroupByFitsEachGroupAsAStatementAloneDoes(t *testing.T) {
	s := opened(t, "", "SET threads = 4",
		"CREATE TABLE t AS SELECT i AS id, i % 3000 AS part, i * i % 97 AS x, 'p' || i % 3000 AS name, i % 2 = 0 AS even FROM range(12000) r(i) "+
			"ORDER BY hash(i)",
		"CREATE TABLE m AS SELECT part, cluster_fit(t.id, t, {k: 2, restarts: 1}) AS m FROM t GROUP BY part")
	if got := ran(t, s, "SELECT count(*), count(m.error), sum(m.n), sum(len(m.assignments)) FROM m"); got[0] != "3000 0 12000 12000" {
		t.Fatal(got)
	}
	for _, part := range []int{0, 1, 1777, 2999} {
		same(t, s, fmt.Sprintf("SELECT cluster_fit(t.id, t, {k: 2, restarts: 1}).model FROM t WHERE part = %d", part),
			fmt.Sprintf("SELECT m.model FROM m WHERE part = %d", part))
	}
	same(t, s, "SELECT part, id FROM t ORDER BY ALL", "SELECT part, unnest(m.assignments).key AS id FROM m ORDER BY ALL")
}

func TestGroupsHaveOptionsOfTheirOwnAndRecordTheirFaults(t *testing.T) {
	s := opened(t, "", wine, "CREATE TABLE w AS SELECT id % 4 AS g, * FROM wine",
		"CREATE VIEW fits AS SELECT g, cluster_fit(id, w, {k: [2, 3, 4, 100][g + 1], restarts: 1 + g, algorithm: if(g = 1, 'pckm', "+
			"'kmeans')}) AS m "+
			"FROM w GROUP BY g")
	got := ran(t, s, "SELECT m.algorithm, m.k, len(m.centers), m.error FROM fits ORDER BY g")
	want := []string{"kmeans 2 28 <nil>", "pckm 3 42 <nil>", "kmeans 4 56 <nil>",
		"<nil> <nil> <nil> k is 100, but there are only 44 rows (k)\n" +
			"hint: choose a k up to 44"}
	if !slices.Equal(got, want) { // 14 features: 13 and g
		t.Errorf("%q", got)
	}
	for _, text := range []string{"SELECT cluster_fit(id, w, {k: 45, on_error: 'fail'}) FROM w GROUP BY g", // 44 or 45 rows each
		"FROM cluster_fit(w, 'id', k := 179)", "SELECT cluster_fit(id, w, {k: 0}) FROM w GROUP BY g"} {
		_ = refused(t, s, text)
	}
	same(t, s, "SELECT error FROM cluster_fit(w, 'id', k := 179, on_error := 'record')",
		"SELECT cluster_fit(id, w, {k: 179, on_error: 'record'}).error FROM w")
	for _, text := range []string{"SELECT cluster_fit(id, w, {k: 2}) FROM w WHERE false GROUP BY g", "SELECT g FROM fits WHERE g > 7"} {
		if got := ran(t, s, text); got != nil {
			t.Error(got)
		}
	}
}

// A vector of DuckDB has 2048 entries, a word of its mask of NULLs 64.
func TestVectorsHaveNoEdges(t *testing.T) {
	s := opened(t, "", "CREATE TABLE all_rows AS SELECT i AS id, if(i % 64 IN (0, 63), NULL, i % 1000) AS x FROM range(1, 4098) r(i)")
	for _, n := range []int{63, 64, 65, 2047, 2048, 2049, 4096, 4097} {
		ran(t, s, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE t AS FROM all_rows WHERE id <= %d", n),
			"CREATE OR REPLACE TEMP TABLE a AS SELECT unnest(assignments, recursive := true) FROM cluster_fit(t, 'id', k := 2, restarts := 1)")
		same(t, s, "SELECT id FROM t WHERE x IS NOT NULL ORDER BY id", "SELECT key FROM a WHERE cluster IS NOT NULL ORDER BY key")
		same(t, s, "SELECT id FROM t WHERE x IS NULL ORDER BY id",
			"SELECT key FROM a WHERE status = 'no_cells' AND distance IS NULL ORDER BY key")
	}
	same(t, s, "SELECT model FROM cluster_fit(t, 'id', k := 2)", // of the chunks, few rows stay
		"SELECT cluster_fit(id, r, {k: 2}).model FROM (SELECT id // 10 AS id, x FROM (SELECT id * 10 AS id, x FROM t UNION ALL "+
			"SELECT id * 10 + 1, x FROM t ORDER BY id) WHERE id % 10 = 0) r")
}

func TestWideRowsAndLongTextsAreRowsLikeOthers(t *testing.T) {
	s := opened(t, "", "CREATE TABLE numbers AS SELECT i AS id, list_transform(range(3000), lambda j: (i * j) % 11) AS x FROM range(30) r(i)",
		"CREATE TABLE texts AS SELECT i AS id, i % 7 AS y, repeat('x', 1000000 * (i % 2)) AS text FROM range(20) r(i)")
	if got := ran(t, s, "SELECT p FROM cluster_fit(numbers, 'id', k := 2, restarts := 1)"); got[0] != "3000" {
		t.Error(got)
	}
	columns := ""
	for j := range 3000 {
		columns += fmt.Sprintf(", x[%d] AS x%[1]d", j+1)
	}
	ran(t, s, "CREATE TABLE wide AS SELECT id"+columns+" FROM numbers")
	same(t, s, "SELECT objective, labels FROM (SELECT objective, list_transform(assignments, lambda a: a.cluster) AS labels "+
		"FROM cluster_fit(numbers, 'id', k := 2, restarts := 1))", "SELECT objective, list_transform(assignments, lambda a: a.cluster) "+
		"FROM cluster_fit(wide, 'id', k := 2, restarts := 1)")
	same(t, s, "SELECT model FROM cluster_fit(texts, 'id', k := 2, features := 'y')",
		"SELECT model FROM cluster_fit(texts, 'id', k := 2, exclude := 'text')")
}
