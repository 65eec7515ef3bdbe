//go:build engines && campaign

package clickhouse

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

func TestLargeFitsInALaterVersionAreThoseOfRowsHere(t *testing.T) {
	t.Parallel()
	enginetest.Large(t, large(t, clickhousetest.StartChDB(t)), "large")
}
