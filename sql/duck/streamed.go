//go:build !duckdb_extension

package duck

import (
	"context"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// prepared is Stream within a transaction, while the lock is held.
func (db *DB) prepared(ctx context.Context, sql string, use func(Chunk) error) error {
	defer db.interruptWhenDone(ctx)()
	var statement mapping.PreparedStatement
	defer mapping.DestroyPrepare(&statement)
	if mapping.Prepare(db.conn, sql, &statement) == mapping.StateError {
		return failure(ctx, mapping.PrepareError(statement))
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if err := begin(ctx, statement, &result); err != nil {
		return err
	}
	return fetch(ctx, &result, use)
}

// begin runs a statement whose rows are made as they are fetched.
func begin(ctx context.Context, statement mapping.PreparedStatement, result *mapping.Result) error {
	// A pending result can be streamed; a plain one would be held in memory. The
	// call is marked as deprecated, and the driver does not export it, but nothing
	// replaces it.
	return execute(ctx, statement, bindings.PendingPreparedStreaming, result)
}

// preparedNames is plannedNames while the lock is held.
func (db *DB) preparedNames(sql string) (names []string, err error) {
	var statement mapping.PreparedStatement
	defer mapping.DestroyPrepare(&statement)
	if mapping.Prepare(db.conn, sql, &statement) == mapping.StateError {
		return nil, Error(mapping.PrepareError(statement))
	}
	for i := range mapping.PreparedStatementColumnCount(statement) {
		names = append(names, mapping.PreparedStatementColumnName(statement, i))
	}
	return names, nil
}
