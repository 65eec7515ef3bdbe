package query

import (
	"slices"
	"strings"
	"testing"
)

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
		"SELECT $1+$2; x":                     {"SELECT $1+$2", "x"},
		`SELECT a LIKE'\'; x`:                 {`SELECT a LIKE'\'`, "x"},
		"SELECT a$b$; x":                      {"SELECT a$b$", "x"},
		"SELECT 'not closed; SELECT 2":        {"SELECT 'not closed; SELECT 2", ""},
		"SELECT 1 /* not closed; SELECT 2":    {"SELECT 1 /* not closed; SELECT 2", ""},
		"SELECT e'not closed \\'; SELECT 2\\": {"SELECT e'not closed \\'; SELECT 2\\", ""},
	} {
		if statement, rest := First(text); statement != want[0] || rest != want[1] {
			t.Errorf("firstStatement(%q) = %q, %q, want %q", text, statement, rest, want)
		}
	}
}

func TestIsQuery(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "select*from t": true, "FROM t": true, "from\nt": true, "(TABLE t)": true, "VALUES(1)": true, "PIVOT t ON x": true,
		"/* c */ -- d\n WITH a AS (SELECT 1) FROM a": true, `FROM"t"`: true, "select/**/1": true, "unpivot t ON x INTO NAME a VALUE b": true,
		"t": false, "select": false, "selection": false, "from.csv": false, "values_2024": false, "with-dash.csv": false, "pivot.x": false,
		"":        false,
		"TABLE t": true, "table\n s.t ;": true, `TABLE"my table"`: true, `table d."a ""b""".t -- all`: true, "TABLE/**/t": true,
		"TABLE t; DROP TABLE t": true,
		"table 1":               false, "table 1.csv": false, "table one.csv": false, "Table A.parquet": false, "table a.csv.gz": false,
		"table of prices": false,
		"tablet":          false, "table-1": false, "table_1": false, "table.t": false, "table ": false, "table ;": false, "table a-b": false,
	} {
		if IsQuery(text) != want {
			t.Errorf("IsQuery(%q) is %v", text, !want)
		}
	}
}

func TestAStatementIsToldFromTheNameOfAFile(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "FROM t": true, "CREATE TABLE t(i INT)": true, " show tables": true, "drop\ttable t": true,
		"shop.duckdb": false, "my shop.duckdb": false, "create": false, "show.db": false, "used cars": false, "": false, "drop ": false,
	} {
		if got := IsStatement(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAScriptIsSplitIntoItsStatements(t *testing.T) {
	for script, want := range map[string][]Statement{
		"": nil, " -- nothing\n;; /* ; */ ;": nil,
		"SELECT 1":                              {{"SELECT 1", 1, false}},
		"SELECT 1;\nSELECT ';\n' ;\n\n-- c\n x": {{"SELECT 1", 1, true}, {"SELECT ';\n'", 2, true}, {"x", 6, false}},
		"\ufeff/* a\nb */ SELECT 1 -- ;\n;":     {{"SELECT 1 -- ;", 2, true}},
		"SELECT 'open; SELECT 2;":               {{"SELECT 'open; SELECT 2;", 1, false}},
	} {
		if got := Split(script); !slices.Equal(got, want) {
			t.Errorf("%q: %+v", script, got)
		}
	}
}

func FuzzFirstStatement(f *testing.F) {
	for _, text := range []string{"SELECT 1; SELECT 2", "$a$;$a$;", "e'\\", "--", "/*", ";;", "'\"'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statement, rest := First(text)
		if len(statement)+len(rest) > len(text) {
			t.Errorf("%q became %q and %q", text, statement, rest)
		}
		IsQuery(text)
	})
}

// FuzzWords holds what is in quotes and comments apart from words.
func FuzzWords(f *testing.F) {
	for _, text := range []string{`SELECT a."b c", 'd' -- e`, "/* a */ b", `"a""b"`, `"`, "$a$ b $a$", "e'\\' a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(text) {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in %q", w, text)
			}
		}
		if strings.ContainsAny(text, `'"$-/`) || !strings.Contains(text, " disable_logging ") {
			return
		}
		if !slices.Contains(Words(text), "disable_logging") {
			t.Errorf("%q hides a word", text)
		}
	})
}
