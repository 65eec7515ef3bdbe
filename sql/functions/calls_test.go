package functions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fitOf is the model of a fit of a relation alone, in a statement alone.
func fitOf(relation, more string) string {
	return fmt.Sprintf("SELECT model FROM cluster_fit(%s, 'id', restarts := 2, %s)", relation, more)
}

// Calls whose rows have the same columns are told apart, whether one comes after the
// other or both gather at the same time.
func TestSeveralFitsInAStatementAreThoseOfStatementsAlone(t *testing.T) {
	s := opened(t, "", wine, "CREATE TABLE half AS FROM wine WHERE id % 2 = 0", "CREATE TABLE few AS SELECT id, hue, ash FROM wine",
		"CREATE TABLE many AS SELECT i AS id, sin(i) AS x, i % 7 AS y FROM range(100000) r(i)", "CREATE TABLE most AS FROM many WHERE id > 9",
		"CREATE TABLE least AS FROM many WHERE id < 50")
	one := func(relation, more string) string { return ran(t, s, fitOf(relation, more))[0] }
	three, two, half, few := one("wine", "k := 3"), one("wine", "k := 2"), one("half", "k := 3"), one("few", "k := 3")
	for text, want := range map[string][]string{
		fitOf("wine", "k := 3") + " UNION ALL " + fitOf("half", "k := 3"):                                 {three, half},
		fitOf("wine", "k := 3") + " UNION ALL " + fitOf("few", "k := 3"):                                  {three, few},
		"SELECT m.model, m.model FROM (SELECT cluster_fit(id, wine, {k: 3, restarts: 2}) AS m FROM wine)": {three + " " + three},
		"SELECT cluster_fit(id, wine, {k: 3, restarts: 2}).model, cluster_fit(id, wine, {k: 2, restarts: 2}).model FROM wine": {
			three + " " + two},
		"SELECT cluster_fit(id, wine, {k: 3, restarts: 2}).model, cluster_fit(id, wine, {k: 3, restarts: 2}).model FROM wine": {
			three + " " + three},
		"SELECT model, (SELECT model FROM cluster_fit(half, 'id', restarts := 2, k := 3)) FROM cluster_fit(wine, 'id', restarts := 2, k := 3) " +
			"WHERE k = 1 + (SELECT k FROM cluster_fit(wine, 'id', restarts := 2, k := 2))": {three + " " + half},
		"WITH a AS MATERIALIZED (SELECT cluster_fit(id, wine, {k: 3, restarts: 2}) AS m FROM wine), b AS MATERIALIZED (SELECT " +
			"cluster_fit(id, half, {k: 3, restarts: 2}) AS m FROM half WHERE id > (SELECT k - 3 FROM (SELECT unnest(m) FROM a))) " +
			"SELECT a.m.model, b.m.model FROM a, b": {three + " " + half},
		"SELECT (SELECT cluster_fit(id, wine, {k: 3, restarts: 2}).model FROM wine WHERE id % 2 <= r) FROM range(2) q(r) ORDER BY r": {
			half, three},
	} {
		if got := ran(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s\n%.3000s", text, strings.Join(got, "\n"))
		}
	}
	ran(t, s, "SET threads = 2") // one gathers much longer than the other
	if got, want := ran(t, s, fitOf("least", "k := 2")+" UNION ALL "+fitOf("most", "k := 2, max_iter := 2")),
		[]string{one("least", "k := 2"), one("most", "k := 2, max_iter := 2")}; !slices.Equal(got, want) {
		t.Error("rows of one fit in the other")
	}
}

func TestAFitFromBatchesSaysSoInSQL(t *testing.T) {
	s := opened(t, "", wine)
	for text, want := range map[string]string{
		"SELECT approximate, notes[1][:12] FROM cluster_fit(wine, 'id', k := 3, batch := 50)": "true approximate:",
		"SELECT approximate, notes FROM cluster_fit(wine, 'id', k := 3, batch := 178)":        "false []",
		"SELECT count(*) FILTER (m.approximate) FROM (SELECT cluster_fit(id, wine, {k: 2, batch: 40}) AS m FROM wine " +
			"GROUP BY id % 3)": "3",
	} {
		if got := ran(t, s, text); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// The key is id or a column that is not in the row: what else equals id is a feature.
func TestTheKeyOfACallIsNoFeatureOfIt(t *testing.T) {
	s := opened(t, "", wine)
	features := "list_sort(list_distinct(list_transform(%s.features, lambda f: f.feature)))"
	got := ran(t, s, fmt.Sprintf("SELECT "+features+" = "+features+", 'id' IN "+features+", 'id' IN "+features+
		" FROM (SELECT cluster_fit(id, wine, {k: 3}) AS a, cluster_fit(id + 1, wine, {k: 3}) AS b FROM wine), "+
		"(SELECT cluster_fit(id, wine, {k: 3}) AS c FROM wine)", "a", "c", "a", "b"))
	if !slices.Equal(got, []string{"true false true"}) {
		t.Error(got)
	}
}
