//go:build engines

package clickhouse

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// Both places are at work at the same time. Each has its own rows.
func TestFitsWhereTheRowsAreAreThoseOfRowsHere(t *testing.T) {
	t.Parallel()
	for name, servers := range map[string]func(*testing.T) []*clickhousetest.Server{
		"two servers": func(t *testing.T) []*clickhousetest.Server { return clickhousetest.Start(t, 2) }, // and a Distributed table over them
		"chdb": func(t *testing.T) []*clickhousetest.Server {
			return []*clickhousetest.Server{clickhousetest.StartChDB(t)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.Laws(t, newLoader(t, servers(t)...).open)
		})
	}
}
