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
	if !db.inserts(n) {
		return usual
	}
	if db.locked(ctx, func() error { return db.number(ctx, n) }) == nil {
		db.expected = n
	}
	return func() {
		usual()
		db.expected, db.numbered = 0, 0
		_ = db.set(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+numbers)
	}
}

// inserts reports whether so many rows are inserted and not appended.
func (db *DB) inserts(n int) bool { return n >= manyRows && !db.writing && runtime.GOMAXPROCS(0) > 1 }

// Number makes what Expect needs for n rows, beside what the caller does, until the next
// statement, which waits for it.
func (db *DB) Number(ctx context.Context, n int) {
	if !db.inserts(n) {
		return
	}
	db.mu.Lock()
	go func() {
		defer db.mu.Unlock()
		db.restored()
		_ = db.number(ctx, n) // Expect tries again
	}()
}

// number makes the table of row numbers, if it is not there, while the lock is held.
func (db *DB) number(ctx context.Context, n int) error {
	if db.numbered == n {
		return nil
	}
	err := db.command(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT true FROM range(%d)", numbers, n))
	if db.numbered = n; err != nil {
		db.numbered = 0
	}
	return err
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
