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
