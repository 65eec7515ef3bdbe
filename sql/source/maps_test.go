package source

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// maps are four documents: 3 has no word, and nothing is known of 4.
const maps = `CREATE TABLE maps AS SELECT * FROM (VALUES (2, MAP {'b': 3.5, 'a,b': NULL}, 2, 7), (3, MAP {}, 1, 8), (4, NULL, 5, 9),
	(1, MAP {'a': 1, 'b': 0}, 1, 6)) v(id, m, w, other)`

func TestAColumnOfMapsIsASparseTableOfItsKeys(t *testing.T) {
	db := memory(t, maps)
	spec := input.Spec{Relation: "maps", ID: "id", Features: []string{"M"}, Weight: "w", MissingOK: true}
	table := sqltest.Read(t, db, spec)
	must.Equal(t, true, table.Builder.IsSparse())
	must.Equal(t, []string{"a", "a,b", "b"}, table.Features)
	must.Equal(t, []string{"1", "2", "3"}, sqltest.KeyTexts(table.Keys))
	sqltest.Equal(t, [][]float64{{1, 0, 0}, {0, sqltest.NaN, 3.5}, {0, 0, 0}}, sqltest.Cells(table))
	must.Equal(t, []float64{1, 2, 1}, table.Weights)
	must.Equal(t, []string{"4"}, sqltest.KeyTexts(table.DroppedKeys))
	must.Equal(t, input.NoCells, table.DroppedWhy)
	must.Equal(t, 1, len(table.Excluded))

	spec.ID, spec.Weight = "", ""
	numbered := sqltest.Read(t, db, spec)
	must.Equal(t, []string{"1", "2", "4"}, sqltest.KeyTexts(numbered.Keys))
	must.Equal(t, input.RowNumber, numbered.KeyName)
	sqltest.Equal(t, [][]float64{{0, sqltest.NaN, 3.5}, {0, 0, 0}, {1, 0, 0}}, sqltest.Cells(numbered))

	spec.ID, spec.Nulls = "id", "drop"
	must.Equal(t, []string{"2", "4"}, sqltest.KeyTexts(sqltest.Read(t, db, spec).DroppedKeys))
	wanted := input.Spec{Relation: "maps", ID: "id", Map: "m", Want: []string{"b", "z"}, MissingOK: true}
	sqltest.Equal(t, [][]float64{{0, 0}, {3.5, 0}, {0, 0}}, sqltest.Cells(sqltest.Read(t, db, wanted)))
}

func TestEveryWrongMapIsRefusedWithAMessage(t *testing.T) {
	db := memory(t, maps)
	for name, c := range map[string]struct {
		spec input.Spec
		want string
	}{
		"nulls": {input.Spec{Relation: "maps", ID: "id", Features: []string{"m"}, Nulls: "error"},
			"null-cells: 4 cells are NULL, in 3 columns of table \"maps\"\ncolumn \"a\": 1 of 4 rows\n" +
				"column \"a,b\": 2 of 4 rows\ncolumn \"b\": 1 of 4 rows\n" +
				"hint: nulls = drop leaves out the rows that have one, and keeps 2 of 4 rows; exclude leaves out columns"},
		"no_key": {input.Spec{Relation: "maps", ID: "key", Features: []string{"m"}},
			"column-not-found: table \"maps\" has no column \"key\"\nwhere: id\nhint: its columns are id, m, w, other"},
		"two_rows_of_a_key": {input.Spec{Relation: "FROM maps UNION ALL FROM maps WHERE id = 3", ID: "id", Features: []string{"m"},
			MissingOK: true}, "duplicate-keys: 1 key of column \"id\" occurs more than once\nid = 3\nwhere: id\n" +
			"hint: the key must be unique; GROUP BY it, or use another column"},
		"no_name": {input.Spec{Relation: "SELECT 1 AS id, MAP {'': 1} AS m", ID: "id", Features: []string{"m"}},
			"feature-without-name: a map has the empty text as a key\nwhere: features\nhint: leave it out in a query"},
		"with_another_column": {input.Spec{Relation: "SELECT 1 AS id, 2 AS x, MAP {'a': 1} AS m", ID: "id", Features: []string{"m", "x"}},
			"column-not-numeric: 1 column is not a number: m\nm is MAP(VARCHAR, INTEGER): features = m alone makes features of its keys\n" +
				"where: the query\nhint: leave them out with exclude = m, or name the features with features"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.Read(t.Context(), c.spec)
			sqltest.WantFault(t, err, c.want)
		})
	}
}
