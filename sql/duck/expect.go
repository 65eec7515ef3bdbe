package duck

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// DuckDB appends rows on one thread, and what it inserts from a table on all, in the
// order of that table. So the rows of a large table come from one that has nothing but
// row numbers, through functions that write the cells of the rows with these numbers.

// manyRows is from how many rows on a table is inserted and not appended: of more than one
// row group, each of which a thread compresses.
const manyRows = 122880 + 1

// numbers is the table of row numbers. It has to be there before the transaction, since
// DuckDB reads what a transaction has made itself on one thread.
var numbers = "temp." + schema.Quote("sqlcluster_rows")

// fewRows is up to how many rows DuckDB is to take no trouble over them.
const fewRows = ChunkRows

// Expect says that a transaction will follow in which n rows are appended to a table,
// and no more to another, which then takes less time. done is to be called after it.
func (db *DB) Expect(ctx context.Context, n int) (done func()) {
	db.few, db.many = n <= fewRows, n > fewRows
	usual := func() { db.few, db.many = false, false }
	if n < manyRows || db.writing || runtime.GOMAXPROCS(0) == 1 {
		return usual
	}
	if db.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT true FROM range(%d)", numbers, n)) == nil {
		db.expected = n
	}
	return func() {
		usual()
		db.expected = 0
		_ = db.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+numbers)
	}
}

// insert is Append for the expected number of rows.
func (db *DB) insert(ctx context.Context, schemaName, name string, columns []Cells) error {
	types, err := db.columnTypes(ctx, schemaName, name)
	if err != nil {
		return err
	}
	defer clear(columns) // the functions stay
	calls := make([]string, len(columns))
	for i := range columns {
		db.inserted++
		function := fmt.Sprintf("sqlcluster_cells_%d", db.inserted)
		err := db.RegisterScalar(Scalar{
			Name: function, Overloads: []Overload{{Parameters: []string{"BIGINT"}, Returns: types[i]}},
			Call: func(args Chunk, out Returned) error {
				rows := View[int64](args.Column(0), args.Rows)
				if len(rows) == 0 {
					return nil
				}
				from := int(rows[0])
				if int(rows[len(rows)-1]) != from+len(rows)-1 {
					return errPlaces
				}
				columns[i](targetAt(out.vector, out.at, len(rows)), from, len(rows))
				return nil
			},
		})
		if err != nil {
			return err
		}
		calls[i] = function + "(rowid)"
	}
	return db.Exec(ctx, "INSERT INTO "+schema.Qualified(schemaName, name)+" SELECT "+strings.Join(calls, ", ")+" FROM "+numbers)
}

// columnTypes returns the types of the columns of a table.
func (db *DB) columnTypes(ctx context.Context, schemaName, name string) (types []string, err error) {
	rows, err := db.Catalog(ctx, "DESCRIBE "+schema.Qualified(schemaName, name))
	for _, row := range rows {
		types = append(types, row[1].(string))
	}
	return types, err
}
