package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

func opened(t *testing.T, path string, o Options) *Session {
	t.Helper()
	s := must.Get(Open(t.Context(), path, o))(t)
	t.Cleanup(func() { must.Do(t, s.Close()) })
	return s
}

// ran runs statements, and returns the rows of the last as text.
func ran(t *testing.T, s *Session, statements ...string) []string {
	t.Helper()
	var rows []string
	for _, text := range statements {
		var err error
		if rows, err = run(t.Context(), s, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return rows
}

func run(ctx context.Context, s *Session, text string) (rows []string, err error) {
	_, err = s.Run(ctx, text, func(r duck.Result) error {
		return r.Each(func(row []any) error {
			rows = append(rows, strings.TrimSpace(fmt.Sprintln(row...)))
			return nil
		})
	})
	return rows, err
}

// The values are DuckDB's own texts of them.
func TestEveryValueIsShownAsDuckDBShowsIt(t *testing.T) {
	s := opened(t, "", Options{})
	values := []string{"true", "42::TINYINT", "18446744073709551615::UBIGINT", "(-170141183460469231731687303715884105727)::HUGEINT",
		"340282366920938463463374607431768211455::UHUGEINT", "123456789012345678901234567890123456789012::BIGNUM",
		"-0.05::DECIMAL(4, 2)", "0.1::FLOAT", "1::DOUBLE", "1e15::DOUBLE", "1e16::DOUBLE", "0.0001::DOUBLE", "0.00001::DOUBLE",
		"1.5e300::DOUBLE", "'nan'::DOUBLE", "'-inf'::FLOAT", "3.4e38::FLOAT", "'a;b''c'", "'\\x00a'::BLOB", "'\\xAA\\x27'::BLOB",
		"DATE '2024-02-29'", "DATE 'infinity'", "'0044-03-15 (BC)'::DATE", "TIME '01:02:03.5'", "TIMESTAMP '2024-02-29 01:02:03.000001'",
		"TIMESTAMP '-infinity'", "'2024-01-01'::TIMESTAMP_NS", "'2024-07-01 12:00:00+02'::TIMESTAMPTZ", "'01:02:03+02'::TIMETZ",
		"INTERVAL '1 month -2 days 03:04:05.5'", "'0f8fad5b-d9cb-469f-a165-70867728950e'::UUID", "'S'::ENUM('M', 'S')", "'0101'::BIT",
		"[1, NULL, 3]", "['a', 'b, c', 'it''s', '', 'NULL', ' x']", "[TIMESTAMP '2024-01-01']", "[[1.5::DOUBLE], []]", "[1, 2]::INT[2]",
		"{'a': 1, 'b c': ['x']}", "(1, 'x')", "MAP {'k=1': 'v', 'n': NULL}", "'{\"a\": [1]}'::JSON", "['{\"a\": 1}'::JSON]",
		"union_value(num := 2)::UNION(num INT, str VARCHAR)", "'x'::VARIANT", "'POINT(1 2)'::GEOMETRY", "NULL", "NULL::INT[]"}
	ran(t, s, "SET TimeZone = 'Europe/Berlin'")
	for _, v := range values {
		want := ran(t, s, "SELECT CAST("+v+" AS VARCHAR)")
		if got := ran(t, s, "SELECT "+v); !slices.Equal(got, want) {
			t.Errorf("%s: %q, DuckDB shows %q", v, got, want)
		}
	}
	numbers := "SELECT x, x::FLOAT AS f, CAST(x AS VARCHAR), CAST(f AS VARCHAR) " +
		"FROM (SELECT (random() - 0.5) * 10 ** (40 * random() - 20) AS x FROM range(2000))"
	for _, row := range ran(t, s, "SELECT setseed(0.5)", numbers) {
		if f := strings.Fields(row); f[0] != f[2] || f[1] != f[3] {
			t.Errorf("%s, %s, DuckDB shows %s, %s", f[0], f[1], f[2], f[3])
		}
	}
}

func TestEachKindOfStatementGivesItsRowsOrWhatItHasChanged(t *testing.T) {
	s := opened(t, "", Options{})
	ran(t, s, "CREATE TABLE t (a INT, b INT[], day DATE)", "PREPARE p AS SELECT a FROM t", "PREPARE q AS SELECT b FROM t")
	for _, test := range []struct {
		text string
		rows []string
		done duck.Outcome
	}{
		{text: "INSERT INTO t VALUES (1, [1], NULL), (2, NULL, '2024-01-02')", done: duck.Outcome{Counted: true, Rows: 2}},
		{text: "INSERT INTO t VALUES (3, [], '2024-01-03') RETURNING a, day", rows: []string{"3 2024-01-03"}},
		{text: "CREATE TABLE u AS SELECT * FROM t WHERE a < 3", done: duck.Outcome{Counted: true, Rows: 2}},
		{text: "FROM t ORDER BY a DESC -- the last first", rows: []string{"3 [] 2024-01-03", "2 <nil> 2024-01-02", "1 [1] <nil>"}},
		{text: "EXECUTE p", rows: []string{"1", "2", "3"}},
		{text: "PIVOT u ON a USING max(day) GROUP BY b", rows: []string{"[1] <nil> <nil>", "<nil> <nil> 2024-01-02"}},
		{text: "CALL pragma_table_info('t')", rows: []string{"0 a INTEGER false <nil> false", "1 b INTEGER[] false <nil> false",
			"2 day DATE false <nil> false"}},
		{text: "SELECT 1 AS a, 2 AS a, 3 AS \"c1\", [4] AS \"a b\"", rows: []string{"1 2 3 [4]"}},
		{text: "SET threads = 1"},
	} {
		var rows []string
		done, err := s.Run(t.Context(), test.text, func(r duck.Result) error {
			return r.Each(func(row []any) error {
				rows = append(rows, strings.TrimSpace(fmt.Sprintln(row...)))
				return nil
			})
		})
		if strings.HasPrefix(test.text, "PIVOT") { // lists within what cannot be a subquery
			must.Fault(t, err, "column-not-shown")
			continue
		}
		if err != nil || done != test.done || !slices.Equal(rows, test.rows) {
			t.Errorf("%s: %q, %+v, %v", test.text, rows, done, err)
		}
	}
	if _, err := run(t.Context(), s, "EXECUTE q"); framework.AsFault(err) == nil {
		t.Errorf("lists without a SELECT: %v", err)
	}
	if rows := ran(t, s, "CALL duckdb_settings()"); len(rows) == 0 { // has a column of lists
		t.Error("no settings")
	}
	if rows := ran(t, s, "SELECT i, [i] FROM range(100000) r(i) ORDER BY -i"); len(rows) != 100000 || rows[99999] != "0 [0]" {
		t.Errorf("%d rows, the last %s", len(rows), rows[len(rows)-1])
	}
}

func TestADatabaseIsThereAfterTheFirstCommitAndKeepsEachLaterOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.duckdb")
	there := func() bool { _, err := os.Stat(path); return err == nil }
	s := must.Get(Open(t.Context(), path, Options{}))(t)
	ran(t, s, "SELECT 1", "CREATE TEMP TABLE x AS SELECT 1", "BEGIN", "CREATE TABLE t AS SELECT 1 AS a")
	if there() || !s.Transacting() {
		t.Error("made before the commit")
	}
	ran(t, s, "COMMIT")
	if !there() {
		t.Error("not made by the commit")
	}
	ran(t, s, "INSERT INTO t VALUES (2)")
	killed := filepath.Join(t.TempDir(), "killed.duckdb") // what a killed session leaves is the file
	must.Do(t, os.WriteFile(killed, must.Get(os.ReadFile(path))(t), 0o600))
	if rows := ran(t, opened(t, killed, Options{}), "SELECT count(*) FROM t"); rows[0] != "2" {
		t.Errorf("the file has %s of 2 rows", rows)
	}
	ran(t, s, "BEGIN", "DROP TABLE t")
	must.Do(t, s.Close())
	if rows := ran(t, opened(t, path, Options{}), "SELECT count(*) FROM t"); rows[0] != "2" {
		t.Errorf("the open transaction was kept: %s", rows)
	}
	empty := filepath.Join(t.TempDir(), "empty.duckdb")
	s = must.Get(Open(t.Context(), empty, Options{}))(t)
	ran(t, s, "SELECT 1")
	must.Do(t, s.Close())
	if _, err := os.Stat(empty); err == nil {
		t.Error("a database was made of nothing")
	}
}

func TestADatabaseThatIsOnlyReadSaysSoWhenSomethingWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.duckdb")
	s := must.Get(Open(t.Context(), path, Options{}))(t)
	ran(t, s, "CREATE TABLE t AS SELECT 1 AS a")
	must.Do(t, s.Close())
	why := errors.New("somebody else's")
	s = opened(t, path, Options{ReadOnly: why})
	if rows := ran(t, s, "CREATE TEMP TABLE x AS FROM t", "FROM x"); rows[0] != "1" {
		t.Error(rows)
	}
	if _, err := run(t.Context(), s, "INSERT INTO t VALUES (2)"); !errors.Is(err, why) {
		t.Error(err)
	}
	_, err := Open(t.Context(), path+"x", Options{ReadOnly: why})
	must.Fault(t, err, "database-not-found")
}

// What the driver adds is in the instance of the statements, whatever the path.
func TestTheDriverHasTheSameDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"", "x.duckdb", "a:b c&d=é+.duckdb", must.Get(filepath.Abs("y.duckdb"))(t)} {
		s := opened(t, path, Options{Extensions: path == ""})
		ran(t, s, "CREATE TABLE t AS SELECT 7 AS a")
		var a int
		if err := s.Driver().QueryRow("SELECT a FROM t").Scan(&a); err != nil || a != 7 {
			t.Errorf("%q: %d, %v", path, a, err)
		}
	}
	for _, path := range []string{"a?b.duckdb", "a#b.duckdb", "a%zz.duckdb"} {
		_, err := Open(t.Context(), path, Options{})
		must.Fault(t, err, "database-name-unusable")
	}
}

func TestTwoSessionsDoNotKnowEachOther(t *testing.T) {
	a, b := opened(t, "", Options{}), opened(t, "", Options{})
	ran(t, a, "CREATE TABLE t AS SELECT 1")
	_, err := run(t.Context(), b, "FROM t")
	if f := must.Fault(t, err, "statement-failed"); f.Class != framework.Data {
		t.Errorf("class %v", f.Class)
	}
}

func TestAStatementThatIsCancelledLeavesTheSession(t *testing.T) {
	s := opened(t, "", Options{})
	ran(t, s, "CREATE TABLE t AS SELECT 1 AS a")
	for _, text := range []string{"SELECT count(*) FROM range(1000000000000)", "SELECT i FROM range(1000000000000) r(i)"} {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel() // before it begins or while it runs
		if _, err := run(ctx, s, text); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, s, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ran(t, s, "FROM t")
}

func TestWhatIsWrongWithAStatementHasAClass(t *testing.T) {
	s := opened(t, "", Options{})
	for text, want := range map[string]framework.Class{
		"SELEC 1": framework.Data, "SELECT 'open": framework.Data, "SELECT $1": framework.Data, "FROM nowhere": framework.Data,
		"SELECT 'x'::INT": framework.Data, "FROM 'nowhere.csv'": framework.Data, "SELECT * EXCLUDE (a) FROM (SELECT 1 AS a)": framework.Data,
		"COPY (SELECT 1) TO '/nowhere/x.csv'": framework.Internal, "FROM 'https://example.org/x.parquet'": framework.Data,
	} {
		_, err := run(t.Context(), s, text)
		if f := framework.AsFault(err); f == nil || f.Class != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestProposalsComeFromKeyWordsAndTheCatalog(t *testing.T) {
	s := opened(t, "", Options{})
	ran(t, s, "CREATE TABLE customers (income INT)")
	for text, want := range map[string]string{"SEL": "SELECT", "FROM cust": "customers", "SELECT inc": "income", "SELECT a 'é', abs": "abs"} {
		at, proposals, err := s.Propose(t.Context(), text)
		if err != nil || len(proposals) == 0 || proposals[0] != want || text[at:] != text[strings.LastIndexByte(text, ' ')+1:] {
			t.Errorf("%s: from %d %q, %v", text, at, proposals, err)
		}
	}
}
