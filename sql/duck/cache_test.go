package duck

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// What comes after a scan must not make do with the memory of a scan.
func TestTheNextStatementWaitsForTheCacheToGo(t *testing.T) {
	const limit = "SELECT current_setting('memory_limit')"
	path := sqltest.Temp(t, "old.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE a AS SELECT i AS x FROM range(100000) t(i)"))
	db := opened(t, path, ReadOnly)
	for range 20 {
		must.Do(t, db.limitMemory(t.Context(), minDuckMemory/2)) // less than after a scan
		scan := must.Get(db.Rows(t.Context(), limit))(t)[0][0]
		must.Get(db.Rows(t.Context(), "SELECT sum(x) FROM a"))(t)
		db.DropCache()
		if got := must.Get(db.Rows(t.Context(), limit))(t)[0][0]; got == scan {
			t.Fatalf("the limit is %v still", got)
		}
	}
	db.DropCache()
	must.Do(t, db.Close()) // which waits, too
}
