// Package engine fits where the rows are: a relation of a database that is too large to
// come here, or that is on several servers, stays there. What a fit needs of rows are
// statements, one for each pass, whose results are small; all else (steps of an algorithm
// that read no row, sets of centers, tuning) is done here, by the packages that do it for
// rows in memory.
//
// # Contract
//
// An [Engine] runs statements; its [dialect.Dialect] says how it writes. A [Table] makes
// the statements of a relation, and is the [fit.Passes] of its rows.
package engine

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// An Engine runs statements where the rows are. It is safe for concurrent use. Each
// statement reads one state of the rows, and gives all of its answer or an error. A
// cancelled context ends the statement in the engine, too. Errors are framework.Faults,
// without secrets in them.
type Engine interface {
	Dialect() dialect.Dialect

	// Resolve finds out what a text stands for: a table, a view, a query, or what else the engine
	// knows.
	Resolve(ctx context.Context, relation string) (Relation, error)

	// Query runs a statement that changes nothing and returns few rows, whose cells are nil,
	// bool, int64, float64, string, []int64 or []float64. It may be tried again after an
	// error that passes.
	Query(ctx context.Context, statement string) ([][]any, error)

	// Exec runs a statement that changes something, once.
	Exec(ctx context.Context, statement string) error

	Close() error
}

// A Kind is what values of a column are.
type Kind int

// The kinds.
const (
	Other  Kind = iota // lists, structs, bytes: no feature
	Number             // can be measured
	Label              // text, ENUM, BOOLEAN, dates: categories
)

// A Column is a column of a relation.
type Column struct {
	Name     string
	Kind     Kind
	Nullable bool   // may have NULLs
	Type     string // in the engine's words
}

// A Streamer is an Engine that hands over the rows of a query as they come. An answer that
// is cut off after the first of them is an error, and not tried again; an error of use ends it, and
// is returned as it is.
type Streamer interface {
	Stream(ctx context.Context, statement string, use func(row []any) error) error
}
