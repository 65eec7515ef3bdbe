//go:build engines

package clickhouse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// large makes the large table, each server its share at the same time, and one over all of them.
func large(t *testing.T, servers ...*clickhousetest.Server) *Engine {
	t.Helper()
	part, share := "large", enginetest.LargeRows/len(servers)
	if len(servers) > 1 {
		part = "part"
	}
	made := make(chan error, len(servers))
	engines := make([]*Engine, len(servers))
	for i, s := range servers {
		e := opened(t, s.URL(""), time.Second)
		engines[i] = e
		must.Do(t, e.Exec(t.Context(), "CREATE TABLE "+part+" (id UInt64, "+strings.Join(enginetest.LargeColumns(), " Float64, ")+" Float64) "+
			"ENGINE = MergeTree ORDER BY id"))
		go func() {
			made <- e.Exec(t.Context(), fmt.Sprintf("INSERT INTO %s SELECT id, %s FROM (SELECT number * %d + %d AS id FROM numbers(%d))", part,
				enginetest.LargeCells(e.Dialect(), "id"), len(servers), i, share))
		}()
	}
	for range servers {
		must.Do(t, <-made)
	}
	if len(servers) > 1 {
		must.Do(t, engines[0].Exec(t.Context(), "CREATE TABLE large AS part ENGINE = Distributed("+clickhousetest.Cluster+", default, part)"))
	}
	return engines[0]
}

func TestLargeFitsOverServersAreThoseOfRowsHere(t *testing.T) {
	t.Parallel()
	enginetest.Large(t, large(t, clickhousetest.Start(t, 2)...), "large")
}
