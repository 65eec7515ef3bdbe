package store

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func TestNoTableIsReplacedThatIsRead(t *testing.T) {
	db := memory(t, "CREATE TABLE seen AS SELECT 1 AS id", "CREATE TABLE run_assignments AS SELECT 1 AS id", "CREATE SCHEMA other",
		"CREATE TABLE other.seen AS SELECT 1 AS id", "CREATE VIEW near AS SELECT id AS b FROM seen", "CREATE VIEW far AS SELECT * FROM near")
	for name, test := range map[string]struct {
		relation, into string
		whole, refused bool
	}{
		"the table itself":              {"Seen", "seen", false, true},
		"in a query":                    {"SELECT * FROM (SELECT * FROM seen) s", "SEEN", false, true},
		"in a join, with its schema":    {"WITH a AS (SELECT 1 AS id) SELECT a.id FROM a JOIN main.seen USING (id)", "seen", false, true},
		"behind two views":              {"far", "seen", false, true},
		"behind a view in a query":      {"FROM far", "main.seen", false, true},
		"a table of the run":            {"run_assignments", "run", true, true},
		"a table of that name, not run": {"run_assignments", "run", false, false},
		"another table":                 {"run_assignments", "seen", false, false},
		"the same name elsewhere":       {"FROM other.seen", "seen", false, false},
		"a query that reads no table":   {"SELECT 1 AS id", "seen", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var tables []string
			if test.whole {
				tables = schema.Names()
			}
			err := db.CheckNotRead(t.Context(), test.relation, framework.Setting("relation"), test.into, tables...)
			if f := framework.AsFault(err); (f != nil && f.Code == "replaces-its-input") != test.refused {
				t.Error(sqltest.Explain(err))
			}
		})
	}
}
