package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework/score"
)

func TestViolationsAreThePairsThatTheClustersBreak(t *testing.T) {
	// Every row together with the one after it: three clusters must break some.
	pairs := "SELECT id AS a, id + 1 AS b, 'must' AS kind, 0.001 AS weight FROM '" + absolute(t, "../../examples/wine.csv") + "' WHERE id < 178"
	db := fitted(t, absolute(t, "../../examples/wine.csv"), "--id", "id", "--exclude", "class", "-a", "pckm", "-k", "3", "--pairs", pairs)
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
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "out.duckdb", "--into", "keyed", "-q")
	succeed(t, dir, "fit", wine, "--exclude", "class,id", "-k", "3", "--db", "out.duckdb", "--into", "numbered", "-q")
	_, lines := csvLines(t, wine)
	for _, test := range []struct {
		what  string
		args  []string
		known func(i int) bool
	}{
		{"a number", []string{"keyed", "--truth", "class"}, func(int) bool { return true }},
		{"rows without a key", []string{"numbered", "--truth", "class"}, func(int) bool { return true }},
		{"text, NULL for some, in another order", []string{"keyed", "SELECT CASE WHEN id % 3 > 0 THEN 'class ' || class END AS c, * EXCLUDE (class) FROM '" + wine + "' ORDER BY id DESC", "--truth", "c"}, func(i int) bool { return (i+1)%3 > 0 }},
	} {
		t.Run(test.what, func(t *testing.T) {
			text := succeed(t, dir, append([]string{"score", "--db", "out.duckdb", "-o", "csv"}, test.args...)...).stdout
			got := map[string]string{}
			for _, line := range strings.Split(text, "\n") {
				if name, rest, ok := strings.Cut(line, ","); ok {
					got[name], _, _ = strings.Cut(rest, ",")
				}
			}
			assigned := succeed(t, dir, "show", test.args[0], "assignments", "--db", "out.duckdb", "-o", "csv").stdout
			var labels, classes []int32
			for i, line := range strings.Split(strings.TrimSpace(assigned), "\n")[1:] {
				label, err := strconv.Atoi(strings.Split(line, ",")[1])
				if err != nil {
					t.Fatal(err)
				}
				class, err := strconv.Atoi(lines[i][len(lines[i])-1])
				if err != nil {
					t.Fatal(err)
				}
				if !test.known(i) {
					class = -1
				}
				labels, classes = append(labels, int32(label)), append(classes, int32(class))
			}
			want := score.NewTable(classes, labels)
			for name, value := range map[string]float64{"pairwise_f": want.PairwiseF(), "ari": want.ARI(), "nmi_max": want.NMI(score.Max), "purity": want.Purity()} {
				if v, err := strconv.ParseFloat(got[name], 64); err != nil || math.Abs(v-value) > 1e-12 {
					t.Errorf("%s is %s instead of %v", name, got[name], value)
				}
			}
			if s, err := strconv.ParseFloat(got["silhouette"], 64); err != nil || !(s > 0.1 && s < 1) {
				t.Errorf("silhouette %s of three clear clusters", got["silhouette"])
			}
		})
	}
}

func TestNoRunReplacesTablesThatAFlagOfItReads(t *testing.T) {
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	// A run whose tables can be read as pairs, groups and constraints.
	fit := []string{"fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "out.duckdb", "--into", "ours", "-q", "--replace"}
	pairs := "SELECT 1 AS a, 2 AS b, 'must' AS kind"
	succeed(t, dir, append(fit, "-a", "pckm", "--pairs", pairs)...)
	before, _ := stored(t, filepath.Join(dir, "out.duckdb"))
	for name, flags := range map[string][]string{
		"pairs":       {"-a", "pckm", "--pairs", "SELECT a.id AS a, b.id AS b, 'must' AS kind FROM ours_assignments a JOIN ours_assignments b ON a.id + 1 = b.id"},
		"groups":      {"-a", "kmeans", "--groups", "SELECT DISTINCT feature, 'all' AS feature_group FROM ours_centers"},
		"constraints": {"-a", "kmeans", "--constraints", "SELECT DISTINCT 'ge' AS kind, feature, NULL AS cluster, 0 AS value FROM ours_centers"},
	} {
		o := sqlcluster(t, dir, slices.Concat(fit, flags)...)
		if o.code != 3 || !strings.Contains(o.stderr, "replaces-its-input") {
			t.Errorf("%s: exit code %d and not 3 with replaces-its-input\n%s", name, o.code, o.stderr)
		}
		if after, _ := stored(t, filepath.Join(dir, "out.duckdb")); !cmp.Equal(before, after) {
			t.Errorf("%s: the tables have changed", name)
		}
	}
	// Another name is fine, and so is a start: a run may begin where it ended.
	succeed(t, dir, append(slices.Clone(fit), "-a", "pckm", "--pairs", pairs, "--start", "FROM ours_centers")...)
	other := append(slices.Clone(fit), "-a", "kmeans", "--groups", "SELECT DISTINCT feature, 'all' AS feature_group FROM ours_centers")
	other[slices.Index(other, "ours")] = "other"
	succeed(t, dir, other...)
}
