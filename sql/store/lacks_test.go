package store

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
)

func TestAColumnThatAModelLacksCanBeGivenAsTheHintSays(t *testing.T) {
	file := inTemp(t, "it's new.csv")
	if err := os.WriteFile(file, []byte("id,a\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := memory(t, `CREATE TABLE "my rows" AS SELECT 1 AS id, 2 AS a`)
	spec := input.Spec{ID: "id", Want: []string{"a", `b"c`, "plan"}, WantCategories: map[string]bool{"plan": false}, MissingOK: true}
	for _, relation := range []string{"my rows", file, "SELECT 1 AS id, 2 AS a;"} {
		spec.Relation = relation
		_, err := db.Read(context.Background(), spec)
		_, query, found := strings.Cut(explain(err), "if they are not known, give NULLs: ")
		if !found {
			t.Fatal(explain(err))
		}
		query = strings.ReplaceAll(query[1:len(query)-1], `'\''`, "'") // as a shell reads it
		spec.Relation = query
		if n := read(t, db, spec).Keys.Len(); n != 1 {
			t.Errorf("%s: %d rows", query, n)
		}
	}
	spec.Relation, spec.MissingOK, spec.Want = "my rows", false, []string{"a", "age"}
	_, err := db.Read(context.Background(), spec)
	wantFault(t, err, "column-not-found: table \"my rows\" has no column \"age\"\nwhere: the model's features\n"+
		"hint: its columns are id, a; the algorithm of the run needs a value in every row: give a relation with age")
}

func TestPairsThatAreAllLeftOutAreRefused(t *testing.T) {
	db := memory(t, "CREATE TABLE points AS SELECT i AS id, CASE WHEN i > 2 THEN i END AS x FROM range(6) t(i)") // 0 to 2 are left out
	table := read(t, db, input.Spec{Relation: "points", ID: "id", Nulls: "drop"})
	pairs := func(rows string) (input.Pairs, error) {
		return db.ReadPairs(context.Background(), "SELECT * FROM (VALUES "+rows+") v(a, b, kind)", table)
	}
	_, err := pairs("(0, 4, 'must'), (1, 2, 'cannot')")
	wantFault(t, err, "dropped-pairs: every pair of the query has a row that was left out because of a NULL\n"+
		"where: pairs\nhint: give pairs of rows without NULLs; or leave out the columns that have NULLs: exclude")
	if some, err := pairs("(0, 4, 'must'), (3, 4, 'cannot')"); err != nil || some.Dropped != 1 || len(some.Links) != 1 {
		t.Error(some, explain(err))
	}
}
