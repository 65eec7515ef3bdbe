package source

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// memory returns a private database in which the statements have run.
func memory(t testing.TB, statements ...string) *DB {
	t.Helper()
	return opened(t, "", duck.ReadWrite, statements...)
}

func opened(t testing.TB, path string, mode duck.Mode, statements ...string) *DB {
	t.Helper()
	db, err := duck.Open(t.Context(), path, mode, duck.Options{})
	return sqltest.Ready(t, &DB{db}, err, statements...)
}
