package store

import (
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A finder finds the rows of a table by keys that a relation gives, of any type.
type finder struct {
	rows, dropped duck.Index
	one           *duck.Keys // room for one key
}

func newFinder(t *input.Table) finder {
	return finder{rows: duck.NewIndex(duck.KeysOf(t.Keys)), dropped: duck.NewIndex(duck.KeysOf(t.DroppedKeys)), one: duck.KeysOf(t.Keys).Empty()}
}

// keyColumns is the number of columns of keyList.
const keyColumns = 3

// keyList is the SQL of the columns that a finder reads of a column of keys.
func keyList(t *input.Table, c column) string {
	name := schema.Quote(c.name)
	return "TRY_CAST(" + name + " AS " + t.KeyType + "), TRY(" + c.survives(t.KeyType) + "), CAST(" + name + " AS VARCHAR)"
}

// column returns a function that finds the row of key i of a chunk, whose
// columns from the first on are those of keyList: −1 if there is no such row,
// −2 if it was dropped. A key that cannot be cast to the type of the table's key,
// or that the cast has changed, is that of no row.
func (f finder) column(c duck.Chunk, first int) func(i int) (row int, key string) {
	cast, exact, given := c.Column(first), c.Column(first+1), c.Column(first+2)
	whole := duck.View[bool](exact, c.Rows)
	return func(i int) (int, string) {
		if given.Null(i) {
			return -1, "NULL"
		}
		if cast.Null(i) || exact.Null(i) || !whole[i] {
			return -1, string(given.Text(i))
		}
		f.one.Clear()
		f.one.Add(cast, i)
		row := f.rows.Find(f.one, 0)
		if row < 0 && f.dropped.Find(f.one, 0) >= 0 {
			row = -2
		}
		return row, f.one.Text(0)
	}
}
