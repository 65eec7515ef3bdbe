package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestViolationsAreThePairsThatTheClustersBreak(t *testing.T) {
	t.Parallel()
	// Every row together with the one after it: three clusters must break some.
	pairs := "SELECT id AS a, id + 1 AS b, 'must' AS kind, 0.001 AS weight FROM range(1, 178) t(id)"
	db := fitted(t, rowsOf(t, absolute(t, "../../examples/wine.csv")), "--id", "id", "--exclude", "class", "-a", "pckm", "-k", "3", "--pairs",
		pairs)
	cluster := map[string]string{}
	for _, row := range show(t, db, "assignments") {
		cluster[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
	}
	want := 0
	for id := 1; id < 178; id++ {
		if cluster[fmt.Sprint(id)] != cluster[fmt.Sprint(id+1)] {
			want++
		}
	}
	broken := show(t, db, "violations")
	if len(broken) != want || want == 0 || want == 177 {
		t.Errorf("%d violations instead of %d", len(broken), want)
	}
	for _, v := range broken {
		if cluster[fmt.Sprint(v[0])] == cluster[fmt.Sprint(v[1])] || v[2] != "must" || v[3] != 0.001 || !(v[4].(float64) > 0) {
			t.Errorf("violation %v of clusters %s and %s", v, cluster[fmt.Sprint(v[0])], cluster[fmt.Sprint(v[1])])
		}
	}
}

func TestScoresAreThoseOfTheClassesInTheColumn(t *testing.T) {
	t.Parallel()
	dir, path := t.TempDir(), absolute(t, "../../examples/wine.csv")
	wine := rowsOf(t, path)
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "out.duckdb", "--into", "keyed", "-q")
	succeed(t, dir, "fit", wine, "--exclude", "class,id", "-k", "3", "--db", "out.duckdb", "--into", "numbered", "-q")
	_, lines := csvLines(t, path)
	for _, test := range []struct {
		what  string
		args  []string
		known func(i int) bool
	}{
		{"a number", []string{"keyed", "--truth", "class"}, func(int) bool { return true }},
		{"rows without a key", []string{"numbered", "--truth", "class"}, func(int) bool { return true }},
		{"text, NULL for some, in another order", []string{"keyed",
			"SELECT CASE WHEN id % 3 > 0 THEN 'class ' || class END AS c, * EXCLUDE (class) " + wine + " ORDER BY id DESC", "--truth", "c"},
			func(i int) bool { return (i+1)%3 > 0 }},
	} {
		t.Run(test.what, func(t *testing.T) {
			got := measuredScores(t, dir, test.args[0], test.args[1:]...)
			var labels, classes []int32
			for i, row := range tablesOf(t, filepath.Join(dir, "out.duckdb"), test.args[0], "assignments")["assignments"] {
				class := must.Get(strconv.Atoi(lines[i][len(lines[i])-1]))(t)
				if !test.known(i) {
					class = -1
				}
				labels, classes = append(labels, int32(row["cluster"].(float64))), append(classes, int32(class))
			}
			want := score.NewTable(classes, labels)
			for name, value := range map[string]float64{"pairwise_f": want.PairwiseF(), "ari": want.ARI(), "nmi_max": want.NMI(score.Max),
				"purity": want.Purity()} {
				if v := number(t, got[name][0]); math.Abs(v-value) > 1e-12 {
					t.Errorf("%s is %v instead of %v", name, v, value)
				}
			}
			if s := number(t, got["silhouette"][0]); !(s > 0.1 && s < 1) {
				t.Errorf("silhouette %v of three clear clusters", s)
			}
		})
	}
}

func TestNoRunReplacesTablesThatAFlagOfItReads(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	// A run whose tables can be read as pairs, groups and constraints.
	fit := []string{"fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "out.duckdb", "--into", "ours", "-q", "--replace"}
	pairs := "SELECT 1 AS a, 2 AS b, 'must' AS kind"
	succeed(t, dir, append(fit, "-a", "pckm", "--pairs", pairs)...)
	before, _ := stored(t, filepath.Join(dir, "out.duckdb"))
	for name, flags := range map[string][]string{
		"pairs": {"-a", "pckm", "--pairs",
			"SELECT a.id AS a, b.id AS b, 'must' AS kind FROM ours_assignments a JOIN ours_assignments b ON a.id + 1 = b.id"},
		"groups":      {"-a", "kmeans", "--groups", "SELECT DISTINCT feature, 'all' AS feature_group FROM ours_centers"},
		"constraints": {"-a", "kmeans", "--constraints", "SELECT DISTINCT 'ge' AS kind, feature, NULL AS cluster, 0 AS value FROM ours_centers"},
	} {
		t.Run(name, func(t *testing.T) { fails(t, dir, 3, "replaces-its-input", slices.Concat(fit, flags)...) })
	}
	if after, _ := stored(t, filepath.Join(dir, "out.duckdb")); !cmp.Equal(before, after) {
		t.Error("the tables have changed")
	}
	// A view says nothing of the table that it is made of.
	succeed(t, dir, "sql", "out.duckdb", "-q", "-c", "CREATE VIEW seen AS SELECT id, distance FROM ours_assignments")
	fails(t, dir, 3, "replaces-its-input", "fit", "seen", "--id", "id", "-k", "3", "--db", "out.duckdb", "--into", "ours", "-q", "--replace")
	succeed(t, dir, "sql", "out.duckdb", "-q", "-c", "DROP VIEW seen")
	// Another name is fine, and so is a start: a run may begin where it ended.
	succeed(t, dir, append(slices.Clone(fit), "-a", "pckm", "--pairs", pairs, "--start", "FROM ours_centers")...)
	other := append(slices.Clone(fit), "-a", "kmeans", "--groups", "SELECT DISTINCT feature, 'all' AS feature_group FROM ours_centers")
	other[slices.Index(other, "ours")] = "other"
	succeed(t, dir, other...)
}

func TestPairsThatFollowAreAmongTheViolationsAndMarked(t *testing.T) {
	t.Parallel()
	// 1 to 6 in a chain of must pairs and 5 apart from 7: what follows are the ten
	// must pairs of the chain's rows that are not next to each other, and five
	// cannot pairs of 7. Weights are so small that clusters break many of them.
	const pairs = "SELECT i AS a, i + 1 AS b, 'must' AS kind, 1e-9 * i AS weight FROM range(1, 6) t(i) UNION ALL SELECT 5, 7, 'cannot', 2e-9"
	rows := "FROM (VALUES (1, 0.0), (2, 9.0), (3, 0.2), (4, 9.1), (5, 0.1), (6, 9.3), (7, 0.3)) t(id, x)"
	args := []string{rows, "--id", "id", "-a", "pckm", "-k", "2", "--pairs", pairs}
	given := map[[2]int64]bool{{1, 2}: true, {2, 3}: true, {3, 4}: true, {4, 5}: true, {5, 6}: true, {5, 7}: true}
	high := map[int64]bool{2: true, 4: true, 6: true} // the cluster of 9
	plain, closed := fitted(t, args...), fitted(t, append(args, "--closure", "true")...)
	type violation struct {
		weight float64
		at     [2]int64
	}
	want := map[violation]bool{} // and whether derived
	for a := int64(1); a <= 6; a++ {
		for b := a + 1; b <= 7; b++ {
			w, together := 1e-9, high[a] == high[b] // the smallest of the chain
			switch {
			case b == 7:
				w = 2e-9
			case given[[2]int64{a, b}]:
				w = 1e-9 * float64(a)
			}
			if together == (b == 7) {
				want[violation{w, [2]int64{a, b}}] = !given[[2]int64{a, b}]
			}
		}
	}
	got := map[violation]bool{}
	for _, v := range show(t, closed, "violations") {
		got[violation{v[3].(float64), [2]int64{key(t, v[0]), key(t, v[1])}}] = v[5].(bool)
		if !(v[4].(float64) > 0) {
			t.Errorf("violation %v costs nothing", v)
		}
	}
	equal(t, fmt.Sprint(want), fmt.Sprint(got), "the violations")
	for _, v := range show(t, plain, "violations") {
		if v[5] != false || !given[[2]int64{key(t, v[0]), key(t, v[1])}] {
			t.Errorf("violation %v without --closure", v)
		}
	}
}

// key reads a row key.
func key(t *testing.T, v any) int64 {
	t.Helper()
	n := must.Get(strconv.ParseInt(fmt.Sprint(v), 10, 64))(t)
	return n
}
