package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAModelOfARunIsShownAndNamedAsThatOfItsGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "s.db", "-q", "-c", halves)
	db := []string{"--db", "s.db"}
	o := succeed(t, dir, append(strings.Fields("fit t --id id --features x -k 2 --by g --into r"), append(db, "--constraints",
		"SELECT 'size' AS kind, 5 AS lo, 'five' AS name, 1 AS g")...)...)
	says(t, o.stderr, "note: in 1 group (g = 0): --constraints has no rows, so it has no effect")
	shown := succeed(t, dir, append([]string{"show", "r", "models", "--model", "1", "-o", "csv"}, db...)...).stdout
	must.Equal(t, 2, strings.Count(shown, "\n"))
	says(t, shown, "\n1,fitted,,20,")
	page := succeed(t, dir, append([]string{"report", "r", "--model", "1", "--out", "-"}, db...)...).stdout
	says(t, page, "<h1>r: g = 1</h1>", "five")
	says(t, sqlcluster(t, dir, append([]string{"show", "r", "--model", "a,b,2"}, db...)...).stderr, `goes in double quotes: '"a,b",2'`)
}

func TestRowsOfAStatementAreNotRecordedAsARelation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.sql"), []byte(halves+`;
CREATE TABLE lim AS SELECT 'size' AS kind, 5 AS lo;
CREATE TABLE m AS FROM cluster_fit(t, 'id', features := ['x'], k := 2, constraints := lim);
SELECT contains(params, 'heap') AS leaks FROM m;
.store m c
`), 0o600))
	says(t, succeed(t, dir, "sql", "s.db", "--file", "a.sql").stdout, "false")
	says(t, sqlcluster(t, dir, "stability", "c", "--db", "s.db").stderr, "error[rows-not-kept]",
		`run "c" was made in SQL with --constraints, whose rows are not kept with it`)
	says(t, succeed(t, dir, "report", "c", "--db", "s.db", "--out", "-").stdout, "rows that are not kept with it (constraints)")
}
