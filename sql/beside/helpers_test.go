package beside

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// memory returns a private database in which the statements have run.
func memory(t testing.TB, statements ...string) *DB {
	t.Helper()
	db, err := duck.Open(t.Context(), "", duck.ReadWrite, duck.Options{})
	return sqltest.Ready(t, &DB{source.DB{DB: db}}, err, statements...)
}
