package duck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// DuckDB makes the chunks of a result one after the other, and copies each. But it calls
// a function on all threads, with the vectors as they come from the table.

// errPlaces says that rows are not where their numbers say.
var errPlaces = errors.New("the numbers of rows do not follow one another")

// scans counts the functions that have been made for Scan: each stays in the database.
var scans atomic.Int64

// Scan hands over all rows of a base table of this many rows, expressions of its columns,
// to take: on several threads at once, in any order, with the place that the first row of
// each chunk has in the table. The chunk is valid during the call only. After an error of
// any kind, which is not worded for users, and where the table has another number of rows,
// or rows that were deleted, the rows have to be read by Stream.
func (db *DB) Scan(ctx context.Context, table string, rows int, expressions []string, take func(at int, c Chunk) error) error {
	var seen atomic.Int64
	call := func(args Chunk, out Returned) error {
		n := args.Rows
		if n == 0 {
			return nil
		}
		of := View[int64](args.Column(len(expressions)), n)
		at := of[0]
		if at < 0 || at > int64(rows-n) || of[n-1] != at+int64(n-1) {
			return errPlaces
		}
		if err := take(int(at), args); err != nil {
			return err
		}
		seen.Add(int64(n))
		out.Fill(n, Fixed(func(int) (bool, bool) { return true, true }))
		return nil
	}
	o := Overload{Returns: "BOOLEAN"}
	for range len(expressions) + 1 {
		o.Parameters = append(o.Parameters, "ANY")
	}
	f := Scalar{Name: fmt.Sprintf("sqlcluster_scan_%d", scans.Add(1)), Overloads: []Overload{o}}
	f.Call = func(args Chunk, out Returned) error { return call(args, out) }
	defer func() { call = nil }() // the function stays, and what it holds must not
	if err := db.RegisterScalar(f); err != nil {
		return err
	}
	query := fmt.Sprintf("SELECT bool_and(%s(%s, rowid)) FROM %s", f.Name, strings.Join(expressions, ", "), table)
	if err := db.Stream(ctx, query, func(Chunk) error { return nil }); err != nil {
		return err
	}
	if seen.Load() != int64(rows) {
		return errPlaces
	}
	return nil
}
