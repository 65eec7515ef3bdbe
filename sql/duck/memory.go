package duck

import (
	"context"
	"fmt"
	"runtime"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// duckShare returns what DuckDB gets of the available memory: the matrix may
// take half. DuckDB's own rule is most of the machine's memory, used or not.
func duckShare(available int64) int64 { return max(minDuckMemory, available/5*2) }

// minDuckMemory is enough for reading and writing tables that need no sorting.
const minDuckMemory = 128 << 20

// minNumbersMemory is what reading a table of numbers needs beside the blocks at hand.
const minNumbersMemory = 32 << 20

func (db *DB) limitMemory(ctx context.Context, bytes int64) error {
	if db.options.Hidden {
		return nil // the program's own setting counts
	}
	return db.set(ctx, limitOf(bytes))
}

// limitOf is the statement that limits DuckDB's memory.
func limitOf(bytes int64) string { return fmt.Sprintf("SET memory_limit = '%d KiB'", bytes>>10) }

// AllThreads lets DuckDB use all processors from now on.
func (db *DB) AllThreads(ctx context.Context) error {
	if !db.options.OneThread {
		return nil
	}
	db.options.OneThread = false
	return db.set(ctx, "RESET threads")
}

// LimitScan limits the memory while a base table is read from front to back: the
// blocks at hand, of which each column has some on each thread, are enough, and
// what has been read will not be read again. Of numbers, each block is used again for the next:
// memory that is new would take longer. Texts may need more, since they can be of any length.
// Where rows were deleted, DuckDB keeps a word for each row. If it needs more just now, the
// limit stays as it is.
func (db *DB) LimitScan(ctx context.Context, rows, columns int, numbers bool) error {
	const block, word = 256 << 10, 8
	if db.path == "" || db.options.Hidden { // the tables themselves are in that memory, or the program's setting counts
		return ctx.Err()
	}
	threads := runtime.NumCPU()
	if t, err := db.Rows(ctx, "SELECT current_setting('threads')"); err == nil {
		if n, ok := t[0][0].(int64); ok {
			threads = max(threads, int(n))
		}
	}
	beside, atHand := int64(minDuckMemory), int64(4*columns*threads)*block
	if numbers {
		beside = minNumbersMemory
	}
	_ = db.limitMemory(ctx, min(beside+atHand+int64(rows)*word, duckShare(matrix.AvailableMemory())))
	return ctx.Err()
}

// DropCache frees the memory in which DuckDB keeps what has been read of the
// file, since it will not be read again. What is in use stays. It goes on beside what the
// caller does, until the next statement, which waits for it.
func (db *DB) DropCache() {
	if db.options.Hidden {
		return
	}
	db.mu.Lock()
	go func() {
		defer db.mu.Unlock()
		db.restored()
		limit := func(bytes int64) { _ = db.command(context.Background(), limitOf(bytes)) }
		if db.path != "" { // or else it is the tables themselves
			limit(1 << 20) // more than that may be in use, which is an error, but the rest is free
		}
		limit(duckShare(matrix.AvailableMemory()))
	}()
}
