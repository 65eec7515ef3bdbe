package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// What is behind the pipe may have seen enough, as head has, when the tables have
// been written. The database is closed all the same.
func TestOutputThatNobodyReadsLeavesAWholeDatabase(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	must.Do(t, err)
	must.Do(t, reader.Close())
	dir := t.TempDir()
	database(t, dir) // so that the commit is in a log first
	cmd := command(t, dir, "fit", squares, "--id", "id", "-k", "2", "--db", "out.duckdb", "--into", "r", "-o", "csv")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &said
	_ = cmd.Run()
	writer.Close()
	if code := cmd.ProcessState.ExitCode(); code != 141 || said.String() != "" { // 128 + 13, SIGPIPE
		t.Errorf("exit code %d: %s", code, said.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "out.duckdb" {
		t.Errorf("there are %v (%v)", left, err)
	}
	if n := len(tableRows(t, opened(t, dir, "out.duckdb"), "r", "assignments")); n != 40 {
		t.Errorf("%d rows of 40", n)
	}
}
