package functions_test

import (
	"fmt"
	"slices"
	"testing"
)

// A key comes back as it was, in its own type, or as its text if the type is one that
// a value cannot have.
func TestKeysOfEveryTypeComeBack(t *testing.T) {
	s := opened(t, "", "SET TimeZone = 'Europe/Berlin'", "CREATE TYPE size AS ENUM ('s', 'm', 'l')")
	asText := []string{"DECIMAL(9,2)", "DECIMAL(30,4)", "size"}
	f := refused(t, s, "SELECT cluster_fit(id, t, {k: 2, on_error: 'fail'}) FROM (SELECT TIMETZ '01:02:03+02' AS id, 1 AS x) t")
	if f.Code != "key-type-unsupported" {
		t.Error(f)
	}
	for typ, keys := range map[string][]string{
		"BOOLEAN": {"true", "false"}, "TINYINT": {"-128", "0", "127"}, "SMALLINT": {"-32768", "0", "32767"},
		"INTEGER": {"-2147483648", "0", "2147483647"}, "BIGINT": {"-9223372036854775808", "0", "9223372036854775807"},
		"HUGEINT":  {"-170141183460469231731687303715884105728", "0", "170141183460469231731687303715884105727"},
		"UTINYINT": {"0", "1", "255"}, "USMALLINT": {"0", "1", "65535"}, "UINTEGER": {"0", "1", "4294967295"},
		"UBIGINT": {"0", "1", "18446744073709551615"}, "UHUGEINT": {"0", "1", "340282366920938463463374607431768211455"},
		"FLOAT": {"-0.1", "0.1", "3e38"}, "DOUBLE": {"-0.1", "0.1", "1e300"},
		"VARCHAR": {"''", "'it''s'", "'a text that is longer than twelve bytes: Ü'"},
		"BLOB":    {"''::BLOB", "'\\x00\\xFF'::BLOB", "'long enough not to be kept in place'::BLOB"},
		"UUID":    {"'00000000-0000-0000-0000-000000000000'", "'0f8fad5b-d9cb-469f-a165-70867728950e'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
		"DATE":    {"'-infinity'", "'0044-03-15 (BC)'", "'2024-02-29'"}, "TIME": {"'00:00:00'", "'01:02:03.000004'", "'23:59:59.999999'"},
		"TIMESTAMP":   {"'1969-12-31 23:59:59.999999'", "'2024-02-29 01:02:03.000001'", "'infinity'"},
		"TIMESTAMP_S": {"'1969-12-31 23:59:59'", "'2024-02-29'"}, "TIMESTAMP_MS": {"'1969-12-31 23:59:59.999'", "'2024-02-29'"},
		"TIMESTAMP_NS": {"'1969-12-31 23:59:59.999999999'", "'2024-02-29'"}, "TIMESTAMPTZ": {"'2024-07-01 12:00:00+02'",
			"'2024-01-01 00:00:00Z'"},
		"DECIMAL(9,2)": {"-0.05", "0", "1234567.89"}, "DECIMAL(30,4)": {"-0.05", "0", "1234567.89"},
		"size": {"'s'", "'l'", "'m'"},
	} {
		values := ""
		for i, k := range keys {
			values += fmt.Sprintf(", (CAST(%s AS %s), %d)", k, typ, i)
		}
		ran(t, s, "CREATE OR REPLACE TEMP TABLE t AS SELECT col0 AS id, col1 AS x FROM (VALUES "+values[2:]+")",
			"CREATE OR REPLACE TEMP TABLE a AS SELECT unnest(assignments, recursive := true) FROM cluster_fit(t, 'id', k := 2)",
			"CREATE OR REPLACE TEMP TABLE b AS SELECT unnest(m.assignments, recursive := true) FROM (SELECT cluster_fit(t.id, t, {k: 2}) AS m "+
				"FROM t)")
		key := "id"
		if slices.Contains(asText, typ) {
			key = "CAST(id AS VARCHAR)"
		}
		same(t, s, "SELECT typeof("+key+"), count(*), "+fmt.Sprint(len(keys))+" FROM t GROUP BY ALL",
			"SELECT typeof(key), count(*), count(cluster) FROM a JOIN t ON key = "+key+" GROUP BY ALL")
		same(t, s, "SELECT * FROM a ORDER BY key", "SELECT * FROM b ORDER BY key")
		same(t, s, "SELECT CAST(id AS VARCHAR) FROM t ORDER BY id", "SELECT CAST(key AS VARCHAR) FROM a JOIN t ON key = "+key+" ORDER BY id")
	}
}
