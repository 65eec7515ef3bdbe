package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestSQLIsRunInADatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := succeed(t, dir, "sql", "shop.duckdb", "-c", "CREATE TABLE t AS SELECT 7 AS a; FROM t")
	if want := (outcome{stdout: "a\n───\n7\n", stderr: "CREATE TABLE t AS SELECT 7 AS a: 1 row\n"}); o != want {
		t.Errorf("%+v", o)
	}
	o = sqlcluster(t, dir, "sql", "shop.duckdb", "--db", "other.duckdb", "-c", "FROM t")
	if want := (outcome{stderr: "error[bad-flag]: there are two databases, shop.duckdb and --db other.duckdb\n  where: --db\n" +
		"  hint:  name one; a second can be attached in SQL: ATTACH 'FILE'\n", code: 2}); o != want {
		t.Errorf("%+v", o)
	}
}

// What reads the rows may have seen enough, as head has.
func TestSQLEndsWhenNobodyReadsItsRows(t *testing.T) {
	t.Parallel()
	cmd := command(t, t.TempDir(), "sql", "-o", "csv", "-c", "FROM range(1000000000000)")
	var said bytes.Buffer
	cmd.Stderr = &said
	rows := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	if _, err := rows.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	must.Do(t, rows.Close())
	if err, ok := cmd.Wait().(*exec.ExitError); !ok || said.String() != "" {
		t.Errorf("%v: %s", err, &said)
	}
	if code := cmd.ProcessState.ExitCode(); code != 141 && os.PathSeparator == '/' { // 128 + 13, SIGPIPE
		t.Errorf("exit code %d", code)
	}
}
