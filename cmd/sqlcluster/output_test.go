package main

import (
	"encoding/json"
	"fmt"
	"os"
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
		{"predict", "four", fourRows, "--id", "name", "--db", "out.duckdb"},
		{"check", fourRows, "--id", "name", "-k", "2"},
		{"fit", "SELECT i AS id, i % 5 AS a, 0.1 AS c FROM range(20) t(i)", "--id", "id", "-k", "2"},
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
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("sqlcluster.toml", "restarts = 3\nmax_iter = 33\nseed = 333\n")
	write(".config/sqlcluster/config.toml", "restarts = 4\nmax_iter = 44\nseed = 444\ntol = 0.25\nsparsity = 9\n")
	cmd := command(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--restarts", "1", "--db", "out.duckdb", "--into", "four")
	cmd.Env = append(cmd.Env, "SQLCLUSTER_RESTARTS=2", "SQLCLUSTER_MAX_ITER=22")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := shownParams(t, dir, "four")
	for name, want := range map[string]string{
		"restarts": "1 flag", "max-iter": "22 SQLCLUSTER_MAX_ITER", "seed": "333 sqlcluster.toml",
		"tol": "0.25 " + filepath.Join(dir, ".config/sqlcluster/config.toml"), "init": "kmeans++ default",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}

	write("sqlcluster.toml", "restart = 3\n")
	o := sqlcluster(t, dir, "runs", "--db", "out.duckdb")
	if want := "error[bad-config]: the configuration has an unknown name \"restart\"\n  did you mean: restarts\n"; o.code != 2 ||
		!strings.HasPrefix(o.stderr, want) {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// shownParams returns what a run says of its parameters: "value origin" by name.
func shownParams(t *testing.T, dir, run string) map[string]string {
	t.Helper()
	var shown struct {
		Params []struct{ Parameter, Value, Origin string }
	}
	must.Do(t, json.Unmarshal([]byte(succeed(t, dir, "show", run, "params", "--db", "out.duckdb", "-o", "json").stdout), &shown))
	got := map[string]string{}
	for _, p := range shown.Params {
		got[p.Parameter] = p.Value + " " + p.Origin
	}
	return got
}

func TestEveryElementOfAListInAFileIsAValue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(dir, "sqlcluster.toml"), []byte(text), 0o600))
	}
	fit := func(into string, args ...string) outcome {
		t.Helper()
		return sqlcluster(t, dir, append([]string{"fit", fourRows, "--id", "name", "-k", "2", "--db", "out.duckdb", "--into", into}, args...)...)
	}
	want := func(run string, want map[string]string) {
		t.Helper()
		got := shownParams(t, dir, run)
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s: %s is %q, want %q", run, name, got[name], w)
			}
		}
	}
	config("param = [\"sparsity=1\", \"scope=local\"]\nfeatures = [\"x\", \"y\"]\n")
	if o := fit("listed", "-a", "skfr"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	want("listed", map[string]string{"sparsity": "1 sqlcluster.toml", "scope": "local sqlcluster.toml", "features": "x,y sqlcluster.toml"})
	if o := fit("beaten", "-a", "skfr", "--sparsity", "2"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	want("beaten", map[string]string{"sparsity": "2 flag", "scope": "local sqlcluster.toml"})
	if o := fit("other", "-a", "kmeans"); o.code != 0 { // parameters of another algorithm
		t.Fatal(o.stderr)
	}

	for text, message := range map[string]string{
		"id = [\"a\", \"b\"]\n": "error[bad-config]: id is a list; it must be one value\n  where: sqlcluster.toml\n",
		"param = [[\"sparsity=1\"]]\n": "error[bad-config]: param contains a table or a list, which no flag takes\n  where: " +
			"sqlcluster.toml\n",
		"[param]\nsparsity = 1\n": "error[bad-config]: param contains a table or a list, which no flag takes\n  where: " +
			"sqlcluster.toml\n",
		"param = [\"loss=l1\", \"loss=l2\"]": "error[bad-flag]: the parameter loss is given twice\n  where: param in sqlcluster.toml\n",
	} {
		config(text)
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
			o := succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--start", start, "-o", "csv", "-q")
			clusters := ""
			for _, line := range strings.Split(strings.TrimSpace(o.stdout), "\n")[1:] {
				clusters += strings.Split(line, ",")[1]
			}
			if clusters != "1100" { // a, b are near 1; c, d near 9, which every start calls 0
				t.Errorf("clusters %s\n%s", clusters, o.stdout)
			}
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
