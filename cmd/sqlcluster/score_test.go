package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measuredScores returns the scores of the rows themselves, and of how many.
func measuredScores(t *testing.T, dir, run string, more ...string) map[string][2]string {
	t.Helper()
	out := map[string][2]string{}
	for _, line := range strings.Split(succeed(t, dir, slices.Concat([]string{"score", run, "--db", "out.duckdb", "-o", "csv", "--sample", "0"}, more)...).stdout, "\n") {
		if cells := strings.Split(line, ","); len(cells) == 4 {
			out[cells[0]] = [2]string{cells[1], cells[3]}
		}
	}
	if len(out) < 3 {
		t.Fatalf("scores %v", out)
	}
	return out
}

func TestScoresOfARunWithRowWeightsAreThoseOfEachRowAsOftenAsItsWeightSays(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	flags := []string{"-k", "3", "--exclude", "id,class,w,copy", "--init", "maximin", "--db", "out.duckdb", "-q"}
	rows := "SELECT *, 1 + id % 3 AS w, 0 AS copy FROM '" + wine + "'"
	repeated := "SELECT w.* REPLACE (id * 10 + c AS id), 1 AS w, c AS copy FROM '" + wine + "' w, range(3) t(c) WHERE c <= id % 3"
	succeed(t, dir, slices.Concat([]string{"fit", rows, "--id", "id", "--weight", "w", "--into", "weighted"}, flags)...)
	succeed(t, dir, slices.Concat([]string{"fit", rows, "--id", "id", "--into", "plain"}, flags)...)
	succeed(t, dir, slices.Concat([]string{"fit", repeated, "--id", "id", "--into", "repeated"}, flags)...)
	weighted, plain, want := measuredScores(t, dir, "weighted"), measuredScores(t, dir, "plain"), measuredScores(t, dir, "repeated")
	for _, name := range []string{"silhouette", "explained_variance"} {
		if math.Abs(number(t, weighted[name][0])-number(t, want[name][0])) > 1e-9 {
			t.Errorf("%s is %s, and %s of repeated rows", name, weighted[name][0], want[name][0])
		}
		if weighted[name] == plain[name] {
			t.Errorf("%s is the same with and without weights", name)
		}
		if weighted[name][1] != "178" { // the rows of wine
			t.Errorf("%s is of %s rows", name, weighted[name][1])
		}
	}
	// The relation that is given instead must have the weights.
	o := sqlcluster(t, dir, "score", "weighted", wine, "--db", "out.duckdb")
	if o.code != 3 || !strings.Contains(o.stderr, `"w"`) || !strings.Contains(o.stderr, "--weight") {
		t.Errorf("a relation without the weights: exit code %d\n%s", o.code, o.stderr)
	}
}

func TestARowThatTheFitLeftOutIsNotScored(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	rows := "SELECT * REPLACE (CASE WHEN id = 5 THEN NULL ELSE hue END AS hue) FROM '" + wine + "'"
	for _, algorithm := range [][]string{{"kmeans"}, {"skfr", "--sparsity", "5"}} {
		t.Run(algorithm[0], func(t *testing.T) {
			flags := slices.Concat([]string{"--id", "id", "--exclude", "class", "-k", "3", "--init", "maximin", "--db", "out.duckdb", "-q", "-a"}, algorithm)
			succeed(t, dir, slices.Concat([]string{"fit", rows, "--nulls", "drop", "--into", algorithm[0]}, flags)...)
			succeed(t, dir, slices.Concat([]string{"fit", "FROM '" + wine + "' WHERE id <> 5", "--into", algorithm[0] + "_without"}, flags)...)
			got, want := measuredScores(t, dir, algorithm[0], "--truth", "class"), measuredScores(t, dir, algorithm[0]+"_without", "--truth", "class")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("other scores than without the row: %s", diff)
			}
			if got["silhouette"][1] != "177" { // 178 rows but one
				t.Errorf("the silhouette is of %s rows", got["silhouette"][1])
			}
			o := succeed(t, dir, "score", algorithm[0], "--db", "out.duckdb")
			if want := "note: 1 row has no cluster in the run, and is left out\n"; o.stderr != want {
				t.Errorf("notes %q", o.stderr)
			}
		})
	}
}

func TestScoresAreThoseOfTheRowsThatRunAndRelationHave(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	// No row of the run has the category 'late'.
	from := "SELECT *, CASE WHEN id > 130 THEN 'late' WHEN id % 2 = 0 THEN 'even' ELSE 'odd' END AS variety, 1 + id % 3 AS w FROM '" + wine + "'"
	part := from + " WHERE id <= 100"
	flags := []string{"--exclude", "class,id", "--categorical", "variety", "--weight", "w", "-k", "3", "--init", "maximin", "--db", "out.duckdb", "-q"}
	succeed(t, dir, slices.Concat([]string{"fit", part, "--id", "id", "--into", "part"}, flags)...)
	succeed(t, dir, slices.Concat([]string{"fit", part + " ORDER BY id", "--into", "numbered"}, flags)...)
	truth := []string{"--truth", "class"}
	for _, test := range []struct{ what, run, relation, same, note string }{
		{"more rows, in another order", "part", from + " ORDER BY id DESC", part,
			"note: 78 rows of the relation are not in the run, and 0 rows of the run are not in the relation: only those in both are scored\n"},
		{"more rows, without a key", "numbered", from + " ORDER BY id", part + " ORDER BY id",
			"note: 78 rows of the relation are not in the run, and 0 rows of the run are not in the relation: only those in both are scored\n"},
		{"some and others", "part", from + " AND id > 40", part + " AND id > 40",
			"note: 78 rows of the relation are not in the run, and 40 rows of the run are not in the relation: only those in both are scored\n"},
	} {
		t.Run(test.what, func(t *testing.T) {
			relation := strings.Replace(test.relation, " AND ", " WHERE ", 1)
			got, want := measuredScores(t, dir, test.run, append([]string{relation}, truth...)...), measuredScores(t, dir, test.run, append([]string{test.same}, truth...)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows of the relation that the run does not have change scores: %s", diff)
			}
			if o := succeed(t, dir, "score", test.run, relation, "--db", "out.duckdb"); o.stderr != test.note {
				t.Errorf("notes %q", o.stderr)
			}
		})
	}
	for relation, want := range map[string]string{
		from + " WHERE id > 100":  "no row of the relation has a cluster in run \"part\"; at least 2 are needed",
		from + " WHERE id >= 100": "only 1 row of the relation has a cluster in run \"part\"; at least 2 are needed",
	} {
		want = "error[too-few-common-rows]: " + want + "\n  where: RELATION\n  hint:  rows are found by the key of the run, column \"id\": give a relation with the same keys\n"
		for _, more := range [][]string{nil, truth} {
			if o := sqlcluster(t, dir, slices.Concat([]string{"score", "part", relation, "--db", "out.duckdb"}, more)...); o.code != 3 || o.stderr != want || o.stdout != "" {
				t.Errorf("%s: exit code %d\n%s", relation, o.code, o.stderr)
			}
		}
	}
}
