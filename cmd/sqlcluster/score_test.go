package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// measuredScores returns the scores of the rows themselves, and of how many.
func measuredScores(t *testing.T, dir, run string, more ...string) map[string][2]string {
	t.Helper()
	scores, _ := scoresAndNotes(t, dir, run, more...)
	return scores
}

// scoresAndNotes returns what the command says of them, too.
func scoresAndNotes(t *testing.T, dir, run string, more ...string) (scores map[string][2]string, notes string) {
	t.Helper()
	out := map[string][2]string{}
	o := succeed(t, dir, slices.Concat([]string{"score", run, "--db", "out.duckdb", "-o", "csv", "--sample", "0"}, more)...)
	for _, line := range strings.Split(o.stdout, "\n") {
		if cells := strings.Split(line, ","); len(cells) == 4 {
			out[cells[0]] = [2]string{cells[1], cells[3]}
		}
	}
	if len(out) < 3 {
		t.Fatalf("scores %v", out)
	}
	return out, o.stderr
}

func TestScoresOfARunWithRowWeightsAreThoseOfEachRowAsOftenAsItsWeightSays(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	flags := []string{"-k", "3", "--exclude", "id,class,w,copy", "--init", "maximin", "--db", "out.duckdb", "-q"}
	rows := "SELECT *, 1 + id % 3 AS w, 0 AS copy " + wine
	repeated := "SELECT w.* REPLACE (id * 10 + c AS id), 1 AS w, c AS copy FROM (" + wine + ") w, range(3) t(c) WHERE c <= id % 3"
	succeed(t, dir, slices.Concat([]string{"fit", rows, "--id", "id", "--weight", "w", "--into", "weighted"}, flags)...)
	succeed(t, dir, slices.Concat([]string{"fit", repeated, "--id", "id", "--into", "repeated"}, flags)...)
	weighted, want := measuredScores(t, dir, "weighted"), measuredScores(t, dir, "repeated")
	for _, name := range []string{"silhouette", "explained_variance"} {
		if math.Abs(number(t, weighted[name][0])-number(t, want[name][0])) > 1e-9 {
			t.Errorf("%s is %s, and %s of repeated rows", name, weighted[name][0], want[name][0])
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
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	rows := "SELECT * REPLACE (CASE WHEN id = 5 THEN NULL ELSE hue END AS hue) " + wine
	algorithms := [][]string{{"skfr", "--sparsity", "5"}}
	if clustertest.Campaign {
		algorithms = append(algorithms, []string{"kmeans"})
	}
	for _, algorithm := range algorithms {
		t.Run(algorithm[0], func(t *testing.T) {
			flags := slices.Concat([]string{"--id", "id", "--exclude", "class", "-k", "3", "--init", "maximin", "--db", "out.duckdb", "-q", "-a"},
				algorithm)
			succeed(t, dir, slices.Concat([]string{"fit", rows, "--nulls", "drop", "--into", algorithm[0]}, flags)...)
			succeed(t, dir, slices.Concat([]string{"fit", wine + " WHERE id <> 5", "--into", algorithm[0] + "_without"}, flags)...)
			got, notes := scoresAndNotes(t, dir, algorithm[0], "--truth", "class")
			want := measuredScores(t, dir, algorithm[0]+"_without", "--truth", "class")
			equal(t, want, got, "other scores than without the row")
			if got["silhouette"][1] != "177" { // 178 rows but one
				t.Errorf("the silhouette is of %s rows", got["silhouette"][1])
			}
			if want := "note: 1 row has no cluster in the run, and is left out\n"; notes != want {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestScoresAreThoseOfTheRowsThatRunAndRelationHave(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	// No row of the run has the category 'late'.
	from := "SELECT *, CASE WHEN id > 130 THEN 'late' WHEN id % 2 = 0 THEN 'even' ELSE 'odd' END AS variety, 1 + id % 3 AS w " + wine
	part := from + " WHERE id <= 100"
	flags := []string{"--exclude", "class,id", "--categorical", "variety", "--weight", "w", "-k", "3", "--init", "maximin", "--db",
		"out.duckdb", "-q"}
	succeed(t, dir, slices.Concat([]string{"fit", part, "--id", "id", "--into", "part"}, flags)...)
	succeed(t, dir, slices.Concat([]string{"fit", part + " ORDER BY id", "--into", "numbered"}, flags)...)
	truth := []string{"--truth", "class"}
	for _, test := range []struct{ what, run, relation, same, note string }{
		{"more rows, without a key", "numbered", from + " ORDER BY id", part + " ORDER BY id",
			"note: 78 rows of the relation are not in the run, and 0 rows of the run are not in the relation: only those in both are scored\n"},
		{"some and others, in another order", "part", from + " AND id > 40 ORDER BY id DESC", part + " AND id > 40",
			"note: 78 rows of the relation are not in the run, and 40 rows of the run are not in the relation: only those in both are scored\n"},
	} {
		t.Run(test.what, func(t *testing.T) {
			relation := strings.Replace(test.relation, " AND ", " WHERE ", 1)
			got, notes := scoresAndNotes(t, dir, test.run, append([]string{relation}, truth...)...)
			want := measuredScores(t, dir, test.run, append([]string{test.same}, truth...)...)
			equal(t, want, got, "rows of the relation that the run does not have change scores")
			if notes != test.note {
				t.Errorf("notes %q", notes)
			}
		})
	}
	for bound, want := range map[string]string{
		" > 100":  "no row of the relation has a cluster in run \"part\"; at least 2 are needed",
		" >= 100": "only 1 row of the relation has a cluster in run \"part\"; at least 2 are needed",
	} {
		want = "error[too-few-common-rows]: " + want +
			"\n  where: RELATION\n  hint:  rows are found by the key of the run, column \"id\": give a relation with the same keys\n"
		args := []string{"score", "part", from + " WHERE id" + bound, "--db", "out.duckdb"}
		if bound == " > 100" {
			args = append(args, truth...) // and once without
		}
		if o := sqlcluster(t, dir, args...); o.code != 3 || o.stderr != want || o.stdout != "" {
			t.Errorf("%q: exit code %d\n%s", args, o.code, o.stderr)
		}
	}
}

// The silhouettes of rows are those whose mean is the score, by row weight.
func TestSilhouettesOfRowsAverageToThatOfTheRun(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	rows := "SELECT * REPLACE (CASE WHEN id = 5 THEN NULL ELSE hue END AS hue), 1 + id % 3 AS w " + wine + " ORDER BY hash(id)"
	succeed(t, dir, "fit", rows, "--id", "id", "--exclude", "class", "--weight", "w", "-a", "skm", "--l1-bound", "2.5", "--nulls",
		"drop", "-k", "3",
		"--restarts", "2", "--db", "out.duckdb", "--into", "r", "-q")
	want := measuredScores(t, dir, "r", "--rows", "--into", "r")
	o := succeed(t, dir, "sql", "out.duckdb", "-q", "-o", "csv", "-c",
		"SELECT count(*), bool_and(s.cluster = a.cluster AND nearest_other <> s.cluster), "+
			"sum(silhouette * (1 + id % 3)) / sum(1 + id % 3), list(id ORDER BY s.rowid) = list(id ORDER BY id) "+
			"FROM r_silhouettes s JOIN r_assignments a USING (id)")
	cells := strings.Split(strings.TrimSpace(strings.Split(o.stdout, "\n")[1]), ",")
	if len(cells) != 4 || cells[0] != "177" || cells[1] != "true" || cells[3] != "true" { // 178 rows but one
		t.Fatalf("%q", o.stdout)
	}
	if math.Abs(number(t, cells[2])-number(t, want["silhouette"][0])) > 1e-12 {
		t.Errorf("mean %s, silhouette %s", cells[2], want["silhouette"][0])
	}
	shown := succeed(t, dir, "score", "r", "--rows", "--db", "out.duckdb", "-o", "csv", "-q")
	stored := succeed(t, dir, "show", "r", "silhouettes", "--db", "out.duckdb", "-o", "csv", "-q")
	if shown.stdout != stored.stdout {
		t.Errorf("shown %.200q, stored %.200q", shown.stdout, stored.stdout)
	}
}
