package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// A database that does not exist yet is made in a directory of its own, beside
// its place, and gets its name there when something has been committed: a process
// that is killed before leaves no database, and nothing that the next one would
// not remove.

// place finds out where to open the database: at its path, or, if it is to be
// made, in a directory beside it. What killed processes have left there goes.
func (db *DB) place() error {
	db.file = db.path
	if db.path == "" {
		return nil
	}
	_, err := os.Stat(db.path)
	if !errors.Is(err, fs.ErrNotExist) || db.mode == ReadOnly {
		scratch.Sweep(filepath.Dir(db.path))
		return nil
	}
	if db.goal, err = behindLinks(db.path); err != nil {
		return openFault(db.path, db.mode, err.Error())
	}
	if _, err := os.Lstat(walOf(db.goal)); err == nil {
		return framework.Faultf(framework.Data, "database-log", "there is no database %s, but there is its log %s", db.path, walOf(db.goal)).
			WithWhere("--db").WithHint("put the database back beside its log, move the log away, or choose another name")
	}
	if db.fresh, err = scratch.New(filepath.Dir(db.goal)); err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // the path would be that of our directory
		}
		return openFault(db.path, db.mode, err.Error())
	}
	db.file = filepath.Join(db.fresh.Path(), filepath.Base(db.path)) // DuckDB calls the database by the name of its file
	return nil
}

// walOf returns the path of the log that DuckDB keeps beside a database.
func walOf(path string) string { return path + ".wal" }

// behindLinks returns the path of the file that is made when path is written to:
// path itself, or where its links lead.
func behindLinks(path string) (string, error) {
	const most = 40 // as Linux has it
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// errAppeared says that meanwhile there is a file where a database was to be made.
var errAppeared = errors.New("the file exists")

// publish gives a new database its name. It stays open, and what is committed
// later is in the file at once, too.
func (db *DB) publish(ctx context.Context) error {
	if db.fresh == nil {
		return nil
	}
	if err := db.exec(ctx, "CHECKPOINT"); err != nil { // the log does not go with the file
		return writeFault(err, "")
	}
	if db.published {
		return nil
	}
	err := os.Link(db.file, db.goal)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errAppeared
	case err != nil: // a file system without links to files
		if _, there := os.Lstat(db.goal); there == nil {
			return errAppeared
		}
		err = os.Rename(db.file, db.goal)
	}
	if err != nil {
		f := framework.Faultf(framework.Internal, "write-failed", "the database %s cannot be made", db.path).WithWhere("--db").
			WithHint("nothing was written; look whether its directory is still there and may be written to")
		f.Err = err
		return f
	}
	db.published = true
	db.identity, _ = os.Stat(db.path)
	return nil
}

// reopenPatience is how long reopen waits for whoever has made the database, and
// is about to close it.
const reopenPatience = 10 * time.Second

// reopen opens the database that somebody has made meanwhile in the place of a
// new one.
func (db *DB) reopen(ctx context.Context) error {
	other, err := OpenWith(ctx, db.path, ReadWrite, db.options)
	for end := time.Now().Add(reopenPatience); err != nil; {
		if f := framework.AsFault(err); f == nil || f.Code != "database-locked" || time.Now().After(end) {
			return err
		}
		time.Sleep(interruptInterval)
		other, err = OpenWith(ctx, db.path, ReadWrite, db.options)
	}
	_ = db.close()
	db.file, db.goal, db.fresh, db.identity, db.published = other.file, other.goal, other.fresh, other.identity, other.published
	db.db, db.conn, db.temp = other.db, other.conn, other.temp
	return nil
}

// checkIdentity refuses to go on when the path of the database no longer names
// the file that is open: what is written would be lost, and its log would be that
// of another database. lost says what that means.
func (db *DB) checkIdentity(lost string) error {
	if db.identity == nil {
		return nil
	}
	what := "replaced by another file"
	now, err := os.Stat(db.path)
	switch {
	case err == nil && os.SameFile(now, db.identity):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		what = "removed or renamed"
	}
	return framework.Faultf(framework.Internal, "database-replaced", "the database %s was %s while it was in use; %s", db.path, what, lost).
		WithWhere("--db").WithHint("run the command again, and leave the file in its place until it has ended")
}
