// Package sqltest has what the tests of the packages in sql share. It imports none
// of those that open a database, so that their own tests can import it.
package sqltest

import (
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// NaN stands for a missing cell.
var NaN = math.NaN()

// People are rows with categories of every kind.
const People = `CREATE TYPE size AS ENUM ('S', 'M', 'L', 'XL');
CREATE TABLE people AS SELECT id, age, colour, tall, cup::size AS cup, code, born FROM (VALUES
	(3, 30, 'red',  true,  'L', 10,   DATE '2001-02-03'),
	(1, 10, 'blue', false, 'S', 9,    DATE '2001-02-03'),
	(2, 20, 'red',  true,  'L', NULL, DATE '1999-12-31'),
	(4, 40, 'Blue', true,  'M', 10,   DATE '2001-02-03')) v(id, age, colour, tall, cup, code, born)`

// Ready returns a database that was just opened, after the statements have run. It
// is closed at the end of the test.
func Ready[DB interface {
	io.Closer
	Exec(ctx context.Context, sql string) error
}](t testing.TB, db DB, err error, statements ...string) DB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Close(t, db) })
	for _, s := range statements {
		if err := db.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// Close closes something in which nothing can be lost.
func Close(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Read reads a table, which is freed at the end of the test.
func Read(t testing.TB, db interface {
	Read(ctx context.Context, spec input.Spec) (*input.Table, error)
}, spec input.Spec) *input.Table {
	t.Helper()
	table, err := db.Read(context.Background(), spec)
	if err != nil {
		t.Fatal(Explain(err))
	}
	t.Cleanup(func() { Close(t, table) })
	return table
}

// Explain shows all of a fault.
func Explain(err error) string {
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

// WantFault compares a fault with its text.
func WantFault(t *testing.T, err error, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), Explain(err)); diff != "" {
		t.Error(diff)
	}
}

// KeyTexts returns the keys as text.
func KeyTexts(k input.Keys) []string {
	texts := []string{}
	for i := range k.Len() {
		texts = append(texts, k.Text(i))
	}
	return texts
}

// Cells returns the matrix row by row.
func Cells(t *input.Table) [][]float64 {
	rows := [][]float64{}
	if t.Builder.IsSparse() {
		for i := range t.Builder.Rows() {
			row := make([]float64, t.Builder.Cols())
			columns, values := t.Builder.Row(i)
			for e, l := range columns {
				row[l] = values[e]
			}
			rows = append(rows, row)
		}
		return rows
	}
	v := t.Builder.Values()
	for i := range v.Rows {
		rows = append(rows, append([]float64(nil), v.Row(i)...))
	}
	return rows
}

// Diff compares values, in which NaN equals NaN.
func Diff(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateNaNs()) }

// Equal ends the test at a difference, as Diff finds it.
func Equal(t testing.TB, want, got any) {
	t.Helper()
	must.Equal(t, want, got, cmpopts.EquateNaNs())
}

// Temp returns the path of a file that does not exist, in a directory that ends with
// the test.
func Temp(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

// IsCancelled reports whether an error is that of a cancelled context.
func IsCancelled(err error) bool { return errors.Is(err, context.Canceled) }

var update = flag.Bool("update", false, "rewrite golden files")

// Golden compares text with a file, or rewrites the file.
func Golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Error(d)
	}
}
