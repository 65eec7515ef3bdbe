// Package duckdb is DuckDB as an engine of fits: rows stay in a database, in files, or in
// what a query makes of both, and each pass over them is a statement.
package duckdb

import (
	"context"
	"errors"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// Engine is a database of DuckDB.
type Engine struct {
	db    source.DB
	owned bool // Close closes the database
	made  []*source.Relation
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Replacer = (*Engine)(nil)
)

// On returns the engine of a database that is open. Close does not close the database.
func On(db *duck.DB) *Engine { return &Engine{db: source.DB{DB: db}} }

// Open opens the database file at path; with an empty one, a private database in memory.
func Open(ctx context.Context, path string, mode duck.Mode) (*Engine, error) {
	db, err := duck.Open(ctx, path, mode, duck.Options{})
	if err != nil {
		return nil, err
	}
	return &Engine{db: source.DB{DB: db}, owned: true}, nil
}

// Dialect implements engine.Engine.
func (e *Engine) Dialect() dialect.Dialect { return dialect.Of(dialect.DuckDB) }

// Resolve implements engine.Engine: a relation is what it is for other commands.
func (e *Engine) Resolve(ctx context.Context, relation string) (engine.Relation, error) {
	r, err := e.db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return engine.Relation{}, err
	}
	e.made = append(e.made, r)
	to := engine.Relation{From: r.From, Source: r.Source(), Label: r.Label, Columns: make([]engine.Column, len(r.Columns))}
	for i, c := range r.Columns {
		to.Columns[i] = engine.Column{Name: c.Name, Type: c.Type, Kind: kindOf(c.Type), Nullable: true}
	}
	return to, nil
}

// Query implements engine.Engine.
func (e *Engine) Query(ctx context.Context, statement string) ([][]any, error) {
	if strings.Count(statement, "coalesce(") < manyTerms {
		rows, err := e.db.Whole(ctx, statement)
		return rows, fault(err)
	}
	if err := e.db.Exec(ctx, "SET disabled_optimizers = 'common_subexpressions'"); err != nil {
		return nil, fault(err)
	}
	rows, err := e.db.Whole(ctx, statement)
	return rows, fault(errors.Join(err, e.db.Exec(context.WithoutCancel(ctx), "RESET disabled_optimizers")))
}

// manyTerms is from how many differences of cells that may be missing on DuckDB does not look for those
// that are there twice: there are few, and its search takes the square of the number of terms, minutes for 5000.
const manyTerms = 300

// Exec implements engine.Engine.
func (e *Engine) Exec(ctx context.Context, statement string) error {
	return fault(e.db.Exec(ctx, statement))
}

// Replace implements engine.Replacer.
func (e *Engine) Replace(ctx context.Context, table, query string, replace bool) error {
	create := "CREATE TABLE "
	if replace {
		create = "CREATE OR REPLACE TABLE "
	}
	err := e.db.Transaction(ctx, func() error { return e.db.Exec(ctx, create+e.Dialect().Quote(table)+" AS "+query) })
	if err != nil && strings.Contains(err.Error(), "already exists") {
		return framework.Faultf(framework.Data, "table-exists", "there is a table %s", table).WithHint("choose another name, or replace it")
	}
	return duck.WriteFault(err, table)
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	for _, r := range e.made {
		e.db.Release(r)
	}
	e.made = nil
	if !e.owned {
		return nil
	}
	return e.db.Close()
}

var (
	numbers = pattern.New(`^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|DECIMAL\(\d+,\d+\))$`)
	labels  = pattern.New(`^(?:VARCHAR$|BOOLEAN$|JSON$|UUID$|ENUM\(|DATE$|TIME|INTERVAL)`)
)

// kindOf says what values of a type are.
func kindOf(typ string) engine.Kind {
	switch {
	case strings.HasSuffix(typ, "]"):
		return engine.Other
	case numbers().MatchString(typ):
		return engine.Number
	case labels().MatchString(typ):
		return engine.Label
	}
	return engine.Other
}

// fault is the Fault of a statement that DuckDB refuses.
func fault(err error) error {
	return duck.InternalFault("engine-failed", "DuckDB has refused a statement of the fit", err)
}
