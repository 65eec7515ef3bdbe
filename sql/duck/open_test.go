package duck

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.duckdb")
	sqltest.Close(t, opened(t, good, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	damaged := filepath.Join(dir, "damaged.duckdb")
	content := must.Get(os.ReadFile(good))(t)
	for i := 100; i < len(content); i++ { // past the mark that says "this is a DuckDB file"
		content[i] ^= 0x5a
	}
	for name, bytes := range map[string][]byte{"damaged.duckdb": content, "text.duckdb": []byte(strings.Repeat("id,x\n1,2\n", 3000)),
		"rows.csv": []byte("id,x\n1,2\n"), "x.tsv": []byte("1")} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), bytes, 0o600))
	}
	for name, test := range map[string]struct {
		path    string
		mode    Mode
		code    string
		summary string
	}{
		"an_absent_file_for_reading": {filepath.Join(dir, "god.duckdb"), ReadOnly, "database-not-found", "there is no database DIR/god.duckdb"},
		"a_file_in_an_absent_folder": {filepath.Join(dir, "no", "x.duckdb"), ReadWrite, "directory-not-found", "there is no directory DIR/no"},
		"a_folder":                   {dir, ReadOnly, "database-damaged", "DIR is a directory, not a database"},
		"a_damaged_file_for_reading": {damaged, ReadOnly, "database-damaged", "DIR/damaged.duckdb is damaged, or not a DuckDB database"},
		"a_damaged_file_for_writing": {damaged, ReadWrite, "database-damaged", "DIR/damaged.duckdb is damaged, or not a DuckDB database"},
		"a_file_that_is_no_database": {filepath.Join(dir, "text.duckdb"), ReadOnly, "database-damaged",
			"DIR/text.duckdb is damaged, or not a DuckDB database"},
		"a_CSV_file_for_writing": {filepath.Join(dir, "rows.csv"), ReadWrite, "database-damaged",
			"DIR/rows.csv is damaged, or not a DuckDB database"},
		"a_short_file_for_writing": {filepath.Join(dir, "x.tsv"), ReadWrite, "database-damaged",
			"DIR/x.tsv is damaged, or not a DuckDB database"},
		"a_file_below_another_file": {filepath.Join(good, "x.duckdb"), ReadWrite, "database-unreadable",
			"cannot open the database DIR/good.duckdb/x.duckdb"},
		"an_existing_file_for_reading": {good, ReadOnly, "", ""},
		"a_new_file_for_writing":       {filepath.Join(dir, "new.duckdb"), ReadWrite, "", ""},
		"no_file":                      {"", ReadOnly, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(t.Context(), test.path, test.mode, Options{})
			if err == nil {
				defer db.Close()
			}
			f := framework.AsFault(err)
			if f == nil {
				f = &framework.Fault{}
			}
			if f.Code != test.code || strings.ReplaceAll(f.Summary, dir, "DIR") != test.summary {
				t.Error(sqltest.Explain(err))
			}
		})
	}
	t.Run("suggests_a_file_of_nearly_that_name", func(t *testing.T) {
		_, err := Open(t.Context(), filepath.Join(dir, "god.duckdb"), ReadOnly, Options{})
		if f := framework.AsFault(err); f == nil || f.Similar != good {
			t.Error(sqltest.Explain(err))
		}
	})
	t.Run("twice_in_a_process_shares_the_database", func(t *testing.T) {
		a := opened(t, good, ReadWrite)
		b := opened(t, good, ReadWrite)
		must.Do(t, a.Exec(t.Context(), "INSERT INTO t VALUES (2)"))
		if rows, err := b.Rows(t.Context(), "SELECT x FROM t"); len(rows) != 2 {
			t.Errorf("%v, %v", rows, err)
		}
	})
	t.Run("refuses_a_cancelled_context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Open(ctx, good, ReadOnly, Options{}); !sqltest.IsCancelled(err) {
			t.Error(sqltest.Explain(err))
		}
	})
}

// A file without permissions cannot be made for a test that runs as root.
func TestAFileThatMayNotBeReadIsNotCalledUnwritable(t *testing.T) {
	const said = `IO Error: Cannot open file "x.duckdb": Permission denied`
	for mode, want := range map[Mode]string{
		ReadOnly:  "database-unreadable: the database x.duckdb cannot be read",
		ReadWrite: "database-read-only: the database x.duckdb cannot be opened for writing",
	} {
		sqltest.WantFault(t, openFault("x.duckdb", mode, said),
			want+"\nwhere: db\nhint: check the permissions of the file and of its directory\ncause: "+said)
	}
}

func TestANewFileInWhichNothingIsDoesNotStay(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	left := func() bool {
		_, file := os.Lstat(path)
		_, wal := os.Lstat(path + ".wal")
		return file == nil || wal == nil
	}
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TEMP TABLE t AS SELECT 1 AS x"))
	if left() {
		t.Error("an empty database is left")
	}
	for _, statement := range []string{"CREATE TABLE t AS SELECT 1 AS x", "CREATE OR REPLACE VIEW v AS SELECT 1 AS x", "DROP TABLE t"} {
		sqltest.Close(t, opened(t, path, ReadWrite, statement))
		if !left() {
			t.Errorf("the database is gone after %s", statement)
		}
	}
	sqltest.Close(t, opened(t, path, ReadWrite, "DROP VIEW v")) // it was there before
	if !left() {
		t.Error("an empty database of the user is gone")
	}
}

// lockedFile names, for the test binary as a child process, the database to
// hold open.
const lockedFile = "STORE_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(lockedFile); path != "" {
		db, err := Open(context.Background(), path, ReadWrite, Options{})
		if err != nil {
			os.Exit(1)
		}
		fmt.Println("open")
		_, err = io.Copy(io.Discard, os.Stdin) // until the parent closes it
		if err != nil || db.Close() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestOpenLocked(t *testing.T) {
	path := sqltest.Temp(t, "locked.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), lockedFile+"="+path)
	hold := must.Get(child.StdinPipe())(t)
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatal(line, err)
	}
	for name, mode := range map[string]Mode{"for_reading": ReadOnly, "for_writing": ReadWrite} {
		t.Run(name+"_quotes_DuckDB", func(t *testing.T) {
			_, err := Open(t.Context(), path, mode, Options{})
			f := framework.AsFault(err)
			if f == nil || f.Code != "database-locked" || !strings.Contains(f.Err.Error(), "Conflicting lock is held") {
				t.Error(sqltest.Explain(err))
			}
		})
	}
	sqltest.Close(t, hold)
	must.Do(t, child.Wait())
	t.Run("no_longer_when_the_other_process_has_ended", func(t *testing.T) { opened(t, path, ReadWrite) })
}

// A disk that is full may leave the log of a transaction that was not committed.
func TestANewDatabaseInWhichNothingWasWrittenLeavesNothingNotEvenItsLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new.duckdb")
	db := must.Get(Open(t.Context(), path, ReadWrite, Options{}))(t)
	must.Do(t, os.WriteFile(db.file+".wal", nil, 0o600))
	must.Do(t, db.Close())
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestADatabaseIsAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{
		"md:x", "md:", "postgres:host=x", "sqlite:x.db", "mysql:", "ducklake:x", "file:x.db", "http://127.0.0.1:1/x.db", "s3://bucket/x.db",
		"az+x://y",
	} {
		for _, mode := range []Mode{ReadOnly, ReadWrite} {
			for _, o := range []Options{{}, {Extensions: true}} {
				db, err := Open(t.Context(), path, mode, o)
				if err == nil {
					_ = db.Close()
				}
				if f := framework.AsFault(err); f == nil || f.Code != "database-not-a-file" || f.Where != framework.Setting("db") || f.Hint == "" {
					t.Errorf("%s: %s", path, sqltest.Explain(err))
				}
			}
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	for _, path := range []string{"./md:x", "a:b.duckdb", filepath.Join(t.TempDir(), "md:x")} {
		sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE t AS SELECT 1 AS x"))
		sqltest.Close(t, opened(t, path, ReadOnly))
	}
}

func TestExtensionsAreLoadedForThoseWhoAllowThemOnly(t *testing.T) {
	for name, o := range map[string]Options{"off": {}, "on": {Extensions: true}} {
		t.Run(name, func(t *testing.T) {
			db := must.Get(Open(t.Context(), "", ReadWrite, o))(t)
			defer sqltest.Close(t, db)
			rows, err := db.Rows(t.Context(),
				"SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')")
			if err != nil || rows[0][0] != o.Extensions || rows[0][1] != o.Extensions {
				t.Errorf("%v %v", rows, err)
			}
		})
	}
}
