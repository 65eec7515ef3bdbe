package store

import "testing"

func TestFirstStatement(t *testing.T) {
	for text, want := range map[string][2]string{
		"SELECT 1":                            {"SELECT 1", ""},
		"SELECT 1;":                           {"SELECT 1", ""},
		"SELECT 1; ; -- end":                  {"SELECT 1", ""},
		"SELECT 1; /* a */ SELECT 2":          {"SELECT 1", "SELECT 2"},
		"SELECT ';' ; x":                      {"SELECT ';'", "x"},
		"SELECT 'it''s;' ; x":                 {"SELECT 'it''s;'", "x"},
		`SELECT ";" ; x`:                      {`SELECT ";"`, "x"},
		`SELECT E'\';' ; x`:                   {`SELECT E'\';'`, "x"},
		"SELECT $$;$$ ; x":                    {"SELECT $$;$$", "x"},
		"SELECT $a$;$$;$a$ ; x":               {"SELECT $a$;$$;$a$", "x"},
		"SELECT 1 -- ;\n, 2; x":               {"SELECT 1 -- ;\n, 2", "x"},
		"SELECT 1 /* ; */; x":                 {"SELECT 1 /* ; */", "x"},
		"SELECT $1, $2; x":                    {"SELECT $1, $2", "x"},
		"SELECT 'not closed; SELECT 2":        {"SELECT 'not closed; SELECT 2", ""},
		"SELECT 1 /* not closed; SELECT 2":    {"SELECT 1 /* not closed; SELECT 2", ""},
		"SELECT e'not closed \\'; SELECT 2\\": {"SELECT e'not closed \\'; SELECT 2\\", ""},
	} {
		if statement, rest := firstStatement(text); statement != want[0] || rest != want[1] {
			t.Errorf("firstStatement(%q) = %q, %q, want %q", text, statement, rest, want)
		}
	}
}

func TestIsQuery(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "select*from t": true, "FROM t": true, "from\nt": true, "(TABLE t)": true, "VALUES(1)": true, "PIVOT t ON x": true,
		"/* c */ -- d\n WITH a AS (SELECT 1) FROM a": true, `FROM"t"`: true, "select/**/1": true, "unpivot t ON x INTO NAME a VALUE b": true,
		"t": false, "select": false, "selection": false, "from.csv": false, "values_2024": false, "with-dash.csv": false, "pivot.x": false, "": false,
		"TABLE t": true, "table\n s.t ;": true, `TABLE"my table"`: true, `table d."a ""b""".t -- all`: true, "TABLE/**/t": true, "TABLE t; DROP TABLE t": true,
		"table 1": false, "table 1.csv": false, "table one.csv": false, "Table A.parquet": false, "table a.csv.gz": false, "table of prices": false,
		"tablet": false, "table-1": false, "table_1": false, "table.t": false, "table ": false, "table ;": false, "table a-b": false,
	} {
		if isQuery(text) != want {
			t.Errorf("isQuery(%q) is %v", text, !want)
		}
	}
}

func FuzzFirstStatement(f *testing.F) {
	for _, text := range []string{"SELECT 1; SELECT 2", "$a$;$a$;", "e'\\", "--", "/*", ";;", "'\"'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statement, rest := firstStatement(text)
		if len(statement)+len(rest) > len(text) {
			t.Errorf("%q became %q and %q", text, statement, rest)
		}
		isQuery(text)
	})
}

func TestAQueryMayBeginWithAnythingThatDuckDBSkips(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 1 AS x", "CREATE TABLE \"table\" AS SELECT 1 AS x, 2 AS y")
	for _, text := range []string{
		"-- what we sell\nSELECT 1 AS x", "--x\n--y\n\n/* z */ FROM t SELECT x", "/* a */ WITH a AS (FROM t) FROM a", "/* a /* b */ c */ SELECT 1 AS x",
		"((SELECT 1 AS x))", "(FROM t) UNION ALL (FROM t)", " \n\t-- x\r\n(VALUES (1)) ", "VALUES (1), (2)", "/**/VALUES(1)", "/*/ FROM t */ TABLE t",
		"\ufeffSELECT 1 AS x", "\u00a0SELECT\u00a01 AS x", "FROM range(3) -- all of them", "-- a;b\nSELECT 1 AS x; -- the end",
	} {
		r, err := db.resolve(t.Context(), text, "relation")
		if err != nil || r.label != "the query" || len(r.columns) != 1 {
			t.Errorf("%q: %+v, %s", text, r, explain(err))
		}
	}
	for _, text := range []string{"-- x", "/* x", "/* SELECT 1 */ t", "--x\nfrom.csv", "table.csv"} {
		if isQuery(text) {
			t.Errorf("%q is a query", text)
		}
	}
	if r, err := db.resolve(t.Context(), "table", "relation"); err != nil || len(r.columns) != 2 {
		t.Errorf("a word alone is a name: %v, %v", r, err)
	}
}

func TestATableOrAFileMayBeCalledLikeAQueryThatBeginsWithTable(t *testing.T) {
	t.Chdir(t.TempDir())
	written(t, "table 1.csv", "x,y\n1,2\n")
	written(t, "table one.csv", "x,y\n1,2\n")
	db := memory(t, `CREATE TABLE "table 1" AS SELECT 1 AS x, 2 AS y`, `CREATE TABLE "table t" AS SELECT 1 AS x, 2 AS y`, "CREATE TABLE t AS SELECT 1 AS x",
		`CREATE TABLE "my table" AS SELECT 1 AS x`)
	for text, want := range map[string]string{
		"table 1": `table "table 1"`, "TABLE T": `table "table t"`, "table 1.csv": "file table 1.csv", "table one.csv": "file table one.csv",
		"table main.t": "the query", `table "t"`: "the query", "TABLE \"my table\";": "the query",
	} {
		if r, err := db.resolve(t.Context(), text, "relation"); err != nil || r.label != want {
			t.Errorf("%q: %+v, %s", text, r, explain(err))
		}
	}
}
