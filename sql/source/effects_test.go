package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// readers are DuckDB's table functions that only read, or make rows of their
// arguments.
var readers = strings.Fields(`
	check_peg_parser duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
	duckdb_databases duckdb_dependencies duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords
	duckdb_log_contexts duckdb_logs duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_schemas duckdb_secret_types
	duckdb_secrets duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types
	duckdb_variables duckdb_views generate_series glob icu_calendar_names json_each json_tree parquet_bloom_probe
	parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_scan parquet_schema pg_timezone_names
	pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show pragma_storage_info pragma_table_info
	pragma_user_agent pragma_version query query_table range read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto
	read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_ndjson_objects_auto read_parquet
	read_text repeat repeat_row seq_scan sniff_csv sql_auto_complete summary test_all_types test_vector_types unnest which_secret`)

func TestEveryTableFunctionOfDuckDBIsKnownToReadOrRefused(t *testing.T) {
	db := memory(t)
	rows := must.Get(db.Rows(t.Context(), "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"))(t)
	for _, row := range rows {
		name := row[0].(string)
		if _, refused := effects[name]; refused == slices.Contains(readers, name) {
			t.Errorf("%s: does it do more than read? Then it belongs to effects, else to readers", name)
		}
	}
}

func TestARelationThatDoesMoreThanReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	log, profile := filepath.Join(dir, "log"), filepath.Join(dir, "profile.json")
	logging := "enable_logging(level = 'debug', storage = 'file', storage_config = {'path': '" + log + "'})"
	db := opened(t, filepath.Join(dir, "x.duckdb"), duck.ReadWrite, "CREATE SEQUENCE s",
		"CREATE TABLE t AS SELECT 1 AS id, 2.5 AS x, 'a' AS c",
		"CREATE VIEW logs AS SELECT * FROM "+logging, "CREATE MACRO logged() AS TABLE SELECT * FROM "+logging,
		"CREATE VIEW counts AS SELECT nextval('s') AS id, x FROM t")
	pivot := " ON Success USING count(*)"
	for name, relation := range map[string]string{
		"logging to a file":             "FROM " + logging,
		"in a subquery":                 "SELECT x, (SELECT count(*) FROM " + logging + ") AS y FROM t",
		"with its schema, in quotes":    `FROM system.main."enable_logging"(level = 'debug')`,
		"in a view":                     "logs",
		"in a query of a view":          "SELECT * FROM t, logs",
		"in a macro":                    "FROM logged()",
		"in a text":                     "FROM query('FROM disable_' || 'logging()')",
		"in a serialized query":         "FROM json_execute_serialized_sql(json_serialize_sql('FROM disable_logging()'))",
		"below a join and an aggregate": "WITH a AS MATERIALIZED (FROM logs) SELECT count(*) AS n FROM a, t WHERE EXISTS (FROM a)",
		"a profile":                     "FROM enable_profiling(format := 'json', save_location := '" + profile + "')",
		"a checkpoint":                  "FROM force_checkpoint()",
		"a pivot of it":                 "PIVOT (FROM " + logging + ")" + pivot,
		"a pivot of it, in capitals":    "PIVOT (FROM Disable_Logging())" + pivot,
		"a pivot of a view":             "PIVOT LOGS" + pivot,
		"a pivot of a quoted view":      `PIVOT main."logs"` + pivot,
		"a pivot of a macro":            "PIVOT logged()" + pivot,
		"a pivot of a text":             "PIVOT query('FROM disable_' || 'logging()')" + pivot,
		"a sequence":                    "SELECT nextval('s') AS id, x FROM t",
		"a sequence in a view":          "counts",
		"a pivot with a sequence":       "PIVOT (SELECT nextval('s') AS id, c, x FROM t) ON c USING sum(x)",
	} {
		t.Run(name, func(t *testing.T) {
			table, err := db.Read(t.Context(), input.Spec{Relation: relation})
			if err == nil {
				_ = table.Close()
			}
			if f := framework.AsFault(err); f == nil || f.Code != "query-has-effects" || f.Hint == "" {
				t.Error(sqltest.Explain(err))
			}
		})
	}
	for _, path := range []string{log, profile} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	rows, err := db.Rows(t.Context(),
		`SELECT (SELECT last_value FROM duckdb_sequences()) IS NULL, current_setting('enable_logging')::VARCHAR`)
	if err != nil || rows[0][0] != true || rows[0][1] == "1" {
		t.Errorf("the sequence is as it was, nothing is logged: %v %v", rows, err)
	}
}
