package duck

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func hidden(t *testing.T) *DB {
	t.Helper()
	db := must.Get(Open(t.Context(), "", ReadWrite, Options{Hidden: true}))(t)
	t.Cleanup(func() { must.Do(t, db.Close()) })
	return db
}

func TestAHiddenDatabaseGivesTheRowsOfAnyOther(t *testing.T) {
	a, b := memory(t), hidden(t)
	for _, query := range []string{
		"SELECT i, i::VARCHAR || ' is a number', i / 3, if(i % 5 = 0, NULL, -i) FROM range(10000) r(i) ORDER BY hash(i)",
		"SELECT i FROM range(10000) r(i) WHERE i % 7 = 0 -- the last line", "SELECT 1 AS a, 2 AS a", "SELECT 1 WHERE false",
		"SELECT NULL", "DESCRIBE SELECT 1 AS a", "FROM range(3) __r", "SELECT DATE '2024-02-29', UUID '0f8fad5b-d9cb-469f-a165-70867728950e'",
		"EXPLAIN (FORMAT JSON) SELECT 1",
	} {
		want, got := must.Get(a.Rows(t.Context(), query))(t), must.Get(b.Rows(t.Context(), query))(t)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %d rows, want %d", query, len(got), len(want))
		}
	}
	if names := must.Get(b.plannedNames(t.Context(), "SELECT 1 AS a, 2 AS b"))(t); !slices.Equal(names, []string{"a", "b"}) {
		t.Error(names)
	}
}

func TestAStreamOfAHiddenDatabaseEndsWithTheErrorOfWhoTakesItsRows(t *testing.T) {
	db := hidden(t)
	enough := errors.New("enough")
	if err := db.Stream(t.Context(), "FROM range(100000)", func(Chunk) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Stream(ctx, "FROM range(100000000000)", func(Chunk) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := db.Rows(t.Context(), "FROM nowhere"); err == nil {
		t.Error("no error")
	}
}

func TestAHiddenDatabaseTouchesNoFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	db := hidden(t)
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE t AS SELECT i, random() AS x FROM range(100000) r(i)"))
	must.Get(db.Rows(t.Context(), "SELECT count(*) FROM (FROM t ORDER BY x)"))(t)
	if rows := must.Get(db.Rows(t.Context(), "SELECT current_setting('temp_directory')"))(t); rows[0][0] != "" {
		t.Error(rows)
	}
	if made := must.Get(os.ReadDir(os.TempDir()))(t); len(made) > 0 {
		t.Error(made)
	}
}
