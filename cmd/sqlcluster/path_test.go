package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// shown returns the rows of a result as JSON has them.
func shown(t *testing.T, text, table string) []map[string]any {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var rows []map[string]any
	for _, row := range all[table].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// tablesOf returns tables of a run with the values that show writes as JSON, without
// a command for each.
func tablesOf(t *testing.T, path, run string, names ...string) map[string][]map[string]any {
	t.Helper()
	d := must.Get(store.Open(t.Context(), path, store.ReadOnly))(t)
	defer func() { _ = d.Close() }()
	all := map[string][]map[string]any{}
	for _, name := range names {
		columns, cells, err := d.Show(t.Context(), run, name)
		must.Do(t, err)
		text := must.Get(json.Marshal(cells))(t)
		var values [][]any
		must.Do(t, json.Unmarshal(text, &values))
		for _, row := range values {
			named := map[string]any{}
			for i, column := range columns {
				named[column] = row[i]
			}
			all[name] = append(all[name], named)
		}
	}
	return all
}

func TestEveryPointOfAPathIsAFitOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := []string{rowsOf(t, absolute(t, "../../examples/wine.csv")), "--id", "id", "--exclude", "class", "-a", "skfr", "-k", "3",
		"--restarts", "3"}
	var texts []string
	for _, threads := range []string{"1", "3"} {
		texts = append(texts, succeed(t, dir, append([]string{"path", "-o", "json", "--grid", "9,4,1", "--threads", threads}, base...)...).stdout)
	}
	if texts[0] != texts[1] {
		t.Error("threads change the path")
	}
	points := shown(t, texts[0], "path")
	for i, sparsity := range []int{9, 4, 1} {
		point := points[i]
		fit := shown(t, succeed(t, dir, append([]string{"fit", "-o", "json", "--sparsity", fmt.Sprint(sparsity)}, base...)...).stdout, "fit")[0]
		if point["objective"] != fit["objective"] || point["iterations"] != fit["iterations"] || point["selected"] != float64(sparsity) {
			t.Errorf("sparsity %d: point %v, fit %v", sparsity, point, fit)
		}
	}
}

func TestPointsOfPathsAndOfTuningsKeepLimitsAndClassesAsFitsDo(t *testing.T) {
	t.Parallel()
	from := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	labels := "SELECT id, class " + from + " WHERE id % 10 = 0"
	for name, flags := range map[string][]string{
		"limits":  {"--constraints", "SELECT 'size' AS kind, 58 AS lo, 61 AS hi"},
		"classes": {"--labels", labels},
		"both":    {"--labels", "SELECT *, 3 AS weight FROM (" + labels + ")", "--constraints", "SELECT 'share' AS kind, 0.2 AS lo"},
		"a start": {"--labels", labels, "--labels-as", "start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			base := append([]string{"SELECT * " + from, "--id", "id", "--exclude", "class", "-a", "skfr", "-k", "3", "--db", "p.duckdb"}, flags...)
			for _, threads := range []string{"1", "3"} {
				succeed(t, dir, append([]string{"path", "--grid", "9,4", "--assignments", "--into", "path" + threads, "--threads", threads},
					base...)...)
			}
			same := tablesOf(t, dir+"/p.duckdb", "path1", "path", "path_features", "path_assignments")
			must.Equal(t, same, tablesOf(t, dir+"/p.duckdb", "path3", "path", "path_features", "path_assignments"))
			for i, sparsity := range []string{"9", "4"} {
				succeed(t, dir, append([]string{"fit", "--sparsity", sparsity, "--into", "f" + sparsity}, base...)...)
				d := opened(t, dir, "p.duckdb")
				rows := must.Get(d.Rows(t.Context(), fmt.Sprintf("SELECT count(*), (SELECT objective FROM f%s_fit) - (SELECT objective FROM "+
					"path1_path WHERE point = %d) "+
					"FROM f%[1]s_assignments JOIN path1_path_assignments USING (id, cluster) WHERE point = %[2]d", sparsity, i)))(t)
				must.Do(t, d.Close())
				must.Equal(t, []any{int64(178), 0.0}, rows[0])
			}
			args := append([]string{"tune", "--sparsity", "4", "--method", "silhouette", "--into", "t"}, base...)
			args[slices.Index(args, "-k")+1] = "2:3" // 2 clusters obey no limit, or are too few for 3 classes
			succeed(t, dir, args...)
			d := opened(t, dir, "p.duckdb")
			defer func() { must.Do(t, d.Close()) }()
			rows := must.Get(d.Rows(t.Context(), "SELECT count(*), (SELECT status FROM t_tune WHERE k = 2) FROM t_assignments JOIN "+
				"f4_assignments USING (id, cluster)"))(t)
			status := map[bool]string{true: "infeasible-labels", false: "too-many-classes"}[name == "limits"]
			must.Equal(t, []any{int64(178), status}, rows[0])
		})
	}
}

func TestAPathIsWrittenShownAndDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := []string{"path", rowsOf(t, absolute(t, "../../examples/wine.csv")), "--id", "id", "--exclude", "class", "-a", "skfr", "-k", "3",
		"--points", "4", "--db", "out.duckdb", "--into", "w", "--assignments"}
	succeed(t, dir, path...)
	written := tablesOf(t, filepath.Join(dir, "out.duckdb"), "w", "path", "path_features", "path_assignments")
	// 13 features in even proportions: 13, 13^(2/3) = 5.5, 13^(1/3) = 2.35, 1.
	want := []float64{13, 6, 2, 1}
	shownPoints := shown(t, succeed(t, dir, "show", "w", "--db", "out.duckdb", "-o", "json").stdout, "path")
	equal(t, written["path"], shownPoints, "the path that show shows")
	for i, point := range shownPoints {
		if point["value"] != want[i] || point["selected"] != want[i] {
			t.Errorf("point %d: %v", i, point)
		}
	}
	if n := len(written["path_features"]); n != 4*13 {
		t.Errorf("%d rows of features", n)
	}
	if n := len(written["path_assignments"]); n != 4*178 {
		t.Errorf("%d rows of assignments", n)
	}
	fit := append([]string{"fit"}, path[1:10]...)
	fit = append(fit, "--sparsity", "6", "--db", "out.duckdb", "--into", "w", "--replace")
	succeed(t, dir, fit...)
	if o := sqlcluster(t, dir, "show", "w", "path", "--db", "out.duckdb"); o.code == 0 {
		t.Error("a fit that replaces a path leaves its tables")
	}
	succeed(t, dir, append(path, "--replace")...)
	succeed(t, dir, "drop", "w", "--db", "out.duckdb")
	if got := succeed(t, dir, "runs", "--db", "out.duckdb", "-o", "csv").stdout; strings.Count(got, "\n") != 1 {
		t.Errorf("runs are left: %s", got)
	}
}

func TestAProposedGridHasNoValueTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := succeed(t, dir, "path", "SELECT i AS id, i % 9 AS x FROM range(50) t(i)", "--id", "id", "-a", "skm", "-k", "2", "-o", "json")
	if points := shown(t, o.stdout, "path"); len(points) != 1 { // √1 = 1
		t.Errorf("%d values", len(points))
	}
}

func TestANullThatIsACategoryIsACell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := succeed(t, dir, "fit", "SELECT i AS id, CASE WHEN i % 4 = 0 THEN NULL ELSE 'a' || (i % 2) END AS c FROM range(32) t(i)", "--id", "id",
		"-k", "3", "--categorical", "c", "--null-category", "level", "--db", "out.duckdb", "--into", "nulls", "-o", "json")
	sizes := map[any]bool{}
	for _, c := range shown(t, o.stdout, "clusters") {
		sizes[c["size"]] = true
	}
	if !sizes[8.0] || !sizes[16.0] || len(sizes) != 2 { // a quarter NULL, a half a1, a quarter a0
		t.Errorf("sizes %v", sizes)
	}
	rows := shown(t, succeed(t, dir, "predict", "nulls", "SELECT 1 AS id, NULL::VARCHAR AS c", "--id", "id", "--db", "out.duckdb", "-o",
		"json").stdout, "assignments")
	if rows[0]["cluster"] == nil || rows[0]["distance"] != 0.0 {
		t.Errorf("predicted %v", rows)
	}
}

func TestARowOfUnseenCategoriesAloneGetsNoCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "fit", "SELECT i AS id, 'a' || (i % 3) AS c, i % 2 AS x FROM range(32) t(i)", "--id", "id", "-k", "3", "--categorical",
		"c", "--db", "out.duckdb", "--into", "ours", "-q")
	rows := shown(t, succeed(t, dir, "predict", "ours", "SELECT 1 AS id, 'new' AS c, NULL::INT AS x", "--id", "id", "--db", "out.duckdb",
		"--unseen", "ignore", "-o", "json").stdout, "assignments")
	if rows[0]["cluster"] != nil || rows[0]["status"] != "no_cells" || rows[0]["distance"] != nil {
		t.Errorf("predicted %v", rows)
	}
}

func TestAnInterruptedPathKeepsItsPointsWhenAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := "SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, hash(i * 3) % 997 AS c FROM range(200000) t(i)"
	o := sqlcluster(t, dir, "path", big, "--id", "id", "-a", "skfr", "-k", "30", "--points", "3", "--db", "out.duckdb", "--into", "w",
		"--timeout", "1ms", "--keep-partial")
	if o.code == 0 || o.code == 130 {
		t.Errorf("with nothing done: exit code %d: %s", o.code, o.stderr)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 1 {
		t.Errorf("left behind: %v", found)
	}
}
