package duck

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestADatabaseThatWasCutOffIsCalledDamaged(t *testing.T) {
	path := sqltest.Temp(t, "x.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT i, hash(i) AS h FROM range(100000) r(i)"))
	whole := must.Get(os.ReadFile(path))(t)
	// The headers have 3 times 4096 bytes.
	for _, size := range []int{0, 1, 11, 12, 100, 4096, 12288, 12289} {
		must.Do(t, os.WriteFile(path, whole[:size], 0o600))
		for _, mode := range []Mode{ReadOnly, ReadWrite} {
			_, err := Open(t.Context(), path, mode, Options{})
			if f := framework.AsFault(err); f == nil || f.Code != "database-damaged" || f.Class != framework.Data || f.Hint == "" {
				t.Errorf("of %d bytes, in mode %d: %s", size, mode, sqltest.Explain(err))
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() != int64(size) {
			t.Errorf("the file has changed: %v, %v", info, err)
		}
	}
	must.Do(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	_, err := opened(t, path, ReadOnly).Rows(t.Context(), "SELECT sum(h) FROM t") // the list of tables is in this half
	if f := framework.AsFault(InternalFault("show-failed", "cannot read t", err)); f == nil || f.Code != "database-damaged" ||
		f.Class != framework.Data {
		t.Error(sqltest.Explain(err))
	}
}

// unfinished is a database with a log: a copy of one that is open.
func unfinished(t *testing.T, dir, name, statement string) (path string) {
	t.Helper()
	live := sqltest.Temp(t, "live.duckdb")
	sqltest.Close(t, opened(t, live, ReadWrite, "CREATE TABLE first AS SELECT 1 AS x"))
	db := opened(t, live, ReadWrite, statement)
	defer sqltest.Close(t, db)
	path = filepath.Join(dir, name)
	for _, end := range []string{"", ".wal"} {
		text, err := os.ReadFile(live + end)
		if err == nil {
			err = os.WriteFile(path+end, text, 0o600)
		}
		must.Do(t, err)
	}
	return path
}

func TestALogThatDoesNotFitTheDatabaseIsNamed(t *testing.T) {
	dir := t.TempDir()
	log := unfinished(t, dir, "other.duckdb", "ALTER TABLE first ADD COLUMN y INTEGER") + ".wal"
	path := filepath.Join(dir, "x.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE elsewhere AS SELECT 1 AS x"))
	must.Do(t, os.Rename(log, path+".wal"))
	for _, mode := range []Mode{ReadOnly, ReadWrite} {
		_, err := Open(t.Context(), path, mode, Options{})
		if f := framework.AsFault(err); f == nil || f.Code != "database-log" || f.Class != framework.Data || f.Hint == "" {
			t.Error(sqltest.Explain(err))
		}
	}
}

// A log of one's own is what a killed process has committed.
func TestALogIsReadWithTheDatabase(t *testing.T) {
	path := unfinished(t, t.TempDir(), "x.duckdb", "CREATE TABLE second AS SELECT 1 AS x")
	if got := tablesIn(t, path); got != "first second" {
		t.Errorf("tables %s", got)
	}
}

// The texts are those of DuckDB under ulimit -v and ulimit -n.
func TestWhatTheMachineLacksIsNamed(t *testing.T) {
	for said, want := range map[string]string{
		"Out of Memory Error: Allocation failure":                             "out-of-memory",
		`IO Error: Cannot open file "/tmp/x.duckdb.wal": Too many open files`: "too-many-files",
	} {
		for _, err := range []error{openFault("x.duckdb", ReadOnly, said),
			InternalFault("list-failed", "cannot list the tables of the database", Error(said))} {
			if f := framework.AsFault(err); f == nil || f.Code != want || f.Class != framework.Internal || f.Hint == "" {
				t.Error(sqltest.Explain(err))
			}
		}
	}
}

func TestALackOfMemoryInAnyStatementIsNamed(t *testing.T) {
	db := memory(t, "SET memory_limit = '5MB'", "SET temp_directory = ''")
	err := db.Transaction(t.Context(), func() error {
		return WriteFault(db.Exec(t.Context(),
			fmt.Sprintf("CREATE TABLE t AS SELECT hash(i) AS h, i FROM range(%d) r(i) ORDER BY h", 3_000_000)), "t")
	})
	must.Fault(t, err, "out-of-memory")
}

func TestADirectoryForTemporaryFilesIsMissedWhenItIsNeeded(t *testing.T) {
	file := sqltest.Temp(t, "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("TMPDIR", file)
	db := memory(t, "CREATE TABLE small AS SELECT 1 AS x", "SET threads = 1", "SET memory_limit = '20MB'")
	err := WriteFault(db.Exec(t.Context(), "CREATE TABLE t AS SELECT hash(i) AS h, i FROM range(3000000) r(i) ORDER BY h"), "t")
	if f := framework.AsFault(err); f == nil || f.Code != "no-temporary-directory" || f.Class != framework.Internal {
		t.Error(sqltest.Explain(err))
	}
}

func TestALogThatIsDamagedIsNoDamagedDatabase(t *testing.T) {
	const said = `Serialization Error: Failure while replaying WAL file "x.duckdb.wal": Corrupt WAL file: ` +
		`entry at byte position 8 computed checksum 1 does not match stored checksum 2`
	must.Fault(t, openFault("x.duckdb", ReadOnly, said), "database-log")
}

// The text is DuckDB's own, from a database that can be written in a directory that cannot.
func TestALogThatCannotBeWrittenIsLaidToItsDirectory(t *testing.T) {
	err := WriteFault(Error("TransactionContext Error: Failed to commit: Cannot open file \"/tmp/x.db.wal\": Permission denied"), "")
	if f := framework.AsFault(err); f == nil || f.Where != framework.Setting("db") || !strings.Contains(f.Hint, "permissions of") {
		t.Errorf("%+v", f)
	}
}

// The text is DuckDB's own, from a disk in memory of 700 kB.
func TestAFullDiskIsSaidToBeOne(t *testing.T) {
	err := WriteFault(Error("TransactionContext Error: Failed to commit: Could not write file \"x.db.wal\": No space left on device"), "")
	if f := framework.AsFault(err); f == nil || f.Where != framework.Setting("db") || !strings.Contains(f.Hint, "room") {
		t.Errorf("%+v", f)
	}
	if f := framework.AsFault(WriteFault(Error("another"), "t")); f == nil || f.Hint != "" || f.Code != "write-failed" {
		t.Errorf("%+v", f)
	}
}
