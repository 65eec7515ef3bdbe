//go:build engines

package clickhouse

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// places runs a test with a Distributed table over two servers, and with a newer version.
func places(t *testing.T, test func(t *testing.T, l *loader)) {
	t.Chdir("../../..") // relations are files of examples
	t.Run("two servers", func(t *testing.T) { test(t, newLoader(t, clickhousetest.Start(t, 2)...)) })
	t.Run("chdb", func(t *testing.T) { test(t, newLoader(t, clickhousetest.StartChDB(t))) })
}

func TestFitsWhereTheRowsAreAreThoseOfRowsHere(t *testing.T) {
	places(t, func(t *testing.T, l *loader) {
		t.Run("recipes", func(t *testing.T) { enginetest.Recipes(t, l.open) })
		t.Run("fits", func(t *testing.T) { enginetest.Fits(t, l.open) })
		t.Run("assignments", func(t *testing.T) { enginetest.Assignments(t, l.open) })
		t.Run("starts", func(t *testing.T) { enginetest.Starts(t, l.open) })
		t.Run("statements", func(t *testing.T) { enginetest.Statements(t, l.open) })
	})
}
