package duck

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
	if db.path == "" || db.options.InPlace {
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
			At("db").WithHint("put the database back beside its log, move the log away, or choose another name")
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

// untouched reports whether the database is new and nobody can have made anything in
// it yet, which need not be asked then.
func (db *DB) untouched() bool { return db.fresh != nil && !db.published && !db.executed }

// What the first commit to a new database is set to, and one of many rows.
const (
	// The file is written at once, and no log ahead of it, as DuckDB itself does with very
	// many rows: until the last block is written, which says where the others are, the file
	// is as it was. When the database is closed, the log would become a part of it anyway.
	unlogged = "SET wal_autocheckpoint = '1 KiB'; SET auto_checkpoint_skip_wal_threshold = 0"
	logged   = "; RESET wal_autocheckpoint; RESET auto_checkpoint_skip_wal_threshold"

	// To find out how a few rows are best compressed, or a statement of ours is best
	// run, takes longer than all else that is done with them.
	plain = "; SET disabled_compression_methods = 'fsst,dict_fsst,zstd,chimp,patas,alp,alprd'; PRAGMA disable_optimizer"
	usual = "; RESET disabled_compression_methods; PRAGMA enable_optimizer"
)

// unloggedCommit prepares the transaction with which a new database begins, or one that
// writes many rows. Nobody can have changed settings before. done is to be called after it.
func (db *DB) unloggedCommit(ctx context.Context) (done func()) {
	begins := db.fresh != nil && !db.published
	if db.asked || !begins && (!db.many || db.path == "") {
		return func() {}
	}
	before, after := unlogged, logged
	if db.few && begins {
		before, after = before+plain, after+usual
	}
	if db.set(ctx, before) != nil {
		return func() {} // the transaction finds out why
	}
	return func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.restore = after[len("; "):]
	}
}

// errAppeared says that meanwhile there is a file where a database was to be made.
var errAppeared = errors.New("the file exists")

// publishRest publishes, before the end, what is in a new database outside of any
// transaction.
func (db *DB) publishRest(ctx context.Context) error {
	if db.fresh == nil || db.published || db.abandoned != nil {
		return nil
	}
	empty, err := db.empty(ctx)
	if err != nil {
		return db.unmade(err)
	}
	if empty {
		return nil
	}
	if err := db.publish(ctx); !errors.Is(err, errAppeared) {
		return err
	}
	return framework.Faultf(framework.Internal, "write-failed",
		"the database %s cannot be created: another file was put there meanwhile", db.path).
		At("db").WithHint("nothing was written; run the command again, to write to that database")
}

// empty reports whether nobody has made anything in the database.
func (db *DB) empty(ctx context.Context) (bool, error) {
	rows, err := db.Catalog(ctx, `SELECT
		(SELECT count(*) FROM duckdb_tables() WHERE NOT temporary) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal AND NOT temporary) +
		(SELECT count(*) FROM duckdb_schemas() WHERE NOT internal AND database_name = current_database() AND schema_name <> 'main')`)
	if err != nil {
		return false, err
	}
	return rows[0][0] == int64(0), nil
}

// publish gives a new database its name. It stays open. Its log does not get a
// name: what is committed later is in the file after the CHECKPOINT that publish
// does then, and not before. A publish that fails is not tried again, since the
// user is told that nothing was written.
func (db *DB) publish(ctx context.Context) error {
	if db.fresh == nil {
		_, err := os.Lstat(walOf(db.file))
		db.atRest = db.path != "" && errors.Is(err, fs.ErrNotExist) // a commit of many rows is in the file at once
		return nil
	}
	err := db.link(ctx)
	if err != nil && !db.published && !errors.Is(err, errAppeared) {
		db.abandoned = err
	}
	return err
}

// link is publish for a new database.
func (db *DB) link(ctx context.Context) error {
	if err := db.set(ctx, "CHECKPOINT"); err != nil { // the log does not go with the file
		return WriteFault(err, "")
	}
	if db.published {
		db.atRest = true
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
		return db.unmade(err)
	}
	db.published, db.atRest = true, true
	db.identity, _ = os.Stat(db.path)
	return nil
}

func (db *DB) unmade(err error) error {
	return framework.Faultf(framework.Internal, "write-failed", "the database %s cannot be created", db.path).At("db").WithCause(err).
		WithHint("nothing was written; check that its directory still exists and can be written to")
}

// reopenPatience is how long reopen waits for whoever has made the database, and
// is about to close it.
const reopenPatience = 10 * time.Second

// reopen opens the database that somebody has made meanwhile in the place of a
// new one.
func (db *DB) reopen(ctx context.Context) error {
	other, err := Open(ctx, db.path, ReadWrite, db.options)
	for end := time.Now().Add(reopenPatience); err != nil; {
		if f := framework.AsFault(err); f == nil || f.Code != "database-locked" || time.Now().After(end) {
			return err
		}
		time.Sleep(interruptInterval)
		other, err = Open(ctx, db.path, ReadWrite, db.options)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	_ = db.closeLocked()
	db.file, db.goal, db.fresh, db.identity, db.published = other.file, other.goal, other.fresh, other.identity, other.published
	db.atRest, db.restore = other.atRest, ""
	db.db, db.conn, db.temp = other.db, other.conn, other.temp
	db.expected, db.numbered = 0, 0
	return nil
}

// checkIdentity refuses to go on when the path of the database no longer names
// the file that is open: what is written would be lost, and its log would be that
// of another database. written says that something has been written.
func (db *DB) checkIdentity(written bool) error {
	if db.identity == nil {
		return nil
	}
	now, err := os.Stat(db.path)
	if err == nil && os.SameFile(now, db.identity) {
		return nil
	}
	what, loss := "was replaced by another file", "nothing was written"
	if written {
		loss = "what was written is lost"
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		what = "was removed or renamed"
	case err != nil:
		what = "became unreachable"
		if written {
			loss = "what was written may be lost"
		}
	}
	f := framework.Faultf(framework.Internal, "database-replaced", "the database %s %s while it was in use; %s", db.path, what, loss).
		At("db").WithHint("run the command again, and leave the file in its place until it has ended")
	if what == "became unreachable" {
		f.Err = err
	}
	return f
}
