package duck

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// visible returns the names in a directory but for those that begin with a dot.
func visible(t *testing.T, dir string) []string {
	t.Helper()
	all := must.Get(filepath.Glob(filepath.Join(dir, "*")))(t)
	names := []string{}
	for _, path := range all {
		if name := filepath.Base(path); name[0] != '.' {
			names = append(names, name)
		}
	}
	return names
}

// makes is work for a transaction.
func makes(db *DB, table string) func() error {
	return func() error { return db.Exec(context.Background(), "CREATE TABLE "+table+" AS SELECT 7 AS x") }
}

// tablesIn returns the names of the tables in a database.
func tablesIn(t *testing.T, path string) string {
	t.Helper()
	db := must.Get(Open(t.Context(), path, ReadOnly, Options{}))(t)
	defer db.Close()
	rows := must.Get(db.Rows(t.Context(), "SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM duckdb_tables()"))(t)
	return rows[0][0].(string)
}

// What is not there cannot be left behind by a process that is killed.
func TestANewDatabaseGetsItsNameWhenSomethingIsCommitted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new.duckdb")
	db := opened(t, path, ReadWrite)
	err := db.Transaction(t.Context(), func() error {
		if there := visible(t, dir); len(there) > 0 {
			t.Errorf("before the commit there are %v", there)
		}
		return makes(db, "a")()
	})
	if err != nil {
		t.Fatal(sqltest.Explain(err))
	}
	for _, table := range []string{"b", "c"} {
		if there := visible(t, dir); !slices.Equal(there, []string{"new.duckdb"}) {
			t.Errorf("after a commit there are %v", there) // and no log: all is in the file
		}
		must.Do(t, db.Transaction(t.Context(), makes(db, table)))
	}
	sqltest.Close(t, db)
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("at the end there are %v (%v)", all, err)
	}
	if got := tablesIn(t, path); got != "a b c" {
		t.Errorf("tables %s", got)
	}
}

func TestANewDatabaseIsCalledByItsNameInQueries(t *testing.T) {
	db := opened(t, sqltest.Temp(t, "shop.duckdb"), ReadWrite, "CREATE TABLE t AS SELECT 1 AS x")
	if rows, err := db.Rows(t.Context(), "SELECT x FROM shop.main.t"); err != nil || len(rows) != 1 {
		t.Error(rows, err)
	}
}

func TestADatabaseThatAppearsMeanwhileIsWrittenTo(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	db := opened(t, path, ReadWrite)
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE theirs AS SELECT 1 AS x"))
	must.Do(t, db.Transaction(t.Context(), makes(db, "ours")))
	sqltest.Close(t, db)
	if got := tablesIn(t, path); got != "ours theirs" {
		t.Errorf("tables %s", got)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("at the end there are %v (%v)", all, err)
	}
}

func TestANewDatabaseIsMadeWhereALinkLeads(t *testing.T) {
	dir := t.TempDir()
	link, path := filepath.Join(dir, "link.duckdb"), filepath.Join(dir, "real.duckdb")
	must.Do(t, os.Symlink("real.duckdb", link))
	db := opened(t, link, ReadWrite)
	must.Do(t, db.Transaction(t.Context(), makes(db, "a")))
	sqltest.Close(t, db)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Error(info, err)
	}
	if to, err := os.Readlink(link); err != nil || to != "real.duckdb" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
}

func TestALogWithoutItsDatabaseIsNotGivenToANewOne(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	must.Do(t, os.WriteFile(path+".wal", []byte("what was written last"), 0o600))
	_, err := Open(t.Context(), path, ReadWrite, Options{})
	if f := framework.AsFault(err); f == nil || f.Code != "database-log" || f.Class != framework.Data {
		t.Error(sqltest.Explain(err))
	}
}

func TestADatabaseThatIsReplacedOrRemovedMeanwhileIsAnError(t *testing.T) {
	made := sqltest.Temp(t, "x.duckdb")
	sqltest.Close(t, opened(t, made, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	content := must.Get(os.ReadFile(made))(t)
	for name, change := range map[string]struct {
		with func(path string) error
		said string
	}{
		"removed":  {os.Remove, "removed or renamed"},
		"renamed":  {func(path string) error { return os.Rename(path, path+".old") }, "removed or renamed"},
		"replaced": {func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), "other"), path) }, "replaced by another file"},
		"made directory": {func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		}, "replaced by another file"},
	} {
		for _, when := range []string{"before the transaction", "during the transaction"} {
			t.Run(name+" "+when, func(t *testing.T) {
				path := sqltest.Temp(t, "x.duckdb")
				for file, bytes := range map[string][]byte{path: content, filepath.Join(filepath.Dir(path), "other"): []byte("theirs")} {
					must.Do(t, os.WriteFile(file, bytes, 0o600))
				}
				db := opened(t, path, ReadWrite)
				lost := "nothing was written"
				work := makes(db, "a")
				if when == "before the transaction" {
					must.Do(t, change.with(path))
				} else {
					lost = "what was written is lost"
					work = func() error {
						must.Do(t, change.with(path))
						return makes(db, "a")()
					}
				}
				err := db.Transaction(t.Context(), work)
				sqltest.WantFault(t, err, "database-replaced: the database "+path+" was "+change.said+" while it was in use; "+lost+
					"\nwhere: db\nhint: run the command again, and leave the file in its place until it has ended")
				sqltest.Close(t, db)
				if _, err := os.Lstat(path + ".wal"); err == nil {
					t.Error("a log is left beside a file that it does not belong to")
				}
				if name == "replaced" {
					if text, err := os.ReadFile(path); err != nil || string(text) != "theirs" {
						t.Errorf("the other file has %q (%v)", text, err)
					}
				}
			})
		}
	}
}

// A directory beside the database would stay when the process is killed.
func TestWhatDoesNotFitIntoMemoryGoesToTheTemporaryDirectory(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := sqltest.Temp(t, "x.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	for _, db := range []*DB{opened(t, path, ReadOnly), memory(t)} {
		rows := must.Get(db.Rows(t.Context(), "SELECT current_setting('temp_directory')"))(t)
		if dir := rows[0][0].(string); !strings.HasPrefix(dir, temp+string(filepath.Separator)) {
			t.Errorf("it goes to %s", dir)
		}
		sqltest.Close(t, db)
	}
	if all, err := os.ReadDir(temp); err != nil || len(all) != 0 {
		t.Errorf("at the end there are %v (%v)", all, err)
	}
}

// killedWhileItMakes starts this program, and kills it when it has a new database
// open.
func killedWhileItMakes(t *testing.T, path string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), lockedFile+"="+path)
	hold := must.Get(child.StdinPipe())(t)
	defer hold.Close()
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatal(line, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait() // killed
}

func TestWhatAKilledProcessHasLeftIsRemovedByTheNext(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	killedWhileItMakes(t, filepath.Join(dir, "new.duckdb"))
	if there := visible(t, dir); len(there) > 0 {
		t.Errorf("the killed process has left %v", there)
	}
	other := filepath.Join(dir, "other.duckdb")
	sqltest.Close(t, opened(t, other, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	for where, want := range map[string]int{dir: 1, temp: 0} {
		if all, err := os.ReadDir(where); err != nil || len(all) != want {
			t.Errorf("there are %v (%v), and not %d", all, err, want)
		}
	}
}

// A directory without permissions cannot be made for a test that runs as root.
func TestADirectoryThatMayNotBeWrittenToIsNamedAsTheReason(t *testing.T) {
	for _, said := range []error{syscall.EACCES, syscall.EROFS} {
		must.Fault(t, openFault("new.duckdb", ReadWrite, said.Error()), "database-read-only")
	}
}

func TestAfterItsFirstCommitANewDatabaseHasTheSettingsOfOthers(t *testing.T) {
	settings := func(db *DB) [][]any {
		return must.Get(db.Rows(t.Context(), `SELECT name, value FROM duckdb_settings() WHERE name IN ('wal_autocheckpoint',
			'auto_checkpoint_skip_wal_threshold', 'disabled_compression_methods', 'disabled_optimizers') ORDER BY name`))(t)
	}
	for _, n := range []int{0, 1, fewRows, fewRows + 1} {
		db := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "new.duckdb"), ReadWrite, Options{}))(t)
		before := settings(db)
		must.Do(t, db.ExecReading(t.Context(), "CREATE TEMP TABLE kept AS SELECT 1")) // as a small file is read
		done := db.Expect(t.Context(), n)
		must.Do(t, db.Transaction(t.Context(), func() error {
			differ := 2
			if n <= fewRows {
				differ = 3
			}
			changed := 0
			for i, s := range settings(db) {
				if s[1] != before[i][1] {
					changed++
				}
			}
			must.Equal(t, differ, changed)
			return db.Exec(t.Context(), fmt.Sprintf("CREATE TABLE t AS SELECT range::DOUBLE / 7 AS x FROM range(%d)", n))
		}))
		done()
		must.Equal(t, before, settings(db))
		must.Equal(t, [][]any{{int64(n)}}, must.Get(db.Rows(t.Context(), "SELECT count(*) FROM t"))(t))
		must.Do(t, db.Close())
	}
}

func TestWhatIsMadeInANewDatabaseIsListedAtOnce(t *testing.T) {
	for name, work := range map[string]func(*DB) error{
		"exec":    func(db *DB) error { return db.Exec(t.Context(), "CREATE TABLE t (x INTEGER)") },
		"reading": func(db *DB) error { return db.ExecReading(t.Context(), "CREATE TEMP TABLE t (x INTEGER)") },
		"a user":  func(db *DB) error { _, err := db.Run(t.Context(), "CREATE TEMP VIEW t AS SELECT 1", nil); return err },
		"transaction": func(db *DB) error {
			return db.Transaction(t.Context(), func() error { return db.Exec(t.Context(), "CREATE TABLE t (x INTEGER)") })
		},
	} {
		db := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "new.duckdb"), ReadWrite, Options{}))(t)
		must.Equal(t, 0, len(must.Get(db.Tables(t.Context()))(t)))
		must.Do(t, work(db))
		if tables := must.Get(db.Tables(t.Context()))(t); len(tables) != 1 || tables[0].Name != "t" {
			t.Errorf("%s: %v", name, tables)
		}
		must.Do(t, db.Close())
	}
}
