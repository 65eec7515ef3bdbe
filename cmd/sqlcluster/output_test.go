package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// fourRows is a relation with a NULL, in two groups.
const fourRows = "SELECT * FROM (VALUES ('a', 1.0, 5.0), ('b', 1.5, NULL), ('c', 9.0, 5.5), ('d', 9.5, 5.0)) t(name, x, y)"

// sixtyRows is a relation with categories: an ordered one, a constant one and a
// rare one.
const sixtyRows = `SELECT i AS id, i % 5 AS a, (['low', 'high'])[1 + i // 30]::ENUM('low', 'never', 'high') AS b, 'one' AS c,
  CASE i WHEN 7 THEN 'rare' ELSE 'usual' END AS d, 1 + i % 2 AS w FROM range(60) t(i)`

// wideRows has 80 columns, most of whose cells are 0.
const wideRows = `SELECT * FROM (PIVOT (SELECT r AS id, format('f{:02d}', c) AS f, ` +
	`CASE WHEN c % 3 = r % 2 THEN 1 + (r * c) % 5 ELSE 0 END AS v ` +
	`FROM range(20) t(r), range(80) u(c)) ON f IN (SELECT format('f{:02d}', range) FROM range(80)) USING first(v) GROUP BY id)`

// labelledRows has two classes, of which x tells, and rows without a class.
const labelledRows = `SELECT i AS id, i % 7 AS noise, i // 15 * 10 + i % 4 AS x, CASE WHEN i % 5 > 0 THEN ['a', 'b'][1 + i // 15] END AS ` +
	`class FROM range(30) t(i)`

func TestEveryOutputFormatIsStable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "-a", "skfr", "--sparsity", "1", "--db", "out.duckdb", "--into", "four", "-q")
	var got strings.Builder
	for _, args := range [][]string{
		{"fit", fourRows, "--id", "name", "-k", "2", "-a", "skfr", "--sparsity", "1", "-o", "json"},
		{"fit", fourRows, "--id", "name", "-k", "2", "-a", "skfr", "--sparsity", "1", "--scope", "local"},
		{"show", "four", "assignments", "--db", "out.duckdb", "-o", "jsonl"},
		{"show", "four", "features", "--db", "out.duckdb", "-o", "csv"},
		{"show", "four", "--db", "out.duckdb", "-o", "markdown"},
		{"show", "four", "centers", "--db", "out.duckdb"},
		{"show", "four", "centers", "--db", "out.duckdb", "--top", "1", "-o", "csv"},
		{"show", "four", "features", "--db", "out.duckdb", "--top", "1", "-o", "json"},
		{"fit", wideRows, "--id", "id", "-k", "2", "-a", "skfr", "--sparsity", "60", "--db", "out.duckdb", "--into", "wide", "--center-rows",
			"nonzero"},
		{"fit", wideRows, "--id", "id", "-k", "2", "--exclude", "f*4"},
		{"predict", "four", fourRows, "--id", "name", "--db", "out.duckdb"},
		{"check", fourRows, "--id", "name", "-k", "2"},
		{"fit", "SELECT i AS id, i % 5 AS a, 0.1 AS c FROM range(20) t(i)", "--id", "id", "-k", "2"},
		{"fit", "SELECT i AS id, i % 5 AS a FROM range(200) t(i)", "--id", "id", "-k", "2", "--batch", "50", "--db", "out.duckdb", "--into",
			"batched"},
		{"show", "batched", "--db", "out.duckdb"},
		{"fit", sixtyRows, "--id", "id", "--categorical", "b,c,d", "-k", "2", "--weight", "w"},
		{"check", sixtyRows, "--id", "id", "--categorical", "b,c,d", "--null-category", "level", "-k", "2", "-o", "csv"},
		{"tune", labelledRows, "--id", "id", "--truth", "class", "-a", "skm", "-k", "2", "--grid", "1,1.2", "--folds", "3"},
		{"tune", labelledRows, "--id", "id", "--truth", "class", "-a", "skm", "-k", "2", "--grid", "1.2", "--folds", "3", "-o", "json"},
		{"tune", labelledRows, "--id", "id", "--truth", "class", "-a", "pcskm", "-k", "2", "--grid", "1,1.2", "--folds", "3", "--share", "0.5",
			"-o", "csv"},
		{"tune", labelledRows, "--id", "id", "--truth", "class", "-a", "pcskm", "-k", "2", "--grid", "1,1.2", "--folds", "3", "--db",
			"out.duckdb", "--into", "tuned"},
		{"pairs", "suggest", labelledRows, "--id", "id", "--exclude", "class", "-k", "3", "--count", "4"},
		{"pairs", "suggest", labelledRows, "--id", "id", "--exclude", "class", "-k", "2", "--count", "2", "-o", "csv", "--pairs",
			"SELECT 0 AS a, 29 AS b, 'cannot' AS kind"},
	} {
		o := succeed(t, dir, args...)
		fmt.Fprintf(&got, "$ sqlcluster %s\n%s%s\n", strings.Join(args, " "), o.stdout, o.stderr)
	}
	golden(t, "testdata/outputs.golden", got.String())
}

func TestAFlagBeatsTheEnvironmentBeatsTheFilesBeatTheDefault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "sqlcluster.toml", "restarts = 3\nmax_iter = 33\nseed = 333\n")
	write(t, dir, ".config/sqlcluster/config.toml", "restarts = 4\nmax_iter = 44\nseed = 444\ntol = 0.25\nsparsity = 9\n")
	fit := []string{"fit", fourRows, "--id", "name", "-k", "2", "--restarts", "1", "--db", "out.duckdb", "--into", "four"}
	succeeded(t, ended(t, command(t, dir, fit...), "SQLCLUSTER_RESTARTS=2", "SQLCLUSTER_MAX_ITER=22"), fit)
	paramsAre(t, dir, "four", map[string]string{
		"restarts": "1 flag", "max-iter": "22 SQLCLUSTER_MAX_ITER", "seed": "333 sqlcluster.toml",
		"tol": "0.25 " + filepath.Join(dir, ".config/sqlcluster/config.toml"), "init": "kmeans++ default",
	})

	write(t, dir, "sqlcluster.toml", "restart = 3\n")
	o := sqlcluster(t, dir, "runs", "--db", "out.duckdb")
	if want := "error[bad-config]: the configuration has an unknown name \"restart\"\n  did you mean: restarts\n"; o.code != 2 ||
		!strings.HasPrefix(o.stderr, want) {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// paramsAre asks that show says so of some parameters of a run: "value origin" by
// name.
func paramsAre(t *testing.T, dir, run string, want map[string]string) {
	t.Helper()
	var shown struct {
		Params []struct{ Parameter, Value, Origin string }
	}
	must.Do(t, json.Unmarshal([]byte(succeed(t, dir, "show", run, "params", "--db", "out.duckdb", "-o", "json").stdout), &shown))
	got := map[string]string{}
	for _, p := range shown.Params {
		if _, asked := want[p.Parameter]; asked {
			got[p.Parameter] = p.Value + " " + p.Origin
		}
	}
	equal(t, want, got, "the parameters of %s", run)
}

func TestEveryElementOfAListInAFileIsAValue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fit := func(into string, args ...string) {
		t.Helper()
		succeed(t, dir, append([]string{"fit", fourRows, "--id", "name", "-k", "2", "--db", "out.duckdb", "--into", into}, args...)...)
	}
	write(t, dir, "sqlcluster.toml", "param = [\"sparsity=1\", \"scope=local\"]\nfeatures = [\"x\", \"y\"]\n")
	fit("listed", "-a", "skfr")
	paramsAre(t, dir, "listed", map[string]string{"sparsity": "1 sqlcluster.toml", "scope": "local sqlcluster.toml",
		"features": "x,y sqlcluster.toml"})
	fit("beaten", "-a", "skfr", "--sparsity", "2")
	paramsAre(t, dir, "beaten", map[string]string{"sparsity": "2 flag", "scope": "local sqlcluster.toml"})
	fit("other", "-a", "kmeans") // parameters of another algorithm

	for text, message := range map[string]string{
		"id = [\"a\", \"b\"]\n": "error[bad-config]: id is a list; it must be one value\n  where: sqlcluster.toml\n",
		"param = [[\"sparsity=1\"]]\n": "error[bad-config]: param contains a table or a list, which no flag takes\n  where: " +
			"sqlcluster.toml\n",
		"[param]\nsparsity = 1\n": "error[bad-config]: param contains a table or a list, which no flag takes\n  where: " +
			"sqlcluster.toml\n",
		"param = [\"loss=l1\", \"loss=l2\"]": "error[bad-flag]: the parameter loss is given twice\n  where: param in sqlcluster.toml\n",
	} {
		write(t, dir, "sqlcluster.toml", text)
		if o := sqlcluster(t, dir, "fit", fourRows, "-k", "2"); o.code != 2 || o.stderr != message {
			t.Errorf("%q: exit code %d: %s", text, o.code, o.stderr)
		}
	}
}

func TestStartsAreTakenInAllThreeShapesAndKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, start := range map[string]string{
		"labels":  "SELECT name, CASE WHEN x > 5 THEN 0 ELSE 1 END AS cluster FROM (" + fourRows + ")",
		"centers": "SELECT * FROM (VALUES (0, 'x', 9.0), (0, 'y', 5.0), (1, 'x', 1.0), (1, 'y', 5.0)) t(cluster, feature, center)",
		"rows":    "SELECT * FROM (VALUES ('d'), ('a')) t(name)",
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--start", start, "-o", "csv", "-q")
			// a, b are near 1; c, d near 9, which every start calls 0.
			equal(t, []string{"1", "1", "0", "0"}, column(t, got, "cluster"), "clusters")
		})
	}
}

func TestANameInQuotesIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const name = `"two ""words"".here"`
	succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--db", "out.duckdb", "--into", name)
	if o := succeed(t, dir, "show", name, "--db", "out.duckdb", "-o", "csv"); !strings.HasPrefix(o.stdout, "cluster,") {
		t.Error(o.stdout)
	}
	o := succeed(t, dir, "fit", `SELECT * FROM "two ""words"".here_assignments"`, "--id", "name", "-k", "2", "--db", "out.duckdb",
		"--features", "distance", "-o", "csv")
	if lines := strings.Count(o.stdout, "\n"); lines != 5 { // a header and four rows
		t.Errorf("%d lines: %s", lines, o.stdout)
	}
}
