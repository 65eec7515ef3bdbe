// Command bare does what a fit of a table in a DuckDB file cannot do without, and nothing
// else, in a process of its own, and prints how many seconds it took. bench/compare.py
// compares the whole command with it.
//
//	bare read FILE      all columns of table rows, chunk by chunk, into new memory
//	bare scan FILE      the same, on all threads and in any order
//	bare insert FILE    the rows of table run_assignments, which are in memory, into a new
//	                    table, on all threads and in their order, until the file is closed
//	bare start FILE     a CSV file is read, and the tables of a fit are made, with their
//	                    comments and a few rows each, in a new database beside it; the
//	                    program also starts itself once more, as a plugin
//
// The file is opened, and the rows to be inserted are read, before the clock runs. Of start
// the whole process is to be timed, from outside.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/duck"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 2 && os.Args[1] == nothing {
		return
	}
	work := map[string]func(context.Context, string) (time.Duration, error){"read": read, "scan": scan, "insert": insert, "start": start}
	if len(os.Args) != 3 || work[os.Args[1]] == nil {
		log.Fatal("usage: bare read|scan|insert|start FILE")
	}
	passed, err := work[os.Args[1]](context.Background(), os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(passed.Seconds())
}

// A table is the columns of table rows, still without cells.
type table struct {
	names []string
	rows  int
	key   []int64
	cells [][]float64
}

// opened opens the file to be read, and finds out what there is.
func opened(ctx context.Context, path string) (*duck.DB, *table, error) {
	db, err := duck.Open(ctx, path, duck.ReadOnly, duck.Options{})
	if err != nil {
		return nil, nil, err
	}
	columns, err := db.Rows(ctx, "DESCRIBE rows")
	if err != nil {
		return nil, nil, err
	}
	count, err := db.Rows(ctx, "SELECT count(*) FROM rows")
	if err != nil {
		return nil, nil, err
	}
	t := &table{rows: int(count[0][0].(int64))}
	for _, c := range columns[1:] { // the first is the key
		t.names = append(t.names, c[0].(string))
	}
	return db, t, db.LimitScan(ctx, t.rows, len(columns), true)
}

// grow gets memory of the right size, which the rows will be the first to touch.
func (t *table) grow() {
	t.key, t.cells = make([]int64, t.rows), make([][]float64, len(t.names))
	for l := range t.cells {
		t.cells[l] = make([]float64, t.rows)
	}
}

// copy copies a chunk to its place.
func (t *table) copy(at int, c duck.Chunk) {
	copy(t.key[at:], duck.View[int64](c.Column(0), c.Rows))
	for l := range t.cells {
		copy(t.cells[l][at:], duck.View[float64](c.Column(l+1), c.Rows))
	}
}

func read(ctx context.Context, path string) (time.Duration, error) {
	db, t, err := opened(ctx, path)
	if err != nil {
		return 0, err
	}
	began, at := time.Now(), 0
	t.grow()
	err = db.Stream(ctx, "SELECT id, "+strings.Join(t.names, ", ")+" FROM rows", func(c duck.Chunk) error {
		t.copy(at, c)
		at += c.Rows
		return nil
	})
	return time.Since(began), err
}

func scan(ctx context.Context, path string) (time.Duration, error) {
	db, t, err := opened(ctx, path)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	t.grow()
	err = db.Scan(ctx, "rows", t.rows, append([]string{"id"}, t.names...), func(at int, c duck.Chunk) error {
		t.copy(at, c)
		return nil
	})
	return time.Since(began), err
}

// An assignment is what table run_assignments has of a row, but the status, which is NULL.
type assignment struct {
	key, cluster, second int64
	distance, margin     float64
}

func insert(ctx context.Context, path string) (time.Duration, error) {
	db, err := duck.Open(ctx, path, duck.ReadWrite, duck.Options{})
	if err != nil {
		return 0, err
	}
	if err := db.Exec(ctx, "DROP TABLE IF EXISTS bare; CHECKPOINT"); err != nil {
		return 0, err
	}
	var rows []assignment
	query := "SELECT id, cluster::BIGINT, coalesce(second_cluster, -1)::BIGINT, distance, margin FROM run_assignments"
	err = db.Stream(ctx, query, func(c duck.Chunk) error {
		key, cluster, second := duck.View[int64](c.Column(0), c.Rows), duck.View[int64](c.Column(1), c.Rows), duck.View[int64](c.Column(2),
			c.Rows)
		distance, margin := duck.View[float64](c.Column(3), c.Rows), duck.View[float64](c.Column(4), c.Rows)
		for i := range key {
			rows = append(rows, assignment{key[i], cluster[i], second[i], distance[i], margin[i]})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	columns := []duck.Cells{
		duck.Fixed(func(i int) (int64, bool) { return rows[i].key, true }),
		duck.Fixed(func(i int) (int32, bool) { return int32(rows[i].cluster), true }),
		duck.Fixed(func(i int) (float64, bool) { return rows[i].distance, true }),
		duck.Fixed(func(i int) (int32, bool) { return int32(rows[i].second), rows[i].second >= 0 }),
		duck.Fixed(func(i int) (float64, bool) { return rows[i].margin, !math.IsInf(rows[i].margin, 0) }),
		duck.Nulls,
	}
	began := time.Now()
	done := db.Expect(ctx, len(rows))
	err = db.Transaction(ctx, func() error {
		err := db.Exec(ctx, "CREATE TABLE bare (id BIGINT NOT NULL, cluster INTEGER, distance DOUBLE, second_cluster INTEGER, margin DOUBLE, "+
			"status VARCHAR)")
		if err != nil {
			return err
		}
		return db.Append(ctx, "main", "bare", len(rows), columns)
	})
	done()
	if closed := db.Close(); err == nil {
		err = closed
	}
	return time.Since(began), err
}
