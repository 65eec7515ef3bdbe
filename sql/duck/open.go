package duck

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A Mode says what a database is opened for.
type Mode int

// The modes.
const (
	ReadOnly  Mode = iota // the file must exist
	ReadWrite             // the file is created when absent
)

// Version returns the version of DuckDB: v1.4.1.
func Version() string { return mapping.LibraryVersion() }

// A DB is one connection to a database. Its methods may be called from several
// goroutines, but run one at a time.
type DB struct {
	path string
	mode Mode
	mu   sync.Mutex // held while a statement runs
	db   mapping.Database
	conn mapping.Connection

	options  Options
	file     string       // what DuckDB has open: path, unless the database is new
	identity os.FileInfo  // of an existing file when it was opened
	temp     *scratch.Dir // for what does not fit into memory; nil: there is none
	writing  bool         // a transaction that writes is under way

	taking func(Chunk) error // where the rows of a hidden database go
	taken  error             // what it said

	numbered int // rows for which there are numbers, see Number
	expected int // rows that are inserted by them, see Expect
	inserted int // columns so far

	// of a database that is made, see fresh.go
	fresh     *scratch.Dir // where it is; nil: it was there before
	goal      string       // where it is to go
	published bool         // it is there
	begun     chan error   // the end of what Begin does; nil: nothing
	goesOn    bool         // the next transaction has begun
	restore   string       // settings to be made before the next statement
	atRest    bool         // all of it is in its file, and nothing has run since
	executed  bool         // there may be something in it: a statement has run that can make something
	asked     bool         // by a user, who can have changed settings too
	few, many bool         // a transaction is expected that writes a few rows, or more, see Expect
	abandoned error        // why it is not there, and will not be: the user was told; nil: it may be
}

// Options say what a database may do.
type Options struct {
	// Extensions lets DuckDB install and load its extensions when a query asks for
	// what they bring: files at an address, other databases, further types.
	Extensions bool

	// InPlace makes a database that does not exist at its path at once, and not with
	// the first commit.
	InPlace bool

	// OneThread makes DuckDB use one thread until AllThreads is called. With more, those
	// that have nothing to do take processors away from other processes.
	OneThread bool
	// Leaving says that the process ends when the database is closed: what DuckDB has in
	// memory goes with it, and is not taken apart before, if all is in the file.
	Leaving bool
	// Hidden is for a private database within another program: it touches no file, has no
	// thread of its own, and makes do with what extensions of DuckDB may call.
	Hidden bool
}

// Open opens the database file at path. An empty path is a private database
// in memory, which is writable whatever the mode.
func Open(ctx context.Context, path string, mode Mode, o Options) (*DB, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkPath(path, mode); err != nil {
		return nil, err
	}
	db := &DB{path: path, mode: mode, options: o}
	if err := db.place(); err != nil {
		return nil, err
	}
	if !o.Hidden {
		db.temp, _ = scratch.Shared(os.TempDir()) // most commands need none
	}
	if err := db.connect(ctx); err != nil {
		_ = db.close()
		return nil, err
	}
	return db, nil
}

// connect opens the file that place has found, and a connection.
func (db *DB) connect(ctx context.Context) error {
	config, err := db.configure()
	if err != nil {
		return err
	}
	available := make(chan int64, 1)
	go func() { available <- matrix.AvailableMemory() }() // beside what takes longer
	defer mapping.DestroyConfig(&config)
	if !db.options.Hidden {
		defer reserve()()
	}
	var message string
	var state mapping.State
	if db.path == "" {
		db.mode = ReadWrite
		state = mapping.OpenExt("", &db.db, config, &message)
	} else {
		state, message = db.openFile(config)
	}
	if state == mapping.StateError {
		return openFault(db.path, db.mode, message)
	}
	if mapping.Connect(db.db, &db.conn) == mapping.StateError {
		return framework.Faultf(framework.Internal, "database-unusable", "cannot connect to the database %s", db.path)
	}
	if db.path != "" && db.fresh == nil {
		db.identity, _ = os.Stat(db.path)
	}
	if db.options.Hidden {
		return db.registerSink()
	}
	return db.limitMemory(ctx, duckShare(<-available))
}

// set changes settings, which makes nothing in the database.
func (db *DB) set(ctx context.Context, sql string) error {
	return db.locked(ctx, func() error { return db.command(ctx, sql) })
}

// Close closes the database. A file that is to be made, and that nothing is in,
// is not made, nor is one of which a user was told that nothing was written.
func (db *DB) Close() error {
	db.TakeBack()
	err := db.publishRest(context.Background())
	if db.options.Leaving && db.atRest && runtime.GOOS != "windows" { // where no file can be removed that is open
		db.mu.Lock()
		defer db.mu.Unlock()
		return errors.Join(err, db.release())
	}
	return errors.Join(err, db.close())
}

// close ends the connection and removes what is temporary.
func (db *DB) close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.closeLocked()
}

// closeLocked is close while the lock is held.
func (db *DB) closeLocked() error {
	mapping.Disconnect(&db.conn)
	mapping.Close(&db.db)
	return db.release()
}

// release removes what is temporary.
func (db *DB) release() (err error) {
	for _, d := range []**scratch.Dir{&db.temp, &db.fresh} {
		if *d != nil {
			err = errors.Join(err, (*d).Release())
			*d = nil
		}
	}
	return err
}

// Writable returns the fault of a database that was opened for reading only.
func (db *DB) Writable() error {
	if db.mode == ReadWrite {
		return nil
	}
	return framework.Faultf(framework.Data, "database-read-only", "the database %s was opened for reading only", db.path).At("db")
}

// Path returns the path of the database file, or "" for one in memory.
func (db *DB) Path() string { return db.path }

// checkPath finds out what DuckDB would report less clearly.
func checkPath(path string, mode Mode) error {
	if path == "" {
		return nil
	}
	if err := checkLocal(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return framework.Faultf(framework.Data, "database-damaged", "%s is a directory, not a database", path).At("db")
	case err == nil && !info.Mode().IsRegular():
		return framework.Faultf(framework.Data, "database-damaged", "%s is a pipe or a device, not a database", path).At("db")
	case err == nil && isOther(path):
		return damaged(path) // of a CSV, Parquet or JSON file DuckDB makes a database in memory
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return framework.Faultf(framework.Internal, "database-unreadable", "cannot open the database %s", path).At("db").WithCause(err)
	case mode == ReadOnly:
		return framework.Faultf(framework.Data, "database-not-found", "there is no database %s", path).At("db").WithSimilar(SimilarFile(path))
	}
	if dir := filepath.Dir(path); !isDir(dir) {
		return framework.Faultf(framework.Data, "directory-not-found", "there is no directory %s", dir).
			At("db").WithHint("create it, or choose another place for the database")
	}
	return nil
}

// isOther reports whether a file has something else in it than a database, whose
// header begins with a sum of 8 bytes and the word DUCK.
func isOther(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // DuckDB says why
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, 12)
	n, err := io.ReadFull(f, header)
	return n > 0 && (err != nil || string(header[8:]) != "DUCK")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// SimilarFile returns a file of the same directory with nearly that name.
func SimilarFile(path string) string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return ""
	}
	if near := framework.Closest(name, input.NamesOf(entries, os.DirEntry.Name)); near != "" {
		return dir + near
	}
	return ""
}

// spills counts the directories that databases in memory may spill to.
var spills atomic.Int64

// settings are what a database is opened with.
func (db *DB) settings() map[string]string {
	// Left alone, DuckDB would spill to a directory beside the database, or in the
	// folder that the user is in, and leave it there when it is killed.
	spill := filepath.Join(os.TempDir(), fmt.Sprintf("sqlcluster-%d", os.Getpid())) // which cannot be made: whoever needs it is told
	if db.temp != nil {
		// Two databases of this process that spill must not take each other's files; but
		// all connections to one file must have the same settings.
		spill = filepath.Join(db.temp.Path(), fmt.Sprintf("duckdb-%08x", crc32.ChecksumIEEE([]byte(db.path))))
		if db.path == "" {
			spill = filepath.Join(db.temp.Path(), fmt.Sprintf("duckdb-%d", spills.Add(1)))
		}
	}
	if db.options.Hidden {
		spill = "" // none
	}
	settings := map[string]string{"duckdb_api": "sqlcluster", "temp_directory": spill}
	if !db.options.Extensions { // DuckDB's own rule is to fetch and run what a query asks for
		settings["autoinstall_known_extensions"], settings["autoload_known_extensions"] = "false", "false"
	}
	if db.options.OneThread || db.options.Hidden {
		settings["threads"] = "1"
	}
	if db.path != "" && db.mode == ReadOnly {
		settings["access_mode"] = "READ_ONLY"
	} else if db.path != "" {
		settings["access_mode"] = "READ_WRITE"
	}
	return settings
}

// configure returns the settings as DuckDB takes them; they must be destroyed.
func (db *DB) configure() (mapping.Config, error) {
	var config mapping.Config
	if mapping.CreateConfig(&config) == mapping.StateError {
		return config, framework.Faultf(framework.Internal, "database-unusable", "cannot configure DuckDB")
	}
	for name, value := range db.settings() {
		if mapping.SetConfig(config, name, value) == mapping.StateError {
			mapping.DestroyConfig(&config)
			return config, framework.Faultf(framework.Internal, "database-unusable", "DuckDB refuses the setting %s=%s", name, value)
		}
	}
	return config, nil
}

// openFault sorts DuckDB's reasons for not opening a file.
func openFault(path string, mode Mode, message string) error {
	var f *framework.Fault
	has := func(texts ...string) bool { return saidAny(message, texts...) }
	switch {
	case has("Could not set lock", "Conflicting lock", "being used by another process", "different configuration"):
		f = framework.Faultf(framework.Internal, "database-locked", "the database %s is open in another process", path).
			WithHint("wait until it has finished, or close the other program")
	case mode == ReadOnly && has("Permission denied", "Operation not permitted"):
		f = framework.Faultf(framework.Internal, "database-unreadable", "the database %s cannot be read", path).
			WithHint("check the permissions of the file and of its directory")
	case has("Permission denied", "Operation not permitted", "Read-only file system", "read-only",
		syscall.EACCES.Error(), syscall.EPERM.Error()): // in the words of DuckDB, or of Go
		f = framework.Faultf(framework.Internal, "database-read-only", "the database %s cannot be opened for writing", path).
			WithHint("check the permissions of the file and of its directory")
	case !has("replaying WAL") &&
		has("not a valid DuckDB database file", "Corrupt", "corrupt", "deserialize", "Serialization Error", "checksum"):
		f = damaged(path)
	case has("newer version", "older version", "version number"):
		f = framework.Faultf(framework.Data, "database-version", "the database %s was written by another version of DuckDB", path)
	default:
		f = framework.Faultf(framework.Internal, "database-unusable", "cannot open the database %s", path)
	}
	if f.Err = errors.New(strings.TrimSpace(message)); f.Code == "database-unusable" {
		Blame(f)
	}
	return f.At("db")
}

func damaged(path string) *framework.Fault {
	return framework.Faultf(framework.Data, "database-damaged", "%s is damaged, or not a DuckDB database", path).
		At("db").WithHint("to read a CSV, Parquet or JSON file, give it as the relation, not as %s", framework.Setting("db"))
}
