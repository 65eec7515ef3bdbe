package store

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// memory returns a private database in which the statements have run.
func memory(t testing.TB, statements ...string) *DB {
	t.Helper()
	return opened(t, "", ReadWrite, statements...)
}

func opened(t testing.TB, path string, mode Mode, statements ...string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, mode)
	return sqltest.Ready(t, db, err, statements...)
}
