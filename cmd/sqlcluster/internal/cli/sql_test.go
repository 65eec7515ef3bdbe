package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// sql runs the command sql with a text as standard input.
func sql(t *testing.T, input string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	var out, errs bytes.Buffer
	a := newApp(&out, &errs, builtIns...)
	a.in = strings.NewReader(input)
	code = a.main(t.Context(), append([]string{"sql"}, args...))
	return out.String(), errs.String(), code
}

// everyType has values of the types that DuckDB has, and NULL of each.
const everyType = `SET TimeZone = 'UTC';
CREATE TABLE every AS SELECT true AS bool, 42 AS int, 18446744073709551615::UBIGINT AS ubigint, 0.1::FLOAT AS float, 1e16::DOUBLE AS double,
  'inf'::DOUBLE AS inf, 1234.50::DECIMAL(8, 2) AS "decimal", 170141183460469231731687303715884105727::HUGEINT AS huge, 'a|"b,
c' AS text, DATE '2024-02-29' AS "date", TIMESTAMP '2024-02-29 01:02:03.5' AS "timestamp", '2024-02-29 12:00:00+02'::TIMESTAMPTZ AS tz,
  INTERVAL '1 month 2 hours' AS "interval", '0f8fad5b-d9cb-469f-a165-70867728950e'::UUID AS uuid, '\xAAb'::BLOB AS blob,
  ['a, b', NULL] AS list, {'x': 1, 'y': ['z']} AS struct, MAP {'k': 1.5} AS map, '{"a": 1}'::JSON AS json;
INSERT INTO every (int) VALUES (NULL);
FROM every; SELECT 1 AS a, 2 AS a, 3 AS a_1 WHERE false; EXPLAIN SELECT 1;`

func TestEveryTypeInEveryFormat(t *testing.T) {
	var got strings.Builder
	for _, format := range []string{"table", "json", "jsonl", "csv", "markdown"} {
		out, errs, code := sql(t, everyType, "-o", format)
		fmt.Fprintf(&got, "%s: exit code %d\n%s%s\n", format, code, out, errs)
	}
	const path = "testdata/sql.golden"
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got.String()), 0o600))
	}
	want := must.Get(os.ReadFile(path))(t)
	must.Equal(t, strings.Split(string(want), "\n"), strings.Split(got.String(), "\n"))
}

func TestStatementsRunUntilOneFails(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("script.sql", []byte("CREATE TABLE t AS FROM range(3);\n\n-- c\n SELECT sum(range)\nFROM t"), 0o600))
	must.Do(t, os.WriteFile("empty.sql", nil, 0o600))
	must.Do(t, os.WriteFile("binary.sql", []byte("SELECT 1;\x00"), 0o600))
	long := "SELECT length('" + strings.Repeat("x", 1<<20) + "') AS n"
	for _, test := range []struct {
		input, out, errs string
		code             int
		args             []string
	}{
		{args: []string{"-c", "SELECT ';' AS \";\"; SELECT 2 AS b"}, out: ";\n───\n;\n\nb\n───\n2\n"},
		{args: []string{"-f", "script.sql"}, out: "sum(\"range\")\n──────────────\n           3\n",
			errs: "CREATE TABLE t AS FROM range(3): 3 rows\n"},
		{args: []string{"-f", "-", "-q"}, input: "CREATE TABLE t AS SELECT 1; DELETE FROM t"},
		{args: []string{"-f", "empty.sql"}},
		{args: []string{"-c", " -- nothing\n;;"}},
		{input: "/* nothing */"},
		{input: long, args: []string{"-o", "csv"}, out: "n\n1048576\n"},
		{args: []string{"-o", "csv"}, code: exitData,
			input: "CREATE TABLE t AS SELECT 1 AS a; FROM t;\n\nSELECT 'x'::INT; SELECT 3", out: "a\n1\n",
			errs: "CREATE TABLE t AS SELECT 1 AS a: 1 row\nerror[statement-failed]: DuckDB refuses the statement: " +
				"Conversion Error: Could not convert string 'x' to INT32\n\nLINE 1: SELECT 'x'::INT\n                  ^\n" +
				"  where: standard input, line 3, statement 3 of 4: SELECT 'x'::INT\n"},
		{args: []string{"-c", "SELECT 'open; SELECT 2"}, code: exitData,
			errs: "error[statement-failed]: DuckDB refuses the statement: Parser Error: " +
				"unterminated quoted string at or near \"'open; SELECT 2\"\n\nLINE 1: SELECT 'open; SELECT 2\n               ^\n" +
				"  where: -c, line 1, statement 1 of 1: SELECT 'open; SELECT 2\n"},
		{args: []string{"-o", "csv", "-c", "BEGIN; CREATE TABLE t AS SELECT 1; ROLLBACK; SELECT count(*) AS n FROM duckdb_tables()"},
			out:  "n\n0\n",
			errs: "BEGIN: done\nCREATE TABLE t AS SELECT 1: 1 row\nROLLBACK: done\n"},
		{args: []string{"-q", "-c", "BEGIN; CREATE TABLE t AS SELECT 1"}},
		{args: []string{"-c", "BEGIN"}, errs: "BEGIN: done\nnote: the transaction was open at the end, so it was rolled back\n"},
		{args: []string{"-q", "-c", "COPY (SELECT 1) TO '/nowhere/x'"}, code: exitInternal,
			errs: "error[statement-failed]: DuckDB cannot read or write a file: " +
				"IO Error: Cannot open file \"/nowhere/x\": No such file or directory\n" +
				"  where: -c, line 1, statement 1 of 1: COPY (SELECT 1) TO '/nowhere/x'\n"},
		{args: []string{"-c", "COPY (FROM range(7)) TO 'out.csv'"}, errs: "COPY (FROM range(7)) TO 'out.csv': 7 rows\n"},
		{args: []string{"--limit", "2", "-c", "FROM range(3)"},
			out: "range\n───────\n    0\n    1\n… and more rows; --limit 0 or -o csv shows all\n"},
		{args: []string{"--limit", "3", "-c", "FROM range(3)", "-o", "csv"}, out: "range\n0\n1\n2\n"},
		{args: []string{"-f", "binary.sql"}, code: exitData,
			errs: "error[script-not-text]: the script is not UTF-8 text\n  where: binary.sql\n"},
		{args: []string{"-f", "script.sq"}, code: exitData,
			errs: "error[file-not-found]: there is no script script.sq\n  did you mean: script.sql\n  where: --file\n"},
		{args: []string{"-f", "."}, code: exitInternal,
			errs: "error[file-unreadable]: cannot read the script .: is a directory\n  where: --file\n"},
		{args: []string{"-c", "SELECT 1", "-f", "x"}, code: exitUsage,
			errs: "error[bad-flag]: --command and --file cannot go together\n  where: --file\n  hint:  leave out one of them\n"},
		{args: []string{"--limit", "-1"}, code: exitUsage,
			errs: "error[bad-flag]: --limit is -1; it must not be negative\n  where: --limit\n  hint:  0 shows all rows\n"},
	} {
		out, errs, code := sql(t, test.input, test.args...)
		if code != test.code || out != test.out || errs != test.errs {
			t.Errorf("%.60q %q: exit code %d\n%s%s", test.input, test.args, code, out, errs)
		}
	}
}

func TestTheDatabaseIsTheFileOrTheFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	const write = "CREATE TABLE t AS SELECT 7 AS a"
	if _, errs, code := sql(t, "", "new.db", "-q", "-c", write); code != 0 || errs != "" {
		t.Fatal(errs)
	}
	const both = "ATTACH 'other.db'; CREATE TABLE other.t AS FROM t; FROM other.t"
	if out, errs, _ := sql(t, "", "--db", "new.db", "-o", "csv", "-q", "-c", both); out != "a\n7\n" {
		t.Error(errs)
	}
	if out, errs, code := sql(t, "", ":memory:", "-o", "csv", "-c", write+"; FROM t", "-q"); out != "a\n7\n" || code != 0 {
		t.Error(errs)
	}
	if _, errs, code := sql(t, "", "typo.db", "-c", "SELECT 1"); code != 0 {
		t.Error(errs)
	}
	if _, err := os.Stat("typo.db"); err == nil {
		t.Error("a database was made that nothing was written to")
	}
	_, errs, code := sql(t, "", "no/where.db", "-c", write)
	if want := "error[directory-not-found]: there is no directory no\n  where: FILE\n" +
		"  hint:  create it, or choose another place for the database\n"; code != exitData || errs != want {
		t.Errorf("exit code %d: %s", code, errs)
	}
	must.Do(t, os.WriteFile("sqlcluster.toml", []byte("db = \"new.db\"\n"), 0o600))
	if out, errs, _ := sql(t, "", "-c", "FROM t", "-o", "csv"); out != "a\n7\n" {
		t.Error(errs)
	}
	_, errs, code = sql(t, "", "-c", "DROP TABLE t")
	if code != exitUsage || !strings.HasPrefix(errs, "error[bad-config]: the database new.db is only read") ||
		!strings.Contains(errs, "\n  -c, line 1, statement 1 of 1: DROP TABLE t\n  where: sqlcluster.toml\n") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	must.Do(t, os.WriteFile("sqlcluster.toml", []byte("command = \"DROP TABLE t\"\n"), 0o600))
	if _, errs, code := sql(t, "", "new.db"); code != exitUsage || !strings.HasPrefix(errs, "error[bad-config]: command cannot be set") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A cancelled script says what it has done.
func TestAScriptThatIsInterruptedKeepsWhatItHasCommitted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs bytes.Buffer
	a := newApp(writer(func([]byte) { cancel() }), &errs, builtIns...) // with the first row
	code := a.main(ctx, []string{"sql", "-q", "-o", "csv", "-c", "CREATE TABLE t AS SELECT 1; BEGIN; FROM range(100000000000)"})
	if want := "interrupted: statement 3 of 3 did not finish; those before it did\n"; code != 130 || errs.String() != want {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}

type writer func(text []byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}
