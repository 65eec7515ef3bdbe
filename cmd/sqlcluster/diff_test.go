package main

import "testing"

func TestDiffFindsRowsByTheirKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := func(key, where string) string {
		return "SELECT " + key + " AS id, i // 10 * 10.0 + i % 3 AS x, i % 7 AS y FROM range(20) t(i) WHERE " + where
	}
	for name, relation := range map[string]string{"all": rows("i", "true"), "most": rows("i::INTEGER", "i > 1"),
		"text": rows("'r' || i", "true"), "none": rows("i + 100", "true")} {
		succeed(t, dir, "fit", relation, "--id", "id", "-k", "2", "--db", "r.duckdb", "--into", name)
	}
	agreement := func(first, second string) map[string]any {
		return shown(t, succeed(t, dir, "diff", first, second, "--db", "r.duckdb", "-o", "json").stdout, "agreement")[0]
	}
	got := agreement("all", "most") // two groups that nobody can mistake
	equal(t, map[string]any{"first": "all", "second": "most", "rows": 18.0, "first_only": 2.0, "second_only": 0.0, "with_clusters": 18.0,
		"moved": 0.0, "ari": 1.0, "nmi_arithmetic": 1.0}, got, "agreement")
	if got := agreement("all", "none"); got["rows"] != 0.0 || got["ari"] != nil {
		t.Error(got)
	}
	says(t, succeed(t, dir, "diff", "all", "none", "--db", "r.duckdb").stderr, "no row in common")
	fails(t, dir, 3, "keys-differ", "diff", "all", "text", "--db", "r.duckdb")
	succeed(t, dir, "path", rows("i", "true"), "--id", "id", "-a", "skfr", "-k", "2", "--db", "r.duckdb", "--into", "path")
	fails(t, dir, 3, "run-is-a-path", "diff", "all", "path", "--db", "r.duckdb")
}
