package main

import (
	"math"
	"slices"
	"strings"
	"testing"
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
