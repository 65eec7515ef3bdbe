package store

import (
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
)

// memory returns a private database in which the statements have run.
func memory(t testing.TB, statements ...string) *DB {
	t.Helper()
	return opened(t, "", ReadWrite, statements...)
}

func opened(t testing.TB, path string, mode Mode, statements ...string) *DB {
	t.Helper()
	db, err := Open(context.Background(), path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(t, db) })
	for _, s := range statements {
		if err := db.exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// closeNow closes something in which nothing can be lost.
func closeNow(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// read reads a table, which is freed at the end of the test.
func read(t testing.TB, db *DB, spec input.Spec) *input.Table {
	t.Helper()
	table, err := db.Read(context.Background(), spec)
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(func() { closeNow(t, table) })
	return table
}

// explain shows all of a fault.
func explain(err error) string {
	f := framework.AsFault(err)
	if f == nil {
		if err == nil {
			return "no error"
		}
		return "no fault: " + err.Error()
	}
	f = f.Render(nil)
	lines := []string{f.Code + ": " + f.Summary}
	lines = append(lines, f.Details...)
	for _, part := range []struct{ name, text string }{{"similar", f.Similar}, {"where", f.Where}, {"hint", f.Hint}} {
		if part.text != "" {
			lines = append(lines, part.name+": "+part.text)
		}
	}
	if f.Err != nil {
		first, _, _ := strings.Cut(f.Err.Error(), "\n")
		lines = append(lines, "cause: "+first)
	}
	return strings.Join(lines, "\n")
}

// wantFault compares a fault with its text.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), explain(err)); diff != "" {
		t.Error(diff)
	}
}

// keyTexts returns the keys as text.
func keyTexts(k input.Keys) []string {
	texts := []string{}
	for i := range k.Len() {
		texts = append(texts, k.Text(i))
	}
	return texts
}

// cells returns the matrix row by row.
func cells(t *input.Table) [][]float64 {
	v := t.Builder.Values()
	rows := [][]float64{}
	for i := range v.Rows {
		rows = append(rows, append([]float64(nil), v.Row(i)...))
	}
	return rows
}

var nan = math.NaN()

func diff(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateNaNs()) }

func inTemp(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }

// tableCount returns the number of tables.
func tableCount(t *testing.T, db *DB) int {
	t.Helper()
	tables, err := db.tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return len(tables)
}
