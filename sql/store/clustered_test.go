package store

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestATableKeepsTheRowsThatHaveAClusterInTheRun(t *testing.T) {
	ctx := t.Context()
	for name, key := range map[string]string{
		"keys of the same type": "id AS id",
		"keys of another type":  "id::VARCHAR AS id",
	} {
		t.Run(name, func(t *testing.T) {
			db := memory(t, "CREATE TABLE rows AS SELECT i AS id, i AS x, 'name ' || i AS name, i / 2 AS w FROM range(1, 9) t(i)")
			fitted := sqltest.Read(t, db, input.Spec{Relation: "FROM rows WHERE id <= 6", ID: "id", Features: []string{"x"}})
			r := sample() // with rows 1 to 6, of which 3 has no cluster
			dropped := duck.RowNumbers(0)
			dropped.AddNumber(8)
			r.Assignments = result.Assignments{KeyName: "id", Keys: fitted.Keys, Labels: []int32{0, 1, -1, 1, 0, 1}, Distance: make([]float64, 6),
				Second: []int32{1, 0, -1, 0, 1, 0}, Margin: make([]float64, 6), Dropped: dropped, Status: input.NullCell, Unlabelled: input.NoCluster}
			must.Do(t, db.Write(ctx, "run", false, r))
			// 1 is not there, 7 is not of the run, 8 was left out by it, and 4 is dropped here.
			table := sqltest.Read(t, db, input.Spec{Relation: "SELECT * REPLACE (" + key + ", CASE WHEN id <> 4 THEN x END AS x) FROM rows " +
				"WHERE id > 1 ORDER BY rows.id DESC",
				ID: "id", Want: []string{"x", "name"}, WantCategories: map[string]bool{"name": false}, Weight: "w", Order: "input", Nulls: "drop"})
			got := must.Get(db.KeepClustered(ctx, "run", table))(t)
			must.Equal(t, &input.Common{Labels: []int32{1, 0, 1}, NotInRun: 1, NotInTable: 1, Unclustered: 2, Dropped: 1}, got)
			must.Equal(t, [][]float64{{6, 2}, {5, 1}, {2, 0}}, sqltest.Cells(table)) // of x, and places in the categories
			must.Equal(t, []string{"name 2", "name 5", "name 6"}, table.Sources[1].Levels)
			must.Equal(t, [][]float64{{3, 2.5, 1}, {3, 2.5, 1}}, [][]float64{table.Weights, table.Builder.Weights()}) // x / 2
			if table.Keys.Len() != 3 {
				t.Errorf("keys %v", sqltest.KeyTexts(table.Keys))
			}
		})
	}
}
