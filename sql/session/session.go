// Package session runs SQL of a user: one statement after the other on one connection,
// which may write, in transactions that the user begins and ends.
//
// # Two ways into one database
//
// A session has the database open twice. database/sql, with the driver of DuckDB, is
// what functions written in Go are added to SQL with. Statements run on a connection
// of sql/duck to the same instance: the driver holds a whole result in memory, and
// gives values of nested types, intervals and decimals as Go values, of which nobody
// makes exactly the text that DuckDB shows. sql/duck streams the rows, and lets DuckDB
// make these texts.
//
// A session without a file has one in a private directory: a database in memory
// belongs to whoever has opened it, and has no second way in.
package session

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/functions"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Session is open until it is closed. Its statements run one at a time.
type Session struct {
	db       *duck.DB
	driver   *sql.DB
	private  *scratch.Dir // of the database; nil: the user has named one
	readOnly error        // what is wrong with a statement that writes; nil: nothing

	functions *functions.Functions
	progress  functions.Progress
}

// Options say what a session may do.
type Options struct {
	Extensions bool  // as duck.Options has it
	ReadOnly   error // what is said of a statement that writes to the database; nil: it may

	Library  library.Library // what the functions of clustering cluster with
	Progress functions.Progress
}

// Open opens the database file at path, which is made with the first commit if it
// does not exist. One that cannot be written to is opened for reading. An empty path
// is a private database, which ends with the session.
func Open(ctx context.Context, path string, o Options) (*Session, error) {
	s := &Session{readOnly: o.ReadOnly, progress: o.Progress}
	settings := duck.Options{Extensions: o.Extensions}
	if path == "" {
		var err error
		if s.private, err = scratch.New(os.TempDir()); err != nil {
			return nil, noDirectory(err)
		}
		path, settings.InPlace = filepath.Join(s.private.Path(), "memory"), true // DuckDB's name of such a database
	}
	err := s.open(ctx, path, settings)
	if err == nil {
		s.functions, err = functions.Add(ctx, s.db, o.Library)
	}
	if err != nil {
		_ = s.Close()
		if f := framework.AsFault(err); s.private != nil && f != nil && f.Code == "database-unusable" { // the user has named none
			return nil, noDirectory(cmp.Or(f.Err, err))
		}
		return nil, err
	}
	return s, nil
}

// noDirectory is the fault of a directory for temporary files that cannot be used, or is full.
func noDirectory(err error) error {
	f := framework.Faultf(framework.Internal, "no-temporary-directory", "there is no place for a private database in %s", os.TempDir()).
		WithHint("set TMPDIR to a directory that you can write to and that has room, or name a database")
	f.Err = err
	return f
}

func (s *Session) open(ctx context.Context, path string, settings duck.Options) (err error) {
	mode := duck.ReadWrite
	if s.readOnly != nil {
		mode = duck.ReadOnly
	}
	s.db, err = duck.Open(ctx, path, mode, settings)
	if f := framework.AsFault(err); f != nil && f.Code == "database-read-only" {
		s.db, s.readOnly = nil, f
		if _, missing := os.Stat(path); missing != nil {
			return err
		}
		s.db, err = duck.Open(ctx, path, duck.ReadOnly, settings)
	}
	if err != nil {
		s.db = nil
		return err
	}
	connector, err := s.db.Connector()
	if err != nil {
		return err
	}
	s.driver = sql.OpenDB(connector)
	return nil
}

// Driver returns the database as database/sql has it: with connections of its own,
// for which what a statement has not committed is not there yet. Functions that are
// added with it are known to the statements.
func (s *Session) Driver() *sql.DB { return s.driver }

// Run runs one statement, as duck.DB does.
func (s *Session) Run(ctx context.Context, text string, show func(duck.Result) error) (duck.Outcome, error) {
	s.listRuns(ctx, text)
	s.functions.Begin(ctx, text, s.progress)
	done, err := s.db.Run(ctx, text, show)
	err = s.functions.End(err)
	if said, ok := errors.AsType[duck.Error](err); ok {
		if f := functions.Explain(text, said); f != nil {
			return done, f.Render(functions.Setting).WithCause(nil)
		}
	}
	return done, s.fault(err)
}

// fault explains what DuckDB says of a statement.
func (s *Session) fault(err error) error {
	said, ok := errors.AsType[duck.Error](err)
	if !ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if s.readOnly != nil && strings.Contains(string(said), "in read-only mode") {
		return s.readOnly
	}
	if f := duck.ExtensionFault(said, "the statement"); f != nil {
		return f
	}
	if s.private != nil && strings.Contains(string(said), "No space left on device") && strings.Contains(string(said), s.private.Path()) {
		return noDirectory(said)
	}
	f := framework.Faultf(framework.Data, "statement-failed", "DuckDB refuses the statement")
	if f.Err = said; !duck.Blame(f) && strings.HasPrefix(string(said), "IO Error") && !strings.Contains(string(said), "No files found") {
		f.Class, f.Summary = framework.Internal, "DuckDB cannot read or write a file"
	}
	return f
}

// Transacting reports whether a transaction has been begun and not ended.
func (s *Session) Transacting() bool { return s.db.Transacting() }

// Propose returns what may come at the end of a text, as DuckDB knows it from key
// words and from its catalog, best first, and the place in the text from which on a
// proposal replaces it.
func (s *Session) Propose(ctx context.Context, text string) (at int, proposals []string, err error) {
	if strings.ContainsRune(text, 0) {
		return 0, nil, nil
	}
	_, err = s.db.Run(ctx, "SELECT suggestion_start, suggestion FROM sql_auto_complete("+schema.Text(text)+")", func(r duck.Result) error {
		return r.Each(func(row []any) error {
			from, _ := row[0].(int64)
			proposal, _ := row[1].(string)
			at, proposals = int(from), append(proposals, strings.TrimSpace(proposal))
			return nil
		})
	})
	return at, proposals, s.fault(err)
}

// Close ends the session, and takes an open transaction back. It returns what keeps
// a database from being there that statements have made.
func (s *Session) Close() error {
	var err error
	if s.driver != nil {
		err = s.driver.Close()
	}
	if s.functions != nil {
		err = errors.Join(err, s.functions.Close())
	}
	if s.db != nil {
		if s.db.Transacting() {
			_, rolled := s.db.Run(context.Background(), "ROLLBACK", nil)
			err = errors.Join(err, rolled)
		}
		err = errors.Join(err, s.db.Close())
	}
	if s.private != nil {
		err = errors.Join(err, s.private.Release())
	}
	return err
}
