package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// keyTypes are row keys of all types that there can be: SQL of three values in
// ascending order.
var keyTypes = map[string][3]string{
	"BOOLEAN":        {"false", "true", ""},
	"TINYINT":        {"-128", "0", "127"},
	"SMALLINT":       {"-32768", "0", "32767"},
	"INTEGER":        {"-2147483648", "0", "2147483647"},
	"BIGINT":         {"-9223372036854775808", "0", "9223372036854775807"},
	"HUGEINT":        {"-170141183460469231731687303715884105728", "-1", "170141183460469231731687303715884105727"},
	"UTINYINT":       {"0", "1", "255"},
	"USMALLINT":      {"0", "1", "65535"},
	"UINTEGER":       {"0", "1", "4294967295"},
	"UBIGINT":        {"0", "1", "18446744073709551615"},
	"UHUGEINT":       {"0", "18446744073709551616", "340282366920938463463374607431768211455"},
	"FLOAT":          {"-1.5", "0", "2.5"},
	"DOUBLE":         {"-1.5", "0", "2.5"},
	"DECIMAL(4,2)":   {"-12.34", "-0.05", "12.00"},
	"DECIMAL(9,3)":   {"-1234.567", "0.001", "10.000"},
	"DECIMAL(18,0)":  {"-12", "0", "12"},
	"DECIMAL(38,10)": {"-1234567890123456789.0123456789", "0.0000000001", "5.0000000000"},
	"VARCHAR":        {"", "a", "a long text, of more than twelve bytes, é"},
	"UUID": {"00000000-0000-0000-0000-000000000001", "7fffffff-ffff-ffff-ffff-ffffffffffff",
		"ffffffff-ffff-ffff-ffff-fffffffffffe"},
	"DATE":                     {"1582-10-15", "1970-01-01", "2024-02-29"},
	"TIME":                     {"00:00:00", "12:34:56.789", "23:59:59.999999"},
	"TIMESTAMP":                {"1969-12-31 23:59:59.5", "1970-01-01 00:00:00", "2024-02-29 12:00:00.000001"},
	"TIMESTAMP_S":              {"1969-12-31 23:59:59", "1970-01-01 00:00:00", "2024-02-29 12:00:00"},
	"TIMESTAMP_MS":             {"1969-12-31 23:59:59.5", "1970-01-01 00:00:00", "2024-02-29 12:00:00.001"},
	"TIMESTAMP_NS":             {"1969-12-31 23:59:59.5", "1970-01-01 00:00:00", "2024-02-29 12:00:00.000000001"},
	"TIMESTAMP WITH TIME ZONE": {"1969-12-31 23:59:59+00", "1970-01-01 00:00:00+00", "2024-02-29 12:00:00+00"},
	"ENUM('small', 'big')":     {"small", "big", ""},
	"BLOB":                     {`\x00`, `a\xFF`, "b"},
	"JSON":                     {`{"a":1}`, `{"a":2}`, `{"b":1}`},
}

func TestKeyTypes(t *testing.T) {
	db := memory(t, "SET TimeZone = 'UTC'")
	for typ, values := range keyTypes {
		t.Run(typ, func(t *testing.T) {
			for _, s := range []string{"CREATE OR REPLACE TABLE t (key " + typ + ", x DOUBLE)", "DROP SCHEMA IF EXISTS results CASCADE",
				"CREATE SCHEMA results"} {
				must.Do(t, db.Exec(t.Context(), s))
			}
			want := []string{}
			for i, v := range values {
				if v == "" && i > 0 {
					continue
				}
				want = append(want, v)
			}
			for i := len(want) - 1; i >= 0; i-- { // against the order
				must.Do(t, db.Exec(t.Context(), "INSERT INTO t SELECT CAST("+schema.Text(want[i])+" AS "+typ+"), 1"))
			}
			table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "key"})
			if d := cmp.Diff(want, sqltest.KeyTexts(table.Keys)); d != "" {
				t.Errorf("ascending order, and the text of DuckDB: %s", d)
			}
			r := &result.Tables{Assignments: result.Assignments{KeyName: table.KeyName, Keys: table.Keys, Labels: make([]int32, len(want))},
				Fit: result.Fit{RunID: "r", Algorithm: "a"}}
			must.Do(t, db.Write(t.Context(), "results.run", false, r))
			rows, err := db.Rows(t.Context(),
				"SELECT count(*), any_value(typeof(a.key)), string_agg(a.key::VARCHAR, '|' ORDER BY a.rowid), "+
					"string_agg(t.key::VARCHAR, '|' ORDER BY a.rowid) FROM results.run_assignments a JOIN t ON a.key = t.key")
			must.Do(t, err)
			if rows[0][0] != int64(len(want)) || rows[0][1] != typ || rows[0][2] != rows[0][3] {
				t.Errorf("written and joined back: %v", rows[0])
			}
			_, shown, err := db.Show(t.Context(), "results.run", "assignments")
			if err != nil || fmt.Sprint(shown[0][0]) != want[0] {
				t.Errorf("shown as %v, %v", shown, err)
			}
		})
	}
}
