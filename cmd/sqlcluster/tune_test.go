package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// someClasses is the ionosphere data with the class of every third row.
const someClasses = "SELECT * REPLACE (CASE WHEN id % 3 = 0 THEN class END AS class) "

// tuneArgs cross-validates two bounds on it.
func tuneArgs(t *testing.T, more ...string) []string {
	t.Helper()
	query := someClasses + rowsOf(t, absolute(t, "../../examples/ionosphere.csv"))
	return append([]string{"tune", query, "--id", "id", "--truth", "class", "-a", "pcskm", "-k", "2", "--scale", "raw", "--init", "dkm++",
		"--grid", "1.5,2.5", "--folds", "4", "--share", "0.2"}, more...)
}

func TestATuningDependsOnNeitherThreadsNorTheOrderOfRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var texts []string
	for threads, order := range map[string]string{"1": "", "3": " ORDER BY hash(id)"} {
		args := tuneArgs(t, "-o", "json", "--threads", threads)
		args[1] += " WHERE id <= 90" + order
		texts = append(texts, succeed(t, dir, args...).stdout)
	}
	equal(t, texts[0], texts[1], "the tunings")
	values := shown(t, texts[0], "tune")
	if len(values) != 2 {
		t.Errorf("%v", values)
	}
	// Another seed deals the rows anew.
	other := tuneArgs(t, "-o", "json", "--seed", "2", "--repeats", "1")
	other[1], other[slices.Index(other, "--grid")+1] = other[1]+" WHERE id <= 90", "1.5"
	if v := shown(t, succeed(t, dir, other...).stdout, "tune")[0]; v["score"] == values[0]["score"] {
		t.Errorf("another seed deals the rows as before: %v", v)
	}
	for _, v := range values {
		if score := v["score"].(float64); !(score > 0.4 && score < 1) || v["fits"] != 4.0 || !(v["standard_error"].(float64) > 0) {
			t.Errorf("%v", v)
		}
	}
}

func TestTheChosenValueIsFittedWithAllPairsAsFitWouldDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := tuneArgs(t, "--db", "out.duckdb", "--into", "tuned", "--repeats", "2")
	args[1] += " WHERE id <= 90"
	args[slices.Index(args, "--share")+1] = "1"
	served(t, dir, args...)
	same := []string{"assignments", "features", "centers", "clusters", "violations", "trace"}
	tuned := tablesOf(t, filepath.Join(dir, "out.duckdb"), "tuned", append(same, "tune", "tune_folds")...)
	best := ""
	for _, v := range tuned["tune"] {
		if v["best"] == true {
			best = fmt.Sprint(v["value"])
		}
	}
	folds := tuned["tune_folds"]
	if len(folds) != 2*2*4 {
		t.Errorf("%d fits", len(folds))
	}
	for _, f := range folds { // 30 rows, of which 7 or 8 are held out: 23·22/2 and 22·21/2 pairs
		if f["pairs"] != 253.0 && f["pairs"] != 231.0 {
			t.Errorf("%v", f)
		}
	}
	path := rowsOf(t, absolute(t, "../../examples/ionosphere.csv"))
	pairs := fmt.Sprintf("SELECT a.id AS a, b.id AS b, CASE WHEN a.class = b.class THEN 'must' ELSE 'cannot' END AS kind FROM (%[1]s) a "+
		"JOIN (%[1]s) b ON a.id < b.id WHERE a.id %% 3 = 0 AND b.id %% 3 = 0 AND b.id <= 90", path)
	rows := path + " WHERE id <= 90"
	succeed(t, dir, "fit", rows, "--id", "id", "--exclude", "class", "-a", "pcskm", "-k", "2", "--scale", "raw", "--init", "dkm++",
		"--l1-bound", best,
		"--pairs", pairs, "--db", "out.duckdb", "--into", "fitted")
	fitted := tablesOf(t, filepath.Join(dir, "out.duckdb"), "fitted", same...)
	for _, name := range same {
		equal(t, fitted[name], tuned[name], "%s", name)
	}
	for _, f := range tuned["features"] {
		if f["feature"] == "class" {
			t.Error("the class is a feature")
		}
	}
	paramsAre(t, dir, "tuned", map[string]string{"l1_bound": best + " tune", "truth": "class flag", "folds": "4 flag"})
	succeed(t, dir, "predict", "tuned", path, "--id", "id", "--db", "out.duckdb", "-q")
	succeed(t, dir, "drop", "tuned", "--db", "out.duckdb")
	if o := succeed(t, dir, "runs", "--db", "out.duckdb", "-o", "csv"); strings.Count(o.stdout, "\n") != 2 {
		t.Error(o.stdout)
	}
}

func TestAMethodWithoutPairsIsTunedByOneFitAValue(t *testing.T) {
	t.Parallel()
	dir, wine := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	o := succeed(t, dir, "tune", wine, "--id", "id", "--truth", "class", "-a", "skfr", "-k", "3", "--grid", "1,6,13", "--folds", "5",
		"--restarts", "3",
		"--choose", "one-se", "--no-fit", "--db", "out.duckdb", "--into", "w")
	says(t, o.stdout, "one fit serves all folds")
	values := shown(t, succeed(t, dir, "show", "w", "--db", "out.duckdb", "-o", "json").stdout, "tune")
	for i, selected := range []float64{1, 6, 13} {
		if v := values[i]; v["selected"] != selected || v["fits"] != 5.0 || v["status"] != "settled" {
			t.Errorf("%v", v)
		}
	}
	if low, high := values[0]["score"].(float64), values[1]["score"].(float64); !(low < 0.75 && high > 0.8) {
		t.Errorf("one feature scores %v, six %v", low, high) // alone none tells the cultivars apart
	}
	if o := sqlcluster(t, dir, "show", "w", "assignments", "--db", "out.duckdb"); o.code != 3 {
		t.Errorf("a tuning without a fit has assignments: %s", o.stdout)
	}
	if o := sqlcluster(t, dir, "predict", "w", wine, "--id", "id", "--db", "out.duckdb"); o.code != 3 ||
		!strings.Contains(o.stderr, "no model") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

func TestPairsThatAreGivenAreTunedWithoutThoseOfHeldOutRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := tuneArgs(t, "-o", "json")
	args = append(args[:len(args)-4], "-o", "json", "--db", "out.duckdb", "--into", "p", // without --share
		"--pairs", "SELECT i AS a, i + 1 AS b, 'must' AS kind FROM range(1, 90) t(i)")
	args[1] += " WHERE id <= 90"
	succeed(t, dir, args...)
	for _, f := range tablesOf(t, filepath.Join(dir, "out.duckdb"), "p", "tune_folds")["tune_folds"] {
		// 7 or 8 of the 30 rows with a class are held out, each of which has two pairs
		// of its own, but the last one.
		if n := f["pairs"].(float64); n > 89-2*7+1 || n < 89-2*8 {
			t.Errorf("%v", f)
		}
	}
}

func TestAnInterruptedTuningWritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := "SELECT i AS id, i % 2 AS c, hash(i) % 1000 AS x, hash(i + 7) % 1000 AS y, hash(i * 3) % 997 AS z FROM range(200000) t(i)"
	o := sqlcluster(t, dir, "tune", big, "--id", "id", "--truth", "c", "-a", "skfr", "-k", "30", "--points", "3", "--db", "out.duckdb",
		"--into", "w",
		"--timeout", "1ms", "--keep-partial")
	if o.code == 0 || o.code == 130 {
		t.Errorf("with nothing done: exit code %d: %s", o.code, o.stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 1 {
		t.Errorf("left behind: %v", found)
	}
}

func TestSuggestedPairsThatAreLabelledAreKnownInTheNextRound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	base := []string{"pairs", "suggest", path, "--id", "id", "--exclude", "class", "-k", "3", "--count", "12"}
	answers := fmt.Sprintf("SELECT a, b, CASE WHEN x.class = y.class THEN 'must' ELSE 'cannot' END AS kind, weight, why FROM asked JOIN "+
		"(%[1]s) x ON x.id = a JOIN (%[1]s) y ON y.id = b", path)
	for _, method := range []string{"consolidate", "minmax"} {
		t.Run(method, func(t *testing.T) {
			ask := append(slices.Clone(base), "--method", method, "--db", "out.duckdb")
			if method == "minmax" && !clustertest.Campaign { // its second round: package suggest
				if got := shown(t, succeed(t, dir, append(ask, "-o", "json")...).stdout, "suggestions"); len(got) != 12 {
					t.Errorf("%v", got)
				}
				return
			}
			succeed(t, dir, append(ask, "--into", "asked", "--replace")...)
			first := shown(t, succeed(t, dir, append(ask, "-o", "json")...).stdout, "suggestions")
			if len(first) != 12 || first[0]["kind"] != nil || first[0]["weight"] != 1.0 || first[0]["why"] == nil {
				t.Fatalf("%v", first)
			}
			second := shown(t, succeed(t, dir, append(ask, "--pairs", answers, "-o", "json")...).stdout, "suggestions")
			asked := map[string]bool{}
			for _, p := range first {
				asked[fmt.Sprint(p["a"], p["b"])] = true
			}
			for _, p := range second {
				if asked[fmt.Sprint(p["a"], p["b"])] || asked[fmt.Sprint(p["b"], p["a"])] {
					t.Errorf("asked again: %v", p)
				}
			}
			again := succeed(t, dir, append(ask, "--pairs", answers+" ORDER BY hash(a)", "-o", "json", "--threads", "1")...).stdout
			equal(t, second, shown(t, again, "suggestions"), "the suggestions with the answers in another order")
			// The answers are pairs for a fit, and what has none is left out.
			some := strings.Replace(answers, "CASE WHEN", "CASE WHEN a % 2 = 0 THEN NULL WHEN", 1)
			o := succeed(t, dir, "fit", path, "--id", "id", "--exclude", "class", "-a", "pckm", "-k", "3", "--pairs", some, "--db", "out.duckdb")
			says(t, o.stderr, "no kind yet and therefore no effect")
			if o := sqlcluster(t, dir, append(ask, "--pairs", answers, "--into", "asked", "--replace")...); o.code != 3 ||
				!strings.Contains(o.stderr, "replaces-its-input") {
				t.Errorf("answers would be lost: exit code %d: %s", o.code, o.stderr)
			}
		})
	}
}

func TestAFitOfAChosenKIsThatOfThisK(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wine := "SELECT * " + rowsOf(t, absolute(t, "../../examples/wine.csv"))
	fit := []string{"fit", wine, "--id", "id", "--exclude", "class", "-o", "csv", "-q"}
	equal(t, succeed(t, dir, append(fit, "-k", "3")...).stdout, succeed(t, dir, append(fit, "-k", "2:4")...).stdout, "the assignments")
	even := "SELECT i AS id, i % 15 AS x, i // 15 AS y FROM range(225) t(i)"
	fails(t, dir, 3, "no-structure", "fit", even, "--id", "id", "-k", "auto", "-q", "-o", "csv")
}

func TestNumbersOfClustersThatLimitsOrClassesDoNotAllowSaySo(t *testing.T) {
	t.Parallel()
	dir, from := t.TempDir(), rowsOf(t, absolute(t, "../../examples/wine.csv"))
	for _, more := range [][]string{{"--draws", "3"}, {"--sample", "90", "--draws", "3"}, {"-a", "skfr", "--points", "2", "--draws", "3"},
		{"--method", "stability,silhouette", "--draws", "3"}} {
		o := succeed(t, dir, append([]string{"tune", "SELECT * " + from, "--id", "id", "--exclude", "class", "-k", "2:4", "--labels",
			"SELECT id, class " + from + " WHERE id % 10 = 0",
			"--constraints", "SELECT 'size' AS kind, 3 AS cluster, 20 AS lo", "-o", "json"}, more...)...)
		for _, row := range shown(t, o.stdout, "tune") {
			want := map[float64]string{2: "too-many-classes", 3: "bad-constraints", 4: "settled"}[row["k"].(float64)] // there is no k = 1
			if status := row["status"]; status != want {
				t.Errorf("%v: k = %v: %v", more, row["k"], status)
			}
		}
	}
}
