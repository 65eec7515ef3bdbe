package duck

import (
	"context"
	"slices"
	"sync"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// An Error is an error of DuckDB in its own words.
type Error string

func (e Error) Error() string { return string(e) }

// Exec runs statements without parameters whose rows are not wanted. What has
// succeeded is not an error, even if ctx has ended by then.
func (db *DB) Exec(ctx context.Context, sql string) error {
	return db.locked(ctx, func() error { return db.command(ctx, sql) })
}

// locked does work that the connection is needed for, unless ctx has ended.
func (db *DB) locked(ctx context.Context, work func() error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return work()
}

// command is Exec while the lock is held.
func (db *DB) command(ctx context.Context, sql string) error {
	defer db.interruptWhenDone(ctx)()
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if bindings.Query(db.conn, sql, &result) == bindings.StateError {
		return failure(ctx, bindings.ResultError(&result))
	}
	return nil
}

// Stream runs one SELECT and hands its rows to use, chunk by chunk, in order.
// The chunk is valid during the call only.
func (db *DB) Stream(ctx context.Context, sql string, use func(Chunk) error) error {
	return db.locked(ctx, func() error {
		return db.reading(func() error { return db.prepared(ctx, sql, use) })
	})
}

// prepared is Stream within a transaction, while the lock is held.
func (db *DB) prepared(ctx context.Context, sql string, use func(Chunk) error) error {
	defer db.interruptWhenDone(ctx)()
	var statement bindings.PreparedStatement
	defer bindings.DestroyPrepare(&statement)
	if bindings.Prepare(db.conn, sql, &statement) == bindings.StateError {
		return failure(ctx, bindings.PrepareError(statement))
	}
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if err := begin(ctx, statement, &result); err != nil {
		return err
	}
	return fetch(ctx, &result, use)
}

// begin runs a statement whose rows are made as they are fetched.
func begin(ctx context.Context, statement bindings.PreparedStatement, result *bindings.Result) error {
	// A pending result can be streamed; a plain one would be held in memory. The
	// call is marked as deprecated, but nothing replaces it.
	return execute(ctx, statement, bindings.PendingPreparedStreaming, result)
}

// execute runs a statement until there is a result. Left alone, DuckDB would ask for
// work again and again while other threads have it all, which takes a processor away
// from what a function does there.
func execute(
	ctx context.Context, statement bindings.PreparedStatement,
	start func(bindings.PreparedStatement, *bindings.PendingResult) bindings.State, result *bindings.Result,
) error {
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if start(statement, &pending) == bindings.StateError {
		return failure(ctx, bindings.PendingError(pending))
	}
	const shortest, longest = 20 * time.Microsecond, time.Millisecond
	for wait := shortest; ; {
		switch state := bindings.PendingExecuteTask(pending); {
		case state == bindings.PendingStateNoTasksAvailable:
			time.Sleep(wait)
			wait = min(2*wait, longest)
			continue
		case state == bindings.PendingStateError:
			return failure(ctx, bindings.PendingError(pending))
		case !bindings.PendingExecutionIsFinished(state):
			wait = shortest
			continue
		}
		if bindings.ExecutePending(pending, result) == bindings.StateError {
			return failure(ctx, bindings.ResultError(result))
		}
		return nil
	}
}

// plannedNames returns the names of the columns of one SELECT without running it.
func (db *DB) plannedNames(ctx context.Context, sql string) (names []string, err error) {
	err = db.locked(ctx, func() error {
		return db.reading(func() error {
			var statement bindings.PreparedStatement
			defer bindings.DestroyPrepare(&statement)
			if bindings.Prepare(db.conn, sql, &statement) == bindings.StateError {
				return Error(bindings.PrepareError(statement))
			}
			for i := range bindings.PreparedStatementColumnCount(statement) {
				names = append(names, bindings.PreparedStatementColumnName(statement, i))
			}
			return nil
		})
	})
	return names, err
}

// fetch hands over all chunks of a running result, one at a time and in order.
// While one is in use the next is fetched.
func fetch(ctx context.Context, result *bindings.Result, use func(Chunk) error) (err error) {
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
		c := Chunk{data: bindings.FetchChunk(*result)}
		if c.data.Ptr != nil {
			c.Rows = int(bindings.DataChunkGetSize(c.data))
		}
		if c.Rows == 0 {
			bindings.DestroyDataChunk(&c.data)
			// A stream that fails just ends: only this tells.
			return failure(ctx, bindings.ResultError(result))
		}
		if err := <-inUse; err != nil {
			inUse <- nil
			bindings.DestroyDataChunk(&c.data)
			return err
		}
		go func() {
			err := use(c)
			bindings.DestroyDataChunk(&c.data)
			inUse <- err
		}()
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
			bindings.Interrupt(db.conn)
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
		var statements bindings.ExtractedStatements
		defer bindings.DestroyExtracted(&statements)
		n = int(bindings.ExtractStatements(db.conn, text, &statements))
		if n == 0 {
			return Error(bindings.ExtractStatementsError(statements))
		}
		if n > 1 {
			return nil
		}
		var prepared bindings.PreparedStatement
		defer bindings.DestroyPrepare(&prepared)
		if bindings.PrepareExtractedStatement(db.conn, statements, 0, &prepared) == bindings.StateError {
			return Error(bindings.PrepareError(prepared))
		}
		if bindings.PreparedStatementType(prepared) != bindings.StatementTypeSelect {
			return framework.Faultf(framework.Data, "query-not-one-select", "the query is not a SELECT")
		}
		if bindings.NParams(prepared) > 0 {
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
	err := db.Stream(ctx, sql, func(c Chunk) error {
		return c.Each(func(row []any) error { rows = append(rows, slices.Clone(row)); return nil })
	})
	return rows, err
}
