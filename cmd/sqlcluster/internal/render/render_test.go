package render_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// numbered is a table of n rows, all at once or one after the other.
func numbered(n int, atOnce bool) render.Table {
	t := render.Table{Name: "rows", Columns: []string{"id", "a <name>", "x"}}
	row := func(i int) []any { return []any{int64(i), fmt.Sprintf("r%d\n&", i), float64(i) / 8} }
	if !atOnce {
		room := make([]any, 3) // which each row is in, as those of a database are
		t.Each = func(use func([]any) error) error {
			for i := range n {
				copy(room, row(i))
				if err := use(room); err != nil {
					return err
				}
			}
			return nil
		}
		return t
	}
	for i := range n {
		t.Rows = append(t.Rows, row(i))
	}
	return t
}

func TestRowsThatComeOneByOneAreWrittenLikeThoseThatAreThere(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		for _, format := range render.Formats {
			var want, got strings.Builder
			other := render.Table{Name: "zero", Columns: []string{"a"}}
			if err := errors.Join(render.Write(&want, format, numbered(n, true), other),
				render.Write(&got, format, numbered(n, false), other)); err != nil {
				t.Fatal(err)
			}
			if want.String() != got.String() {
				t.Errorf("%s of %d rows:\n%s\nwant\n%s", format, n, got.String(), want.String())
			}
		}
	}
}

// A broken writer breaks after some bytes, as a pipe does that nobody reads.
type broken struct{ left int }

var errBroken = errors.New("broken pipe")

func (b *broken) Write(text []byte) (int, error) {
	if b.left -= len(text); b.left < 0 {
		return 0, errBroken
	}
	return len(text), nil
}

func TestRowsAreWrittenAsTheyCome(t *testing.T) {
	const rows = 1_000_000 // far more than any buffer or page holds
	for _, format := range render.Formats {
		taken := 0
		table := render.Table{Name: "rows", Columns: []string{"id"}, Each: func(use func([]any) error) error {
			for taken < rows {
				taken++
				if err := use([]any{taken}); err != nil {
					return err
				}
			}
			return nil
		}}
		if err := render.Write(&broken{left: 1000}, format, table); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", format, err)
		}
		if taken > rows/10 {
			t.Errorf("%s: %d rows were asked for before the first was written", format, taken)
		}
	}
}

func TestPagesOfATableHaveTheSameColumns(t *testing.T) {
	var out strings.Builder
	must.Do(t, render.Write(&out, "table", numbered(2500, false)))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2502 { // two of the header
		t.Fatalf("%d lines", len(lines))
	}
	at := strings.Index(lines[2], "r0")
	for i, line := range lines[2:] {
		if want := fmt.Sprintf("r%d\\n&", i); strings.Index(line, want) < at-1 || strings.Index(line, want) > at+1 {
			t.Fatalf("row %d is laid out otherwise: %q", i, line)
		}
	}
}

func TestAnErrorOfTheRowsIsThatOfTheTable(t *testing.T) {
	for _, format := range render.Formats {
		table := render.Table{Name: "rows", Columns: []string{"id"}, Each: func(func([]any) error) error { return errBroken }}
		if err := render.Write(io.Discard, format, table); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}
