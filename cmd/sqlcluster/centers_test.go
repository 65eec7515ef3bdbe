package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// What reads centers takes an entry without a row for 0.
func TestCentersWithoutTheirZerosMeanTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fit := func(more ...string) []string {
		return append([]string{"fit", wideRows, "--id", "id", "-k", "2", "--scale", "raw", "--db", "r.duckdb"}, more...)
	}
	pages := map[string]string{}
	for _, run := range []string{"all", "nonzero"} {
		succeed(t, dir, fit("--into", run, "--center-rows", run)...)
		succeed(t, dir, "report", run, "--db", "r.duckdb", "--out", run+".html")
		page := string(must.Get(os.ReadFile(filepath.Join(dir, run+".html")))(t))
		for _, differs := range []string{`(?m)^.*(title|h1|pre|run id|center-rows|date).*$`} {
			page = regexp.MustCompile(differs).ReplaceAllString(page, "")
		}
		pages[run] = page
		succeed(t, dir, fit("--into", "from_"+run, "--start", run+"_centers", "--center-rows", "nonzero")...)
	}
	must.Equal(t, pages["all"], pages["nonzero"])
	rows := lines(t, dir, "show", "all", "centers", "--db", "r.duckdb", "-o", "csv")
	fewer := lines(t, dir, "show", "nonzero", "centers", "--db", "r.duckdb", "-o", "csv")
	if len(fewer) != 55 || len(rows) != 161 {
		t.Errorf("%d and %d lines", len(fewer), len(rows))
	}
	must.Equal(t, lines(t, dir, "show", "from_all", "trace", "--db", "r.duckdb", "-o", "csv"),
		lines(t, dir, "show", "from_nonzero", "trace", "--db", "r.duckdb", "-o", "csv"))
	comment := succeed(t, dir, "sql", "r.duckdb", "-o", "csv", "-c",
		"SELECT comment FROM duckdb_tables() WHERE table_name = 'nonzero_centers'").stdout
	if !strings.Contains(comment, "entries without a row are 0") {
		t.Error(comment)
	}
	paramsOf := succeed(t, dir, "show", "nonzero", "params", "--db", "r.duckdb", "-o", "csv").stdout
	if !strings.Contains(paramsOf, "center-rows,nonzero,flag") {
		t.Error(paramsOf)
	}
	// A start knows the table of a run, and a copy of it only if it is told.
	succeed(t, dir, fit("--start", "nonzero_centers")...)
	o := sqlcluster(t, dir, fit("--start", "FROM nonzero_centers")...)
	if o.code != 3 || !strings.Contains(o.stderr, "hint:  where entries without a row are to be 0: --center-rows nonzero") {
		t.Error(o.stderr)
	}
}

func TestSQLHasCentersWithoutTheirZerosToo(t *testing.T) {
	t.Parallel()
	o := succeed(t, t.TempDir(), "sql", "-o", "csv", "-c", "CREATE TEMP TABLE w AS "+wideRows+
		"; SELECT len(m.centers) AS n, m.notes[-1] AS note FROM (SELECT m FROM cluster_fit(w, 'id', k := 2, center_rows := 'nonzero') AS m)")
	if want := `54,"centers have 54 of 160 rows: entries without one are 0 in original units, or of features that are not selected; ` +
		`center_rows := 'all' writes all"`; !strings.Contains(o.stdout, want) {
		t.Error(o.stdout + o.stderr)
	}
}
