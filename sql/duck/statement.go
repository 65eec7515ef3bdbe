package duck

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An Error is an error of DuckDB in its own words.
type Error string

func (e Error) Error() string { return string(e) }

// Exec runs statements without parameters whose rows are not wanted. What has
// succeeded is not an error, even if ctx has ended by then.
func (db *DB) Exec(ctx context.Context, sql string) error {
	return db.locked(ctx, func() error {
		db.executed, db.atRest = true, false
		return db.command(ctx, sql)
	})
}

// locked does work that the connection is needed for, unless ctx has ended.
func (db *DB) locked(ctx context.Context, work func() error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	db.restored()
	return work()
}

// restored makes the settings that wait for the next statement, while the lock is held.
func (db *DB) restored() {
	if sql := db.restore; sql != "" {
		db.restore = ""
		_ = db.command(context.Background(), sql)
	}
}

// command is Exec while the lock is held.
func (db *DB) command(ctx context.Context, sql string) error {
	defer db.interruptWhenDone(ctx)()
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(db.conn, sql, &result) == mapping.StateError {
		return failure(ctx, mapping.ResultError(&result))
	}
	return nil
}

// Stream runs one SELECT and hands its rows to use, chunk by chunk, in order.
// The chunk is valid during the call only.
func (db *DB) Stream(ctx context.Context, sql string, use func(Chunk) error) error {
	return db.locked(ctx, func() error {
		return db.reading(func() error {
			if db.options.Hidden {
				return db.sunk(ctx, sql, use)
			}
			return db.prepared(ctx, sql, use)
		})
	})
}

// execute runs a statement until there is a result. Left alone, DuckDB would ask for
// work again and again while other threads have it all, which takes a processor away
// from what a function does there.
func execute(
	ctx context.Context, statement mapping.PreparedStatement,
	start func(mapping.PreparedStatement, *mapping.PendingResult) mapping.State, result *mapping.Result,
) error {
	var pending mapping.PendingResult
	defer mapping.DestroyPending(&pending)
	if start(statement, &pending) == mapping.StateError {
		return failure(ctx, mapping.PendingError(pending))
	}
	const shortest, longest = 20 * time.Microsecond, time.Millisecond
	for wait := shortest; ; {
		switch state := mapping.PendingExecuteTask(pending); {
		case state == mapping.PendingStateNoTasksAvailable:
			time.Sleep(wait)
			wait = min(2*wait, longest)
			continue
		case state == mapping.PendingStateError:
			return failure(ctx, mapping.PendingError(pending))
		case !mapping.PendingExecutionIsFinished(state):
			wait = shortest
			continue
		}
		if mapping.ExecutePending(pending, result) == mapping.StateError {
			return failure(ctx, mapping.ResultError(result))
		}
		return nil
	}
}

// plannedNames returns the names of the columns of one SELECT without running it.
func (db *DB) plannedNames(ctx context.Context, sql string) (names []string, err error) {
	err = db.locked(ctx, func() error {
		return db.reading(func() (err error) {
			if db.options.Hidden {
				names, err = db.resultNames(sql)
			} else {
				names, err = db.preparedNames(sql)
			}
			return err
		})
	})
	return names, err
}

// fetch hands over all chunks of a running result, one at a time and in order.
// While one is in use the next is fetched.
func fetch(ctx context.Context, result *mapping.Result, use func(Chunk) error) (err error) {
	inUse := make(chan error, 1)
	inUse <- nil // no chunk yet
	defer func() {
		if last := <-inUse; err == nil {
			err = last
		}
	}()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := Chunk{data: mapping.FetchChunk(*result)}
		if c.data.Ptr != nil {
			c.Rows = int(mapping.DataChunkGetSize(c.data))
		}
		if c.Rows == 0 {
			mapping.DestroyDataChunk(&c.data)
			// A stream that fails just ends: only this tells.
			return failure(ctx, mapping.ResultError(result))
		}
		if err := <-inUse; err != nil {
			inUse <- nil
			mapping.DestroyDataChunk(&c.data)
			return err
		}
		go func() {
			err := guarded(use, c)
			mapping.DestroyDataChunk(&c.data)
			inUse <- err
		}()
	}
}

// guarded makes a panic of use an error: in a goroutine it would end the program.
func guarded(use func(Chunk) error, c Chunk) (err error) {
	defer answered(func(message string) { err = errors.New(message) })
	return use(c)
}

// guardedWork makes a panic of work an error, likewise.
func guardedWork(work func() error) (err error) {
	defer answered(func(message string) { err = errors.New(message) })
	return work()
}

// Catalog returns all rows, as Rows does, of a query about the database itself. None of
// it is a user's, so that it cannot write, and it need not be prepared, after which
// DuckDB makes many a plan anew.
func (db *DB) Catalog(ctx context.Context, sql string) (rows [][]any, err error) {
	err = db.locked(ctx, func() error { return db.whole(ctx, sql, collect(&rows)) })
	return rows, err
}

// whole hands over the rows of a result that is held in memory, while the lock is held.
func (db *DB) whole(ctx context.Context, sql string, use func(Chunk) error) error {
	defer db.interruptWhenDone(ctx)()
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(db.conn, sql, &result) == mapping.StateError {
		return failure(ctx, mapping.ResultError(&result))
	}
	return fetch(ctx, &result, use)
}

// collect adds the rows of chunks to rows.
func collect(rows *[][]any) func(Chunk) error {
	return func(c Chunk) error {
		return c.Each(func(row []any) error { *rows = append(*rows, slices.Clone(row)); return nil })
	}
}

// failure is the error that DuckDB tells of; "" is none. An interrupted query is
// the context's error.
func failure(ctx context.Context, said string) error {
	if err := ctx.Err(); err != nil || said == "" {
		return err
	}
	return Error(said)
}

// interruptInterval is the time between two interrupts of the same statement.
const interruptInterval = 20 * time.Millisecond

// interruptWhenDone interrupts what the connection runs as soon as ctx is done.
// The returned function must be called when the statement has ended. DuckDB
// forgets an interrupt that comes just before a statement starts, so it is
// repeated.
func (db *DB) interruptWhenDone(ctx context.Context) (ended func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	end := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-end:
			return
		case <-ctx.Done():
		}
		for {
			mapping.Interrupt(db.conn)
			select {
			case <-end:
				return
			case <-time.After(interruptInterval):
			}
		}
	})
	return func() { close(end); watch.Wait() }
}

// Parse returns the number of statements that DuckDB makes of a text, and
// refuses a single one that is not a SELECT.
func (db *DB) Parse(ctx context.Context, text string) (n int, err error) {
	err = db.locked(ctx, func() error {
		var statements mapping.ExtractedStatements
		defer mapping.DestroyExtracted(&statements)
		n = int(mapping.ExtractStatements(db.conn, text, &statements))
		if n == 0 {
			return Error(mapping.ExtractStatementsError(statements))
		}
		if n > 1 {
			return nil
		}
		var prepared mapping.PreparedStatement
		defer mapping.DestroyPrepare(&prepared)
		if mapping.PrepareExtractedStatement(db.conn, statements, 0, &prepared) == mapping.StateError {
			return Error(mapping.PrepareError(prepared))
		}
		if mapping.PreparedStatementType(prepared) != mapping.StatementTypeSelect {
			return framework.Faultf(framework.Data, "query-not-one-select", "the query is not a SELECT")
		}
		if mapping.NParams(prepared) > 0 {
			return framework.Faultf(framework.Data, "query-has-parameters", "the query has parameters, and there are no values for them")
		}
		return nil
	})
	return n, err
}

// Rows returns all rows of a small result, with values as Keys.Value gives them
// and nil for NULL.
func (db *DB) Rows(ctx context.Context, sql string) ([][]any, error) {
	var rows [][]any
	err := db.Stream(ctx, sql, collect(&rows))
	return rows, err
}

// Whole is Rows for statements that are used once and take long to plan: they are not
// prepared, after which DuckDB makes many a plan anew.
func (db *DB) Whole(ctx context.Context, sql string) (rows [][]any, err error) {
	err = db.locked(ctx, func() error {
		return db.reading(func() error { return db.whole(ctx, sql, collect(&rows)) })
	})
	return rows, err
}
