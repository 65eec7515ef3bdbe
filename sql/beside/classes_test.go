package beside

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestClassesAreThoseOfTheRowsWhateverTheirOrderAndType(t *testing.T) {
	db := memory(t,
		"CREATE TABLE flowers AS SELECT * FROM (VALUES ('d', 1.0, 20, true), ('a', 2.0, NULL, NULL), ('c', 3.0, 3, false), "+
			"('b', 4.0, 20, true)) t(name, x, size, tall)")
	ctx := t.Context()
	for name, test := range map[string]struct {
		relation, id, column string
		want                 []int32
	}{
		"numbers":                {"flowers", "name", "size", []int32{-1, 0, 1, 0}}, // as text '20' is before '3'
		"booleans":               {"flowers", "name", "tall", []int32{-1, 1, 0, 1}},
		"another order":          {"FROM flowers ORDER BY x DESC", "name", "SIZE", []int32{-1, 0, 1, 0}},
		"rows without a key":     {"flowers", "", "size", []int32{0, -1, 1, 0}},
		"the key itself":         {"flowers", "name", "name", []int32{0, 1, 2, 3}},
		"a row has been dropped": {"SELECT * REPLACE (CASE WHEN name <> 'b' THEN x END AS x) FROM flowers", "name", "size", []int32{-1, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			table := sqltest.Read(t, db, input.Spec{Relation: test.relation, ID: test.id, Features: []string{"x"}, Nulls: "drop"})
			got := must.Get(db.ReadClasses(ctx, test.relation, test.column, table))(t)
			must.Equal(t, test.want, got)
		})
	}
	table := sqltest.Read(t, db, input.Spec{Relation: "flowers", ID: "name", Features: []string{"x"}})
	_, err := db.ReadClasses(ctx, "flowers", "sizes", table)
	sqltest.WantFault(t, err, "column-not-found: table \"flowers\" has no column \"sizes\"\nsimilar: size\nwhere: truth")
	sqltest.WantFault(t, db.CheckTruth(ctx, "flowers", "sizes"),
		"column-not-found: table \"flowers\" has no column \"sizes\"\nsimilar: size\nwhere: truth")
	_, err = db.ReadClasses(ctx, "SELECT *, NULL AS none FROM flowers", "none", table)
	sqltest.WantFault(t, err, "no-truth: no row of the query has a class: column \"none\" is NULL for all\nwhere: truth")
}
