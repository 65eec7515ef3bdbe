//go:build engines

package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// anna is who the tests are.
var anna = Credentials{User: clickhousetest.User, Password: clickhousetest.Password}

// opened opens an engine that ends with the test.
func opened(t *testing.T, url string, patience time.Duration) *Engine {
	t.Helper()
	e, err := open(t.Context(), url, anna, patience, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// versions runs a test with a server of each version.
func versions(t *testing.T, test func(t *testing.T, e *Engine)) {
	t.Run("18.16", func(t *testing.T) {
		e := opened(t, clickhousetest.Start(t, 1)[0].URL(""), time.Second)
		if !strings.HasPrefix(e.Version(), "18.") {
			t.Fatalf("version %s", e.Version())
		}
		test(t, e)
	})
	t.Run("chdb", func(t *testing.T) {
		if os.Getenv(clickhousetest.PackagesVariable) == "" {
			t.Fatalf("%s is not set: it is the directory that chdb is installed in", clickhousetest.PackagesVariable)
		}
		test(t, opened(t, clickhousetest.StartChDB(t).URL(""), time.Second))
	})
}

// nasty are numbers that are easily written wrong.
var nasty = []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 0.1 + 0.2, 1. / 3, 1e15, 1e16, 123456789012345680000, 1e21, 1e22, 1e23,
	5e-324, -2.5e-320, 2.2250738585072009e-308, 2.2250738585072014e-308, 1.7976931348623157e308, math.Nextafter(1, 2), math.Pi,
	9007199254740993, math.NaN(), math.Inf(1), math.Inf(-1), 4.35, 5e-5, 1e-7, 100000000.1}

func TestWireKeepsTheBitsOfEachNumber(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		numbers := nasty
		state := uint64(7)
		for range 300 { // any bits
			state = state*6364136223846793005 + 1442695040888963407
			if v := math.Float64frombits(state); !math.IsNaN(v) {
				numbers = append(numbers, v)
			}
		}
		items := make([]string, len(numbers))
		for i, v := range numbers {
			b := math.Float64bits(v)
			var bytes [8]byte
			for j := range bytes {
				bytes[j] = byte(b >> (8 * j))
			}
			items[i] = fmt.Sprintf("reinterpretAsFloat64(unhex('%X'))", bytes)
		}
		list := "[" + strings.Join(items, ", ") + "]"
		rows, lists := asked(t, e, "SELECT arrayJoin("+list+") AS v"), asked(t, e, "SELECT "+list+" AS a")
		if len(rows) != len(numbers) || len(lists) != 1 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, want := range numbers {
			for _, got := range []float64{rows[i][0].(float64), lists[0][0].([]float64)[i]} {
				if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%v came as %v", want, got)
				}
			}
		}
	})
}

func TestNumbersAreWrittenWithTheirBits(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		for _, want := range nasty {
			if math.IsNaN(want) || math.IsInf(want, 0) {
				continue
			}
			rows, err := e.Query(t.Context(), "SELECT "+e.Dialect().Number(want)+", ["+e.Dialect().Number(want)+", 1e0]")
			if err != nil {
				t.Errorf("%v: %v", want, err)
				continue
			}
			for _, got := range []float64{rows[0][0].(float64), rows[0][1].([]float64)[0]} {
				if math.Float64bits(got) != math.Float64bits(want) {
					t.Errorf("%v came as %v", want, got)
				}
			}
		}
	})
}

func TestCellsComeAsTheirKinds(t *testing.T) {
	cases := map[string]struct {
		of   string
		want any
	}{
		"NULL":                  {"NULL", nil},
		"Nullable":              {"toNullable(toFloat64(2))", 2.0},
		"Nullable text":         {"CAST(NULL AS Nullable(String))", nil},
		"the text NULL":         {"'NULL'", "NULL"},
		"the text of a NULL":    {`'\\N'`, `\N`},
		"UInt8":                 {"toUInt8(255)", int64(255)},
		"Int64":                 {"toInt64(-9223372036854775808)", int64(math.MinInt64)},
		"UInt64 beyond doubles": {"toUInt64(9007199254740993)", int64(9007199254740993)},
		"Float32":               {"toFloat32(0.1)", float64(float32(0.1))},
		"Decimal":               {"toDecimal128('1.25', 2)", "1.25"},
		"date":                  {"toDate('2020-02-29')", "2020-02-29"},
		"time":                  {"toDateTime('2020-02-29 01:02:03', 'UTC')", "2020-02-29 01:02:03"},
		"Enum":                  {"CAST('b' AS Enum8('a' = 1, 'b' = 2))", "b"},
		"LowCardinality":        {"toLowCardinality('x')", "x"},
		"tabs and lines":        {`'a\tb\nc\\d\'e\0f'`, "a\tb\nc\\d'e\x00f"},
		"Unicode":               {"'größer 漢字 😀'", "größer 漢字 😀"},
		"bytes":                 {"unhex('FF00FE')", "\xff\x00\xfe"},
		"empty text":            {"''", ""},
		"list of numbers":       {"[1.5, nan, inf]", []float64{1.5, math.NaN(), math.Inf(1)}},
		"list with a NULL":      {"[1.5, NULL]", []float64{1.5, math.NaN()}},
		"list of integers":      {"[toInt64(-1), toInt64(2)]", []int64{-1, 2}},
		"empty list":            {"emptyArrayFloat64()", []float64{}},
	}
	versions(t, func(t *testing.T, e *Engine) {
		nan := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
		for name, c := range cases {
			rows, err := e.Query(t.Context(), "SELECT "+c.of+" AS v")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if diff := cmp.Diff([][]any{{c.want}}, rows, nan); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		for _, wrong := range []string{"toUInt64(18446744073709551615)", "['a']", "[[1]]"} {
			if rows, err := e.Query(t.Context(), "SELECT "+wrong); err == nil {
				t.Errorf("%s came as %v", wrong, rows)
			}
		}
		if rows, err := e.Query(t.Context(), "SELECT 1 AS one WHERE 0"); err != nil || len(rows) != 0 {
			t.Errorf("no rows: %v, %v", rows, err)
		}
	})
}

func TestColumnsOfTablesViewsAndQueries(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		for _, s := range []string{"CREATE TABLE `größe t` (`a b` Nullable(Float64), c Array(Float64), d Date, e Enum8('x' = 1)) ENGINE = Log",
			"CREATE VIEW v AS SELECT `a b` FROM `größe t`"} {
			if err := e.Exec(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		want := []engine.Column{
			{Name: "a b", Kind: engine.Number, Nullable: true, Type: "Nullable(Float64)"}, {Name: "c", Kind: engine.Other, Type: "Array(Float64)"},
			{Name: "d", Kind: engine.Label, Type: "Date"}, {Name: "e", Kind: engine.Label, Type: "Enum8('x' = 1)"}}
		for relation, columns := range map[string][]engine.Column{
			"`größe t`": want, "v": want[:1], "SELECT * FROM `größe t`": want, "(SELECT d FROM `größe t`)": want[2:3],
		} {
			got, err := e.Columns(t.Context(), relation)
			if err != nil {
				t.Fatal(relation, err)
			}
			if diff := cmp.Diff(columns, got); diff != "" {
				t.Error(relation, diff)
			}
		}
		_, err := e.Columns(t.Context(), "nowhere")
		var f *framework.Fault
		if !errors.As(err, &f) || f.Code != "table-not-found" {
			t.Error(err)
		}
	})
}

func TestStatementsMayBeLong(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		list := strings.Repeat("1.25e0, ", 60_000)
		rows := asked(t, e, "SELECT arraySum(["+list+"0e0]) AS s, "+strings.Repeat("1 + ", 200)+"1 AS one")
		if rows[0][0] != 75_000.0 {
			t.Error(rows[0][0])
		}
	})
}

func TestErrorsBehindRowsLeaveNoAnswer(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		rows, err := e.Query(t.Context(), "SELECT number, throwIf(number = 2000000) FROM numbers(3000000)")
		if err == nil || rows != nil || !strings.Contains(err.Error(), "throwIf") {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	})
}

func TestReadingStatementsChangeNothing(t *testing.T) {
	e := opened(t, clickhousetest.Start(t, 1)[0].URL(""), time.Second)
	if _, err := e.Query(t.Context(), "CREATE TABLE t (a UInt8) ENGINE = Log"); err == nil {
		t.Error("Query created a table")
	}
}

func TestLimitsThatCutAnswersAreErrors(t *testing.T) {
	s := clickhousetest.Start(t, 1)[0]
	e, err := open(t.Context(), s.URL(""), Credentials{User: "sloppy"}, time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, statement := range []string{"SELECT number, count() FROM numbers(100000) GROUP BY number", "SELECT number FROM numbers(100000)"} {
		if rows, err := e.Query(t.Context(), statement); err == nil {
			t.Errorf("%s: %d rows", statement, len(rows))
		}
	}
}

func TestLoginsThatAreWrong(t *testing.T) {
	s := clickhousetest.Start(t, 1)[0]
	for _, c := range []Credentials{{User: clickhousetest.User, Password: "battery-staple"}, {User: "nobody", Password: "battery-staple"}} {
		_, err := open(t.Context(), s.URL(""), c, time.Second, nil)
		var f *framework.Fault
		if !errors.As(err, &f) || f.Code != "engine-login" || strings.Contains(fmt.Sprintf("%+v %v", f, err), "battery") {
			t.Errorf("%v", err)
		}
	}
	_, err := open(t.Context(), s.URL(""), Credentials{User: "reader"}, time.Second, nil)
	if err == nil || !strings.Contains(err.Error(), "engine-readonly") {
		t.Errorf("%v", err)
	}
	_, err = open(t.Context(), s.URL("?cluster=elsewhere"), anna, time.Second, nil)
	if err == nil || !strings.Contains(err.Error(), "engine-cluster") {
		t.Errorf("%v", err)
	}
	if _, err := open(t.Context(), s.URL("?no_such=1"), anna, time.Second, nil); err == nil || !strings.Contains(err.Error(), "no_such") {
		t.Errorf("%v", err)
	}
}

// long is a statement that runs for minutes on each shard.
const long = "SELECT sum(sin(number)) AS s FROM (SELECT number FROM numbers(100000000000))"

func TestCancelledStatementsEndInTheServer(t *testing.T) {
	servers := clickhousetest.Start(t, 2)
	e := opened(t, servers[0].URL(""), time.Minute)
	running := "SELECT count() FROM system.processes WHERE query LIKE '%sin(number)%' AND query NOT LIKE '%processes%'"
	for name, statement := range map[string]string{"one server": long,
		"two shards": "SELECT sum(sin(number)) AS s FROM cluster('" + clickhousetest.Cluster + "', system, numbers)"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := e.Query(ctx, statement)
				failed <- err
			}()
			servers[0].Until(running, "1", 10*time.Second)
			if name == "two shards" {
				servers[1].Until(running, "1", 10*time.Second)
			}
			began := time.Now()
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			for _, s := range servers {
				s.Until(running, "0", 2*time.Second)
			}
			if took := time.Since(began); took > farewell+2*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	t.Run("by a deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := e.Query(ctx, long); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		servers[0].Until(running, "0", 2*time.Second)
	})
}

// asked returns the answer to a statement.
func asked(t *testing.T, e *Engine, statement string) [][]any {
	t.Helper()
	rows, err := e.Query(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
