package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/beside"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// A DB is one connection to a database. Its methods may be called from several
// goroutines, but run one at a time.
type DB struct {
	beside.DB
	chosen   *chosen   // model of runs with groups; nil: none
	prepared *prepared // what Prepare does or has done; nil: nothing
}

// A Mode says what a database is opened for.
type Mode = duck.Mode

// Options say what a database may do.
type Options = duck.Options

// The modes.
const (
	ReadOnly  = duck.ReadOnly
	ReadWrite = duck.ReadWrite
)

// Open is OpenWith without options.
func Open(ctx context.Context, path string, mode Mode) (*DB, error) {
	return OpenWith(ctx, path, mode, Options{})
}

// OpenWith opens the database file at path. An empty path is a private database
// in memory, which is writable whatever the mode.
func OpenWith(ctx context.Context, path string, mode Mode, o Options) (*DB, error) {
	db, err := duck.Open(ctx, path, mode, o)
	if err != nil {
		return nil, err
	}
	return On(db), nil
}

// On returns the runs of a database that is open.
func On(db *duck.DB) *DB { return &DB{DB: beside.DB{DB: source.DB{DB: db}}} }
