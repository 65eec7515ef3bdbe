package source

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestAColumnThatAModelLacksCanBeGivenAsTheHintSays(t *testing.T) {
	file := sqltest.Temp(t, "it's new.csv")
	must.Do(t, os.WriteFile(file, []byte("id,a\n1,2\n"), 0o600))
	db := memory(t, `CREATE TABLE "my rows" AS SELECT 1 AS id, 2 AS a`)
	spec := input.Spec{ID: "id", Want: []string{"a", `b"c`, "plan"}, WantCategories: map[string]bool{"plan": false}, MissingOK: true}
	for _, relation := range []string{"my rows", file, "SELECT 1 AS id, 2 AS a;"} {
		spec.Relation = relation
		_, err := db.Read(t.Context(), spec)
		_, query, found := strings.Cut(sqltest.Explain(err), "if they are not known, give NULLs: ")
		if !found {
			t.Fatal(sqltest.Explain(err))
		}
		query = strings.ReplaceAll(query[1:len(query)-1], `'\''`, "'") // as a shell reads it
		spec.Relation = query
		if n := sqltest.Read(t, db, spec).Keys.Len(); n != 1 {
			t.Errorf("%s: %d rows", query, n)
		}
	}
	spec.Relation, spec.MissingOK, spec.Want = "my rows", false, []string{"a", "age"}
	_, err := db.Read(t.Context(), spec)
	sqltest.WantFault(t, err, "column-not-found: table \"my rows\" has no column \"age\"\nwhere: the model's features\n"+
		"hint: its columns are id, a; the algorithm of the run needs a value in every row: give a relation with age")
}
