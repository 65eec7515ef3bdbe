//go:build duckdb_extension

package duck

import (
	"context"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// An extension has the database that it was loaded into, and a hidden one: what takes
// more than the interface that DuckDB keeps stable for extensions is not there.

func (db *DB) openFile(mapping.Config) (mapping.State, string) {
	return mapping.StateError, "an extension opens no database"
}

func (db *DB) prepared(ctx context.Context, sql string, use func(Chunk) error) error {
	return db.sunk(ctx, sql, use)
}

func (db *DB) preparedNames(sql string) ([]string, error) { return db.resultNames(sql) }
