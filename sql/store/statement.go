package store

import (
	"context"
	"sync"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A duckError is an error of DuckDB in its own words.
type duckError struct {
	text string
	kind bindings.ErrorType
}

func (e *duckError) Error() string { return e.text }

// exec runs statements without parameters whose rows are not wanted. What has
// succeeded is not an error, even if ctx has ended by then.
func (db *DB) exec(ctx context.Context, sql string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.command(ctx, sql)
}

// command is exec while the lock is held.
func (db *DB) command(ctx context.Context, sql string) error {
	defer db.interruptWhenDone(ctx)()
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if bindings.Query(db.conn, sql, &result) == bindings.StateError {
		return resultError(ctx, &result)
	}
	return nil
}

// stream runs one SELECT and hands its rows to use, chunk by chunk, in order.
// The chunk is valid during the call only. Arguments may be string or int64.
func (db *DB) stream(ctx context.Context, sql string, args []any, use func(chunk) error) error {
	return db.query(ctx, sql, args, func(result *bindings.Result) error { return fetch(ctx, result, use) })
}

// query runs one SELECT and hands over its running result.
func (db *DB) query(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.reading(func() error { return db.prepared(ctx, sql, args, use) })
}

// prepared is query within a transaction.
func (db *DB) prepared(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	defer db.interruptWhenDone(ctx)()
	var statement bindings.PreparedStatement
	defer bindings.DestroyPrepare(&statement)
	if bindings.Prepare(db.conn, sql, &statement) == bindings.StateError {
		if err := ctx.Err(); err != nil {
			return err
		}
		return &duckError{text: bindings.PrepareError(statement)}
	}
	if err := bind(statement, args); err != nil {
		return err
	}
	// A pending result can be streamed; a plain one would be held in memory. The
	// call is marked as deprecated, but nothing replaces it.
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(statement, &pending) == bindings.StateError {
		if err := ctx.Err(); err != nil {
			return err
		}
		return &duckError{text: bindings.PendingError(pending)}
	}
	var result bindings.Result
	defer bindings.DestroyResult(&result)
	if bindings.ExecutePending(pending, &result) == bindings.StateError {
		return resultError(ctx, &result)
	}
	return use(&result)
}

// plannedNames returns the names of the columns of one SELECT without running it.
func (db *DB) plannedNames(ctx context.Context, sql string) (names []string, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = db.reading(func() error {
		var statement bindings.PreparedStatement
		defer bindings.DestroyPrepare(&statement)
		if bindings.Prepare(db.conn, sql, &statement) == bindings.StateError {
			return &duckError{text: bindings.PrepareError(statement)}
		}
		for i := range bindings.PreparedStatementColumnCount(statement) {
			names = append(names, bindings.PreparedStatementColumnName(statement, i))
		}
		return nil
	})
	return names, err
}

// fetch hands over all chunks of a running result, one at a time and in order.
// While one is in use the next is fetched.
func fetch(ctx context.Context, result *bindings.Result, use func(chunk) error) (err error) {
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
		c := chunk{data: bindings.FetchChunk(*result)}
		if c.data.Ptr != nil {
			c.rows = int(bindings.DataChunkGetSize(c.data))
		}
		if c.rows == 0 {
			bindings.DestroyDataChunk(&c.data)
			// A stream that fails just ends: only this tells.
			return resultError(ctx, result)
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

// resultError returns the error of a result, if it has one. An interrupted
// query is the context's error.
func resultError(ctx context.Context, result *bindings.Result) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if text := bindings.ResultError(result); text != "" {
		return &duckError{text: text, kind: bindings.ResultErrorType(result)}
	}
	return nil
}

// bind sets the parameters of a statement.
func bind(statement bindings.PreparedStatement, args []any) error {
	for i, a := range args {
		at := bindings.IdxT(i + 1)
		var state bindings.State
		switch v := a.(type) {
		case string:
			state = bindings.BindVarchar(statement, at, v)
		case int64:
			state = bindings.BindInt64(statement, at, v)
		default:
			return framework.Faultf(framework.Internal, "bad-argument", "cannot bind a %T", a)
		}
		if state == bindings.StateError {
			return framework.Faultf(framework.Internal, "bad-argument", "DuckDB refuses argument %d", i+1)
		}
	}
	return nil
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
