package source

import (
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestWhatNeedsAnExtensionIsRefused(t *testing.T) {
	db := memory(t)
	for name, relation := range map[string]string{
		"an address":            "http://127.0.0.1:1/x.parquet",
		"a bucket, in a query":  "SELECT * FROM 's3://bucket/x.csv'",
		"another database":      "SELECT * FROM postgres_scan('a', 'b', 'c')",
		"a type":                "SELECT '1.2.3.4'::INET AS x",
		"a function":            "SELECT ST_X(ST_Point(1, 2)) AS x",
		"a pivot of an address": "PIVOT 's3://bucket/x.csv' ON c USING sum(x)",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.Read(t.Context(), input.Spec{Relation: relation})
			if f := framework.AsFault(err); f == nil || f.Code != "extension-needed" || f.Hint == "" {
				t.Error(sqltest.Explain(err))
			}
		})
	}
}

func TestWhatIsBuiltInNeedsNoExtension(t *testing.T) {
	dir := t.TempDir()
	db := memory(t, "CREATE TABLE t AS SELECT 1.5 AS x", "COPY t TO '"+dir+"/x.parquet'", "COPY t TO '"+dir+"/x.json'",
		"COPY t TO '"+dir+"/x.csv.gz'")
	for _, relation := range []string{
		dir + "/x.parquet", dir + "/x.json", dir + "/x.csv.gz", dir + "/*.parquet", "SELECT x FROM read_json_auto('" + dir + "/x.json')",
		"SELECT extract(year FROM TIMESTAMPTZ '2024-01-01 00:00:00+00' AT TIME ZONE 'Asia/Tokyo') AS x",
		`SELECT ('{"a": 1}'::JSON->>'a')::INTEGER AS x`,
	} {
		t.Run(relation, func(t *testing.T) {
			if got := sqltest.Read(t, db, input.Spec{Relation: relation}); got.Keys.Len() != 1 {
				t.Errorf("%d rows", got.Keys.Len())
			}
		})
	}
}

func TestAStatementThatIsNoSelectIsRefused(t *testing.T) {
	dir := t.TempDir()
	db := memory(t, "CREATE TABLE t AS SELECT 1 AS x")
	for _, relation := range []string{
		"LOAD httpfs", "(LOAD httpfs)", "FROM (LOAD httpfs)", "WITH a AS (INSTALL httpfs) FROM a", "FROM (INSERT INTO t VALUES (2) RETURNING x)",
		"WITH a AS (DELETE FROM t RETURNING x) FROM a", "FROM query('LOAD httpfs')", "FROM query('SET threads = 1')", "FROM (SET threads = 1)",
		"FROM query('COPY t TO ''" + dir + "/x.csv''')", "(COPY t TO '" + dir + "/x.csv')",
		"FROM (ATTACH '" + dir + "/y.db')", "FROM (PRAGMA enable_profiling)",
		"FROM (CREATE SECRET (TYPE s3))", "FROM (EXPORT DATABASE '" + dir + "/e')", "FROM t; LOAD httpfs", "PIVOT t ON x; LOAD httpfs",
	} {
		if table, err := db.Read(t.Context(), input.Spec{Relation: relation}); err == nil {
			_ = table.Close()
			t.Errorf("%s is read", relation)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	if table := sqltest.Read(t, db, input.Spec{Relation: "t"}); table.Keys.Len() != 1 {
		t.Errorf("%d rows", table.Keys.Len())
	}
}
