package store

import (
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A finder finds the rows of a table by keys that a relation gives, of any type.
type finder struct {
	rows, dropped index
	one           *Keys // room for one key
}

func newFinder(t *input.Table) finder {
	return finder{rows: newIndex(keysOf(t.Keys)), dropped: newIndex(keysOf(t.DroppedKeys)), one: keysOf(t.Keys).empty()}
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
func (f finder) column(c chunk, first int) func(i int) (row int, key string) {
	cast, exact, given := c.column(first), c.column(first+1), c.column(first+2)
	flag, _ := exact.kind()
	return func(i int) (int, string) {
		if given.null(i) {
			return -1, "NULL"
		}
		if cast.null(i) || exact.null(i) || flag.value(flag.load(exact.data, i)) == false {
			return -1, string(given.text(i))
		}
		f.one.clear()
		f.one.add(cast, i)
		row := f.rows.find(f.one, 0)
		if row < 0 && f.dropped.find(f.one, 0) >= 0 {
			row = -2
		}
		return row, f.one.Text(0)
	}
}

// survives is SQL that is false where a cast to another type loses a part of
// the column's value: 1.5 to INTEGER, a time to DATE.
func (c column) survives(typ string) string {
	name := schema.Quote(c.name)
	cast := "CAST(" + name + " AS " + typ + ")"
	from, _ := classify(c.typ)
	to, _ := classify(typ)
	switch {
	case c.typ == typ || to == text:
		return "true"
	case from == text && to == number: // '01' is 1
		return "coalesce(TRY_CAST(" + name + " AS DOUBLE) = CAST(" + cast + " AS DOUBLE), true)"
	case from == text && typ == "DATE":
		return "coalesce(TRY_CAST(" + name + " AS TIMESTAMP) = " + cast + ", true)"
	case from == text:
		return "true"
	}
	// 9.9 becomes 10, for which its own type may have no room
	return "coalesce(TRY_CAST(" + cast + " AS " + c.typ + ") = " + name + ", " + name + " IS NULL)"
}
