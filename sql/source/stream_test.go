package source

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestStreamThatFails(t *testing.T) {
	t.Run("for_lack_of_memory_is_not_taken_for_its_end", func(t *testing.T) {
		path := sqltest.Temp(t, "big.duckdb")
		db := opened(t, path, duck.ReadWrite, "CREATE TABLE big AS SELECT i AS id, i * 0.5 AS x, repeat('x', 100) || i AS s "+
			"FROM range(250000) r(i)", "CHECKPOINT",
			"SET temp_directory = ''", "SET threads = 2", "SET memory_limit = '15MB'")
		_, err := db.Read(t.Context(), input.Spec{Relation: "SELECT id, x, s FROM big ORDER BY hash(id), s", ID: "id",
			Exclude: []string{"s"}})
		f := framework.AsFault(err)
		if f == nil || f.Code != "out-of-memory" || !strings.Contains(f.Error(), "Out of Memory Error") {
			t.Error(sqltest.Explain(err))
		}
	})
	t.Run("after_many_rows_tells_DuckDBs_reason", func(t *testing.T) {
		// With several threads, one of them may report that another stopped it.
		_, err := memory(t, "SET threads = 1").Read(t.Context(),
			input.Spec{Relation: "SELECT CAST(CASE WHEN i = 150000 THEN 'x' ELSE '1' END AS INTEGER) AS a FROM range(200000) r(i)"})
		f := framework.AsFault(err)
		if f == nil || f.Code != "read-failed" || !strings.Contains(f.Error(), "Could not convert string 'x'") {
			t.Error(sqltest.Explain(err))
		}
	})
}

func TestReadCancelled(t *testing.T) {
	db := memory(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Run("in_mid_stream", func(t *testing.T) {
		_, err := db.Read(ctx, input.Spec{Relation: "SELECT i AS x FROM range(1000000000) r(i)", Progress: func(rows int) {
			if rows > 100_000 {
				cancel()
			}
		}, Storage: matrix.Memory})
		if !sqltest.IsCancelled(err) {
			t.Error(sqltest.Explain(err))
		}
	})
	t.Run("before_the_first_row", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := make(chan struct{})
		go func() { <-began; cancel() }()
		close(began)
		// Ten billion pairs: it ends only if it is interrupted.
		_, err := db.Read(ctx, input.Spec{Relation: "SELECT sum(a.i * b.i) AS x FROM range(100000) a(i), range(100000) b(i)"})
		if !sqltest.IsCancelled(err) {
			t.Error(sqltest.Explain(err))
		}
	})
	t.Run("leaves_the_connection_usable", func(t *testing.T) {
		sqltest.Read(t, db, input.Spec{Relation: "SELECT 1 AS x"})
	})
}

func TestAQueryThatIsFoundToWriteWhenItIsReadIsSaidToBeTheOne(t *testing.T) {
	err := ReadFault(duck.Error("Cannot execute statement in read-only mode"), &Relation{Label: "the query"}, 0)
	if f := framework.AsFault(err); f == nil || f.Code != "query-has-effects" || f.Where != "the query" {
		t.Error(sqltest.Explain(err))
	}
}
