package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Mode says how a database file is opened.
type Mode int

// The modes.
const (
	ReadOnly  Mode = iota // the file must exist; others may read it too
	ReadWrite             // the file must exist
	Create                // the file is created when it is absent
)

// A DB is an open DuckDB database. Its methods are not for concurrent use.
type DB struct {
	path   string // "": private and temporary
	pool   *sql.DB
	conn   *sql.Conn
	raw    bindings.Database // the same database, for streaming
	made   bool              // Open created the file
	stored bool              // something was written to it
}

// Open opens a database file, or a private temporary database if path is "".
// Errors are Faults.
func Open(ctx context.Context, path string, mode Mode) (*DB, error) {
	db := &DB{path: path}
	if path != "" {
		absolute, err := db.checkFile(mode)
		if err != nil {
			return nil, err
		}
		db.path = absolute
	}
	access := "READ_WRITE"
	if path != "" && mode == ReadOnly {
		access = "READ_ONLY"
	}
	dsn := db.path
	if dsn != "" {
		dsn += "?access_mode=" + access
	}
	connector, err := duckdb.NewConnector(dsn, nil)
	if err != nil {
		return nil, db.openFault(err)
	}
	db.pool = sql.OpenDB(connector)
	db.pool.SetMaxOpenConns(1)
	if db.conn, err = db.pool.Conn(ctx); err != nil {
		_ = db.Close()
		return nil, db.openFault(err)
	}
	if err := db.openRaw(access); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// openRaw opens the same database through the bindings, which alone can stream.
func (db *DB) openRaw(access string) error {
	var config bindings.Config
	if bindings.CreateConfig(&config) == bindings.StateError {
		return framework.Faultf(framework.Internal, "database", "DuckDB cannot be configured")
	}
	defer bindings.DestroyConfig(&config)
	var message string
	bindings.SetConfig(config, "duckdb_api", "go")
	if db.path == "" {
		if bindings.OpenExt("", &db.raw, config, &message) == bindings.StateError {
			return db.openFault(errors.New(message))
		}
		return nil
	}
	bindings.SetConfig(config, "access_mode", access)
	if bindings.GetOrCreateFromCache(duckdb.GetInstanceCache(), db.path, &db.raw, config, &message) == bindings.StateError {
		return db.openFault(errors.New(message))
	}
	return nil
}

// checkFile looks at the path before DuckDB does, for better messages.
func (db *DB) checkFile(mode Mode) (string, error) {
	where := "--db"
	if strings.ContainsRune(db.path, '?') {
		return "", framework.Faultf(framework.Usage, "bad-path", "the name of a database file must not have a question mark: %s", db.path).WithWhere("%s", where)
	}
	absolute, err := filepath.Abs(db.path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist) && mode == Create:
		if dir, err := os.Stat(filepath.Dir(absolute)); err != nil || !dir.IsDir() {
			return "", framework.Faultf(framework.Internal, "no-directory", "the directory of %s does not exist", db.path).WithWhere("%s", where)
		}
		db.made = true
	case errors.Is(err, fs.ErrNotExist):
		return "", framework.Faultf(framework.Data, "no-database", "there is no database file %s", db.path).
			WithWhere("%s", where).WithHint("a fit with --into creates it")
	case err != nil:
		return "", framework.Faultf(framework.Internal, "database", "cannot open %s: %v", db.path, err).WithWhere("%s", where)
	case info.IsDir():
		return "", framework.Faultf(framework.Data, "not-a-database", "%s is a directory", db.path).WithWhere("%s", where)
	}
	return absolute, nil
}

// openFault says what DuckDB's message means, and keeps it unaltered.
func (db *DB) openFault(err error) error {
	text := err.Error()
	f := framework.Faultf(framework.Internal, "database", "cannot open the database %s", db.path).WithWhere("--db")
	switch {
	case strings.Contains(text, "Could not set lock"):
		f.Code, f.Summary = "database-locked", fmt.Sprintf("another process has the database %s open", db.path)
		f.Hint = "close the other program (a DuckDB prompt, a notebook), or work on a copy of the file"
	case strings.Contains(text, "not a valid DuckDB database"), strings.Contains(text, "Serialization"), strings.Contains(text, "orrupt"), strings.Contains(text, "checksum"):
		f.Class, f.Code, f.Summary = framework.Data, "not-a-database", fmt.Sprintf("%s is damaged, or not a DuckDB database", db.path)
	case strings.Contains(text, "ermission denied"), strings.Contains(text, "Read-only file system"):
		f.Code, f.Summary = "database-read-only", fmt.Sprintf("the database %s may not be opened for writing", db.path)
		f.Hint = "check the permissions of the file and of its directory"
	}
	f.Details = []string{"DuckDB says: " + firstLine(text)}
	return f
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Close closes the database. A file that Open made, and that nothing was
// written to, is removed again.
func (db *DB) Close() error {
	var errs []error
	if db.conn != nil {
		errs = append(errs, db.conn.Close())
	}
	if db.pool != nil {
		errs = append(errs, db.pool.Close())
	}
	if db.raw.Ptr != nil {
		bindings.Close(&db.raw)
	}
	if db.made && !db.stored {
		_ = os.Remove(db.path)
		_ = os.Remove(db.path + ".wal")
	}
	return errors.Join(errs...)
}
