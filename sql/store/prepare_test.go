package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// contents are the tables of a database with their columns and comments, and all rows.
func contents(t *testing.T, db *DB) [][]any {
	t.Helper()
	all := must.Get(db.Rows(t.Context(), `SELECT table_name, '' AS column_name, 0 AS at, '' AS type, false AS nullable, comment
		FROM duckdb_tables() UNION ALL
		SELECT table_name, column_name, column_index, data_type, is_nullable, comment FROM duckdb_columns() WHERE NOT internal
		ORDER BY ALL`))(t)
	for _, table := range must.Get(db.Tables(t.Context()))(t) {
		rows := "FROM " + table.Qualified()
		if table.Name == "iris_run" {
			rows = "SELECT * REPLACE (0 AS seconds_write) " + rows
		}
		all = append(all, must.Get(db.Rows(t.Context(), "SELECT t::VARCHAR FROM ("+rows+") AS t"))(t)...)
	}
	return all
}

func TestTablesThatWerePreparedAreThoseThatAreNot(t *testing.T) {
	r := sample()
	for name, change := range map[string]func(){
		"as they are":          func() {},
		"without limits":       func() { r.Limits = nil },
		"a comment of its own": func() { r.CentersLeftOut = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			change()
			var want [][]any
			for _, rows := range []int{duck.ChunkRows + 1, duck.ChunkRows} { // of more, nothing is prepared
				db := opened(t, sqltest.Temp(t, "new.duckdb"), ReadWrite)
				db.Prepare(t.Context(), "iris", r.Assignments.KeyName, r.Assignments.Keys.Type(), rows)
				if prepared := db.Begun(); prepared != (rows == duck.ChunkRows) {
					t.Errorf("%d rows: prepared %v", rows, prepared)
				}
				write(t, db, "iris", false, r)
				got := contents(t, db)
				sqltest.Close(t, db)
				if want == nil {
					want = got
				}
				must.Equal(t, want, got)
			}
		})
	}
}

func TestTablesThatWerePreparedForAnotherRunAreNotThere(t *testing.T) {
	for name, prepare := range map[string]func(*DB){
		"name": func(db *DB) { db.Prepare(t.Context(), "other", input.RowNumber, "BIGINT", 3) },
		"key":  func(db *DB) { db.Prepare(t.Context(), "iris", "code", "BIGINT", 3) },
		"type": func(db *DB) { db.Prepare(t.Context(), "iris", input.RowNumber, "VARCHAR", 3) },
		"both": func(db *DB) {
			db.Prepare(t.Context(), "iris", "code", "BIGINT", 3)
			db.Prepare(t.Context(), "iris", input.RowNumber, "BIGINT", 3)
		},
		"schema that there is not": func(db *DB) { db.Prepare(t.Context(), "no.iris", input.RowNumber, "BIGINT", 3) },
	} {
		t.Run(name, func(t *testing.T) {
			db := opened(t, sqltest.Temp(t, "new.duckdb"), ReadWrite)
			prepare(db)
			write(t, db, "iris", false, sample())
			got := contents(t, db)
			sqltest.Close(t, db)
			alone := opened(t, sqltest.Temp(t, "new.duckdb"), ReadWrite)
			write(t, alone, "iris", false, sample())
			must.Equal(t, contents(t, alone), got)
			sqltest.Close(t, alone)
		})
	}
}

func TestTablesThatWerePreparedForNothingLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, filepath.Join(dir, "new.duckdb"), ReadWrite)
	db.Prepare(t.Context(), "iris", "id", "BIGINT", 3)
	sqltest.Close(t, db)
	if left := must.Get(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNothingIsPreparedInADatabaseThatWasThere(t *testing.T) {
	path := sqltest.Temp(t, "old.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	db := opened(t, path, ReadWrite)
	db.Prepare(t.Context(), "iris", "id", "BIGINT", 3)
	if db.Begun() || len(must.Get(db.Tables(t.Context()))(t)) != 1 {
		t.Errorf("there is more than the table that was there, such as %s", schema.Fit)
	}
	sqltest.Close(t, db)
}
