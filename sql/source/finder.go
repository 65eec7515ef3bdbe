package source

import (
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Finder finds the rows of a table by keys that a relation gives, of any type.
type Finder struct {
	rows, dropped duck.Index
	one           *duck.Keys // room for one key
}

// NewFinder returns a finder of rows of t, and of those that were dropped from it.
func NewFinder(t *input.Table) Finder {
	keys := duck.KeysOf(t.Keys)
	return Finder{rows: duck.NewIndex(keys), dropped: duck.NewIndex(duck.KeysOf(t.DroppedKeys)), one: keys.Empty()}
}

// KeyColumns is the number of columns of KeyList.
const KeyColumns = 3

// KeyList is the SQL of the columns that a finder reads for a column of keys.
func KeyList(t *input.Table, c Column) string {
	name := schema.Quote(c.Name)
	return "TRY_CAST(" + name + " AS " + t.KeyType + "), TRY(" + c.survives(t.KeyType) + "), CAST(" + name + " AS VARCHAR)"
}

// Rows returns a function that finds the row of key i of a chunk, whose columns from
// the first on are those of KeyList: −1 if there is no such row, −2 if it was
// dropped. A key belongs to no row if it cannot be cast to the type of the table's
// keys, or if the cast changes it.
func (f Finder) Rows(c duck.Chunk, first int) func(i int) (row int, key string) {
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

// Listed are keys that a query with the columns of KeyList has given.
type Listed struct {
	keys  *duck.Keys
	known []bool // it is a key of the table's type
}

// NewListed returns no keys yet, of the type of those of t.
func NewListed(t *input.Table) *Listed { return &Listed{keys: duck.KeysOf(t.Keys).Empty()} }

// Add adds the keys of a chunk, whose columns from the first on are those of KeyList.
func (l *Listed) Add(c duck.Chunk, first int) {
	cast, exact := c.Column(first), c.Column(first+1)
	whole := duck.View[bool](exact, c.Rows)
	for i := range c.Rows {
		known := !cast.Null(i) && !exact.Null(i) && whole[i]
		if l.known = append(l.known, known); known {
			l.keys.Add(cast, i)
		} else {
			l.keys.AddNull()
		}
	}
}

// Row is the row of key i of a list: −1 if there is no such row, −2 if it was dropped.
func (f Finder) Row(l *Listed, i int) int {
	if !l.known[i] {
		return -1
	}
	row := f.rows.Find(l.keys, i)
	if row < 0 && f.dropped.Find(l.keys, i) >= 0 {
		return -2
	}
	return row
}
