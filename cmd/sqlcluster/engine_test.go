package main

import (
	"encoding/csv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// bySums is what numbers may differ by that come from sums in another order: of 270 rows of
// cells below 10, 270·10·2⁻⁵³ is below 1e-12, which the steps of an algorithm make larger.
var bySums = cmpopts.EquateApprox(1e-9, 1e-9)

// engineCases are fits of the examples from given centers, which the rows decide.
func engineCases(t *testing.T) map[string][]string {
	t.Helper()
	wine, heart := absolute(t, "../../examples/wine.csv"), absolute(t, "../../examples/heart.csv")
	gaps := "SELECT * REPLACE (CASE WHEN id % 7 = 0 THEN NULL ELSE alcohol END AS alcohol) FROM " + quoted(wine)
	weights := "SELECT *, 0.3 + id % 3 AS w FROM " + quoted(wine)
	limits := "SELECT 'box' AS kind, 'alcohol' AS feature, 13 AS lo"
	return map[string][]string{
		"kmeans":          {wine, "--id", "id", "--exclude", "class", "-k", "3"},
		"raw cells":       {wine, "--id", "id", "--exclude", "class", "-k", "4", "--scale", "raw"},
		"skfr":            {wine, "--id", "id", "--exclude", "class", "-k", "3", "-a", "skfr", "--sparsity", "6"},
		"skfr by cluster": {wine, "--id", "id", "--exclude", "class", "-k", "3", "-a", "skfr", "--sparsity", "4", "--scope", "local"},
		"skm":             {wine, "--id", "id", "--exclude", "class", "-k", "3", "-a", "skm", "--l1-bound", "2"},
		"categories, groups": {heart, "--id", "id", "--exclude", "HD", "--categorical", "cp,thal,slope", "-k", "2",
			"-a", "groupskm", "--lambda", "0.05"},
		"NULLs":         {gaps, "--id", "id", "--exclude", "class", "-k", "3"},
		"rows left out": {gaps, "--id", "id", "--exclude", "class", "-k", "3", "--nulls", "drop"},
		"row weights":   {weights, "--id", "id", "--exclude", "class", "-k", "3", "--weight", "w"},
		"constraints":   {wine, "--id", "id", "--exclude", "class", "-k", "3", "--constraints", limits},
	}
}

func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", "''") + "'" }

// engineStart writes the centers of a rough fit into the run start of a database.
func engineStart(t *testing.T, dir string, args []string) {
	t.Helper()
	succeed(t, dir, slices.Concat([]string{"fit"}, args, []string{"--restarts", "1", "--max-iter", "1", "--seed", "5",
		"--db", "out.duckdb", "--into", "start", "-q"})...)
}

func TestFitsWhoseRowsStayInDuckDBHaveTheTablesOfOthers(t *testing.T) {
	t.Parallel()
	for name, args := range engineCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			engineStart(t, dir, args)
			from := slices.Concat([]string{"fit"}, args, []string{"--start", "start_centers", "--db", "out.duckdb"})
			here := succeed(t, dir, append(from, "--into", "here")...)
			there := succeed(t, dir, append(from, "--into", "there", "--engine", "duckdb")...)
			same := []string{"assignments", "centers", "features", "clusters", "trace"}
			db := filepath.Join(dir, "out.duckdb")
			want, got := tablesOf(t, db, "here", same...), tablesOf(t, db, "there", same...)
			for _, what := range same {
				if d := cmp.Diff(want[what], got[what], bySums); d != "" {
					t.Errorf("%s: %s", what, d)
				}
			}
			if here := strings.ReplaceAll(here.stdout, "here", "there"); here != there.stdout {
				t.Errorf("%s\nand there\n%s", here, there.stdout)
			}
		})
	}
}

// table reads CSV into numbers and texts.
func table(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	for _, line := range must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t) {
		row := make([]any, len(line))
		for i, cell := range line {
			if row[i] = cell; cell != "" {
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					row[i] = v
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestUsesOfAModelInDuckDBAreThoseOfOthers(t *testing.T) {
	t.Parallel()
	wine := absolute(t, "../../examples/wine.csv")
	dir := t.TempDir()
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "-a", "skfr", "--sparsity", "6",
		"--db", "out.duckdb", "--into", "w", "-q")
	for name, args := range map[string][]string{
		"labels":              {"predict", "w", wine, "-o", "csv"},
		"labels without some": {"predict", "w", "SELECT * EXCLUDE magnesium FROM " + quoted(wine), "-o", "csv"},
		"outliers":            {"predict", "w", wine, "--flag", "0.95", "-o", "csv"},
		"scores":              {"score", "w", "--truth", "class", "-o", "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(args, "--db", "out.duckdb", "-q")
			want, got := table(t, succeed(t, dir, args...).stdout), table(t, succeed(t, dir, append(args, "--engine", "duckdb")...).stdout)
			if d := cmp.Diff(want, got, bySums); d != "" {
				t.Error(d)
			}
		})
	}
	succeed(t, dir, "predict", "w", wine, "--db", "out.duckdb", "--into", "here")
	succeed(t, dir, "predict", "w", wine, "--db", "out.duckdb", "--into", "there", "--engine", "duckdb")
	differ := succeed(t, dir, "sql", "out.duckdb", "-q", "-o", "csv", "-c", "SELECT count(*) FROM here JOIN there USING (id, cluster)").stdout
	if !strings.Contains(differ, "178") {
		t.Error(differ)
	}
	says(t, succeed(t, dir, "runs", "--db", "out.duckdb").stdout, "there")
}

func TestPathsAndTuningsInDuckDBAreThoseOfOthers(t *testing.T) {
	t.Parallel()
	wine := absolute(t, "../../examples/wine.csv")
	dir := t.TempDir()
	args := []string{wine, "--id", "id", "--exclude", "class", "-k", "3"}
	engineStart(t, dir, args)
	path := slices.Concat([]string{"path"}, args, []string{"-a", "skfr", "--grid", "2,4,8,13", "--start", "start_centers",
		"--db", "out.duckdb", "-q", "-o", "csv"})
	want, got := table(t, succeed(t, dir, path...).stdout), table(t, succeed(t, dir, append(path, "--engine", "duckdb")...).stdout)
	if d := cmp.Diff(want, got, bySums); d != "" {
		t.Error(d)
	}
	tune := slices.Concat([]string{"tune"}, args[:5], []string{"-k", "2:3", "--restarts", "3",
		"--method", "calinski-harabasz,silhouette,davies-bouldin", "-q", "-o", "csv"})
	want, got = table(t, succeed(t, dir, tune...).stdout), table(t, succeed(t, dir, append(tune, "--engine", "duckdb")...).stdout)
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0.05, 0)); d != "" { // clusters near the best, from other starts
		t.Error(d)
	}
	check := slices.Concat([]string{"check"}, args, []string{"-q", "-o", "csv"})
	want, got = table(t, succeed(t, dir, check...).stdout), table(t, succeed(t, dir, append(check, "--engine", "duckdb")...).stdout)
	if d := cmp.Diff(want, got, bySums); d != "" {
		t.Error(d)
	}
}
