package duck

import (
	"context"
	"strings"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// On returns a database that another program has opened, by one of its connections. It
// is good for as long as that: functions can be added to it, and statements run.
func On(connection unsafe.Pointer) *DB {
	return &DB{conn: mapping.Connection{Ptr: connection}, mode: ReadWrite, options: Options{Hidden: true}}
}

// The interface that DuckDB keeps stable for extensions has no results that are made
// as they are fetched: they would be held in memory as a whole. In a hidden database a
// function takes the rows instead, while the statement runs, on the one thread that
// there is, and so in their order.
const sink = "__sqlcluster_sink"

// registerSink adds that function.
func (db *DB) registerSink() error {
	return db.RegisterScalar(Scalar{
		Name: sink, Overloads: []Overload{{Parameters: []string{"ANY"}, Returns: "BOOLEAN"}}, Volatile: true,
		Call: func(args Chunk, out Returned) error {
			c := Chunk{Rows: args.Rows, row: []mapping.Vector{}}
			for _, f := range args.Column(0).Fields(args.Rows) {
				c.row = append(c.row, f.handle)
			}
			out.Fill(args.Rows, Fixed(func(int) (bool, bool) { return true, true }))
			if args.Rows == 0 {
				return nil
			}
			if err := db.taking(c); err != nil {
				db.taken = err
				return err
			}
			return nil
		},
	})
}

// sunk is prepared for a hidden database.
func (db *DB) sunk(ctx context.Context, sql string, use func(Chunk) error) error {
	if strings.HasPrefix(sql, "EXPLAIN ") { // of a few rows, and no subquery
		return db.whole(ctx, sql, use)
	}
	db.taking, db.taken = use, nil
	defer func() { db.taking = nil }()
	err := db.command(ctx, "SELECT "+sink+"(__sqlcluster_row) FROM (\n"+sql+"\n) AS __sqlcluster_row")
	if db.taken != nil {
		return db.taken
	}
	return err
}

// resultNames is plannedNames for a hidden database, where DuckDB tells the columns of
// results only. The lock is held.
func (db *DB) resultNames(sql string) (names []string, err error) {
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(db.conn, "FROM ("+sql+") LIMIT 0", &result) == mapping.StateError {
		return nil, Error(mapping.ResultError(&result))
	}
	for i := range mapping.ColumnCount(&result) {
		names = append(names, mapping.ColumnName(&result, i))
	}
	return names, nil
}
