package source

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/query"
)

func TestAQueryMayBeginWithAnythingThatDuckDBSkips(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 1 AS x", "CREATE TABLE \"table\" AS SELECT 1 AS x, 2 AS y")
	for _, text := range []string{
		"-- what we sell\nSELECT 1 AS x", "--x\n--y\n\n/* z */ FROM t SELECT x", "/* a */ WITH a AS (FROM t) FROM a",
		"/* a /* b */ c */ SELECT 1 AS x",
		"((SELECT 1 AS x))", "(FROM t) UNION ALL (FROM t)", " \n\t-- x\r\n(VALUES (1)) ", "VALUES (1), (2)", "/**/VALUES(1)",
		"/*/ FROM t */ TABLE t",
		"\ufeffSELECT 1 AS x", "\u00a0SELECT\u00a01 AS x", "FROM range(3) -- all of them", "-- a;b\nSELECT 1 AS x; -- the end",
	} {
		r, err := db.Resolve(t.Context(), text, "relation")
		if err != nil || r.Label != "the query" || len(r.Columns) != 1 {
			t.Errorf("%q: %+v, %s", text, r, sqltest.Explain(err))
		}
	}
	for _, text := range []string{"-- x", "/* x", "/* SELECT 1 */ t", "--x\nfrom.csv", "table.csv"} {
		if query.IsQuery(text) {
			t.Errorf("%q is a query", text)
		}
	}
	if r, err := db.Resolve(t.Context(), "table", "relation"); err != nil || len(r.Columns) != 2 {
		t.Errorf("a word alone is a name: %v, %v", r, err)
	}
}

func TestATableOrAFileMayBeCalledLikeAQueryThatBeginsWithTable(t *testing.T) {
	t.Chdir(t.TempDir())
	written(t, "table 1.csv", "x,y\n1,2\n")
	written(t, "table one.csv", "x,y\n1,2\n")
	db := memory(t, `CREATE TABLE "table 1" AS SELECT 1 AS x, 2 AS y`, `CREATE TABLE "table t" AS SELECT 1 AS x, 2 AS y`,
		"CREATE TABLE t AS SELECT 1 AS x",
		`CREATE TABLE "my table" AS SELECT 1 AS x`)
	for text, want := range map[string]string{
		"table 1": `table "table 1"`, "TABLE T": `table "table t"`, "table 1.csv": "file table 1.csv", "table one.csv": "file table one.csv",
		"table main.t": "the query", `table "t"`: "the query", "TABLE \"my table\";": "the query",
	} {
		if r, err := db.Resolve(t.Context(), text, "relation"); err != nil || r.Label != want {
			t.Errorf("%q: %+v, %s", text, r, sqltest.Explain(err))
		}
	}
}
