package duck

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// isThere reports whether there is something at a path.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestANewDatabaseThatCouldNotBeMadeIsNotMadeLater(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	db := opened(t, path, ReadWrite)
	dir := filepath.Join(filepath.Dir(path), "missing")
	db.goal = filepath.Join(dir, "new.duckdb")
	err := db.Transaction(t.Context(), makes(db, "a"))
	if f := framework.AsFault(err); f == nil || f.Code != "write-failed" ||
		f.Hint != "nothing was written; check that its directory still exists and can be written to" {
		t.Error(sqltest.Explain(err))
	}
	if err := os.Mkdir(dir, 0o700); err != nil { // the reason is gone
		t.Fatal(err)
	}
	if again := db.Transaction(t.Context(), makes(db, "b")); again == nil {
		t.Error("a second transaction writes what the first has not")
	}
	sqltest.Close(t, db)
	if isThere(db.goal) || isThere(path) {
		t.Error("it was made, after the user was told that nothing was written")
	}
}

func TestANewDatabaseInWhosePlaceThereIsSomethingElseIsNotMadeLater(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	db := opened(t, path, ReadWrite)
	must.Do(t, os.WriteFile(path, []byte("no database"), 0o600))
	err := db.Transaction(t.Context(), makes(db, "a"))
	must.Fault(t, err, "database-damaged")
	must.Do(t, os.Remove(path))
	sqltest.Close(t, db)
	if isThere(path) {
		t.Error("it was made, after the user was told of an error")
	}
}

func TestACloseThatFindsAnotherFileInThePlaceOfANewDatabaseIsAFault(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	db := opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x")
	must.Do(t, os.WriteFile(path, []byte("theirs"), 0o600))
	err := db.Close()
	if f := framework.AsFault(err); f == nil || f.Code != "write-failed" || f.Where != framework.Setting("db") {
		t.Error(sqltest.Explain(err))
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "theirs" {
		t.Errorf("the other file has %q (%v)", text, err)
	}
}

// A link to itself cannot be followed; a directory that may not be entered, which
// is the usual reason, cannot be made for root.
func TestADatabaseThatCannotBeReachedAnyMoreIsNotCalledReplaced(t *testing.T) {
	path := sqltest.Temp(t, "x.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	db := opened(t, path, ReadWrite)
	must.Do(t, os.Remove(path))
	must.Do(t, os.Symlink(path, path))
	for written, loss := range map[bool]string{false: "nothing was written", true: "what was written may be lost"} {
		f := framework.AsFault(db.checkIdentity(written))
		if want := "the database " + path + " became unreachable while it was in use; " + loss; f == nil || f.Summary != want || f.Err == nil {
			t.Errorf("%+v; want %s", f, want)
		}
	}
}
