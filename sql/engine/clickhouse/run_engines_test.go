//go:build engines

package clickhouse

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestTheTablesOfARunHaveTheCellsOfTheirCopies(t *testing.T) {
	columns := []result.CopyColumn{{Name: "cluster", Type: "INTEGER"}, {Name: "of all", Type: "BIGINT"}, {Name: "seed", Type: "UBIGINT"},
		{Name: "x", Type: "DOUBLE"}, {Name: "yes", Type: "BOOLEAN"}, {Name: "says", Type: "VARCHAR"}, {Name: "model", Type: "JSON"},
		{Name: "at", Type: "TIMESTAMP"}}
	rows := [][]any{
		{int64(0), int64(math.MaxInt64), uint64(1 << 62), 0.1 + 0.2, true, "a\tb\\N\n'ß", `{"a": [1, "\t"]}`, "2026-11-24 20:03:14.25"},
		{nil, nil, nil, nil, nil, nil, nil, nil},
		{int64(-1), int64(math.MinInt64), uint64(0), math.Copysign(0, -1), false, "", strings.Repeat("x", 100000), "1999-01-01 00:00:00"},
		{int64(7), int64(1), uint64(1), math.Nextafter(1, 2), false, "\\", "{}", "2000-02-29 23:59:59"},
	}
	want := [][]any{
		{int64(0), int64(math.MaxInt64), int64(1 << 62), 0.1 + 0.2, int64(1), "a\tb\\N\n'ß", `{"a": [1, "\t"]}`, "2026-11-24 20:03:14"},
		rows[1],
		{int64(-1), int64(math.MinInt64), int64(0), math.Copysign(0, -1), int64(0), "", strings.Repeat("x", 100000), "1999-01-01 00:00:00"},
		{int64(7), int64(1), int64(1), math.Nextafter(1, 2), int64(0), "\\", "{}", "2000-02-29 23:59:59"},
	}
	versions(t, func(t *testing.T, e *Engine) {
		of := func(rows [][]any) engine.NewTable {
			centers := result.Copy{Result: "centers", Columns: columns, Each: func(use func([]any) error) error {
				for _, row := range rows {
					if err := use(row); err != nil {
						return err
					}
				}
				return nil
			}}
			return engine.NewTable{Name: "x_centers", Copy: centers}
		}
		labels := engine.NewTable{Name: "x_assignments", Query: "SELECT 1 AS id"}
		for _, tables := range [][]engine.NewTable{{labels, of(rows[:1])}, {labels, of(rows)}} {
			if err := e.ReplaceAll(t.Context(), tables, nil); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(want, asked(t, e, "SELECT * FROM x_centers")); d != "" {
			t.Error(d)
		}
		if err := e.ReplaceAll(t.Context(), []engine.NewTable{of(rows[:1])}, []string{"x_assignments"}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([][]any{{"x_centers"}}, asked(t, e, "SELECT name FROM system.tables WHERE database = currentDatabase()")); d != "" {
			t.Error(d)
		}
		there, err := e.There(t.Context(), []string{"x_centers", "y"})
		want := map[string][]string{"x_centers": {"cluster", "of all", "seed", "x", "yes", "says", "model", "at"}}
		if d := cmp.Diff(want, there); d != "" || err != nil {
			t.Error(err, d)
		}
	})
}

func TestRowsComeOneAfterTheOther(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		n, sum := 0, int64(0)
		err := e.Stream(t.Context(), "SELECT toInt64(number) FROM system.numbers LIMIT 100000", func(row []any) error {
			n++
			sum += row[0].(int64)
			return nil
		})
		if err != nil || n != 100000 || sum != 99999*50000 {
			t.Errorf("%d rows, %d, %v", n, sum, err)
		}
	})
}
