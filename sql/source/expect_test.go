package source

import (
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

func TestWhatIsToComeIsSaidBeforeItIsReadWhereItIsKnown(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT i AS id, i * 2.5 AS a, i + 1 AS b FROM range(5000) r(i)", "CREATE VIEW v AS FROM t")
	for relation, want := range map[string][]int{"t": {5000, 2}, "v": nil, "SELECT id, a FROM t": nil} {
		var said []int
		read := false
		table := must.Get(db.Read(t.Context(), input.Spec{Relation: relation, ID: "id",
			Expect:   func(rows, columns int) { said = append(said, rows, columns) },
			Progress: func(int) { read = read || said == nil }}))(t)
		must.Do(t, table.Close())
		if !slices.Equal(said, want) {
			t.Errorf("%s: %v is expected, want %v", relation, said, want)
		}
		if read && want != nil {
			t.Errorf("%s: rows are read before it is said how many there are", relation)
		}
	}
}
