//go:build !duckdb_extension

package duck

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/query"
)

// A Result is what a statement returns.
type Result struct {
	Columns []string
	Plan    bool // of EXPLAIN: the last column is a drawing

	// Each hands over the rows, in order, as DuckDB makes them: nil, bool, int64,
	// uint64, json.Number for all other numbers, and for all other values the text
	// that DuckDB shows. A row is valid during the call only; an error of use ends
	// the reading. A number may be inf or nan, which JSON does not have.
	Each func(use func(row []any) error) error
}

// An Outcome is what a statement without a result has done.
type Outcome struct {
	Counted bool // it has changed rows, and says how many
	Rows    int64
}

// Run runs one statement of a user, which may write, and calls show if it has a
// result, while it runs. DuckDB makes several of some statements: the outcome is
// that of the last. A new database is there when something is committed.
func (db *DB) Run(ctx context.Context, text string, show func(Result) error) (Outcome, error) {
	if db.abandoned != nil {
		return Outcome{}, db.abandoned
	}
	done, writes, err := db.runAll(ctx, text, show)
	if err == nil && writes && !db.writing {
		err = db.settle(context.WithoutCancel(ctx))
	}
	return done, err
}

// settle gives a new database its name when something is in it, and puts what was
// committed into the file: its log would not get a name.
func (db *DB) settle(ctx context.Context) error {
	var err error
	switch {
	case db.published:
		err = db.publish(ctx)
	case db.fresh != nil:
		if err = db.publishRest(ctx); err != nil {
			db.abandoned = err
		}
	}
	return errors.Join(err, db.checkIdentity(true))
}

// runAll is Run but for what follows a commit. writes says that it may have written.
func (db *DB) runAll(ctx context.Context, text string, show func(Result) error) (done Outcome, writes bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return done, false, err
	}
	db.executed, db.asked, db.atRest = true, true, false
	db.restored()
	defer db.interruptWhenDone(ctx)()
	var all mapping.ExtractedStatements
	defer mapping.DestroyExtracted(&all)
	n := mapping.ExtractStatements(db.conn, text, &all)
	if message := mapping.ExtractStatementsError(all); n == 0 && message != "" {
		return done, false, Error(message)
	}
	for i := range n {
		var statement mapping.PreparedStatement
		if mapping.PrepareExtractedStatement(db.conn, all, i, &statement) == mapping.StateError {
			err = errors.Join(ctx.Err(), Error(mapping.PrepareError(statement)))
		} else {
			what := mapping.PreparedStatementType(statement)
			writes = writes || what != mapping.StatementTypeSelect
			done, err = db.runOne(ctx, statement, text, show)
			db.follow(what, text, err)
		}
		mapping.DestroyPrepare(&statement)
		if err != nil {
			return done, writes, err
		}
	}
	return done, writes, nil
}

// follow notes whether a transaction is under way after a statement.
func (db *DB) follow(what mapping.StatementType, text string, err error) {
	if what != mapping.StatementTypeTransaction {
		return
	}
	words := query.Words(text)
	begins := len(words) > 0 && slices.Contains([]string{"begin", "start"}, strings.ToLower(words[0]))
	if !begins || err == nil { // a failed COMMIT has rolled back, a second BEGIN changes nothing
		db.writing = begins
	}
}

// runOne runs a prepared statement, whose text is given.
func (db *DB) runOne(ctx context.Context, statement mapping.PreparedStatement, text string, show func(Result) error) (Outcome, error) {
	if mapping.NParams(statement) > 0 {
		return Outcome{}, framework.Faultf(framework.Data, "query-has-parameters",
			"the statement has parameters, and there are no values for them")
	}
	shape, what, running := shapeOf(statement), mapping.PreparedStatementType(statement), statement
	if shape.casts {
		var cast mapping.PreparedStatement
		defer mapping.DestroyPrepare(&cast)
		switch state := mapping.Prepare(db.conn, shape.cast(text, what), &cast); {
		case state == mapping.StateSuccess:
			running = cast
		case shape.lacking != nil:
			return Outcome{}, shape.lacking
		}
	}
	var err error
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if what == mapping.StatementTypeSelect {
		err = begin(ctx, running, &result)
	} else { // whole: what is not read to its end is rolled back
		err = execute(ctx, running, mapping.PendingPrepared, &result)
	}
	if err != nil {
		return Outcome{}, err
	}
	switch mapping.ResultReturnType(result) {
	case mapping.ResultTypeQueryResult:
		return Outcome{}, show(Result{Columns: shape.names, Plan: what == mapping.StatementTypeExplain,
			Each: func(use func([]any) error) error { return fetch(ctx, &result, shape.rows(use)) }})
	default:
		return outcome(ctx, &result)
	}
}

// outcome returns the number of changed rows, which is the result of a statement
// that changes some.
func outcome(ctx context.Context, result *mapping.Result) (done Outcome, err error) {
	err = fetch(ctx, result, func(c Chunk) error {
		return c.Each(func(row []any) error {
			done.Rows, done.Counted = row[0].(int64)
			return nil
		})
	})
	return done, err
}
