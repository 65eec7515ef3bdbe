package duck

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// expectedCells are the columns of a table, with values of NULL in each but the first.
func expectedCells() []Cells {
	return []Cells{
		Bigints(func(i int) int { return i * 7 }),
		Fixed(func(i int) (float64, bool) { return 1 / float64(i+1), i%3 != 0 }),
		Texts(func(i int) string {
			if i%5 == 0 {
				return ""
			}
			return "a text that is longer than twelve bytes: " + strconv.Itoa(i)
		}),
		Integers(0, func(i int) int { return i%1000 - 1 }),
		Fixed(func(i int) (bool, bool) { return i%2 == 0, i%7 != 0 }),
	}
}

func TestRowsThatWereExpectedAreThoseThatAreAppended(t *testing.T) {
	ctx := t.Context()
	db := memory(t)
	appended := func(name string, n int) {
		t.Helper()
		must.Do(t, db.Transaction(ctx, func() error {
			return errors.Join(
				db.Exec(ctx, "CREATE TABLE "+name+" (a BIGINT NOT NULL, b DOUBLE, c VARCHAR, d INTEGER, e BOOLEAN)"),
				db.Append(ctx, "main", name, n, expectedCells()),
			)
		}))
	}
	for i, n := range []int{manyRows, 2*manyRows - 2049} {
		name := "t" + strconv.Itoa(n)
		appended(name, n)
		db.Number(ctx, manyRows+i) // the second time other rows come than were said
		done := db.Expect(ctx, n)
		must.Equal(t, db.expected, n)
		appended(name+"_expected", n)
		appended(name+"_fewer", 10) // is not what was expected
		done()
		appended(name+"_later", n)
		for _, other := range []string{"_expected", "_later"} {
			rows := must.Get(db.Rows(ctx, "SELECT count(*) FROM "+name+" x POSITIONAL JOIN "+name+other+" y WHERE x IS DISTINCT FROM y"))(t)
			must.Equal(t, rows[0][0], any(int64(0)))
		}
		must.Equal(t, must.Get(db.Rows(ctx, "SELECT count(*) FROM "+name+"_fewer"))(t)[0][0], any(int64(10)))
	}
	for _, table := range must.Get(db.Tables(ctx))(t) {
		if table.Database == "temp" {
			t.Errorf("%s is left", table.Name)
		}
	}
}

func TestNumbersThatNobodyNeedsChangeNothing(t *testing.T) {
	path := sqltest.Temp(t, "old.duckdb")
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE a AS SELECT 1 AS x"))
	db := opened(t, path, ReadWrite)
	db.Number(t.Context(), manyRows)
	sqltest.Close(t, db) // which waits for them
	if got := tablesIn(t, path); got != "a" {
		t.Errorf("tables %s", got)
	}
	db = opened(t, path, ReadWrite)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	db.Number(ctx, manyRows)
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE b AS SELECT 1 AS x"))
	sqltest.Close(t, db)
	if got := tablesIn(t, path); got != "a b" {
		t.Errorf("tables %s", got)
	}
}

func TestExpectedRowsAreTakenBackWithTheirTransaction(t *testing.T) {
	db := memory(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer db.Expect(ctx, manyRows)()
	err := db.Transaction(ctx, func() error {
		if err := db.Exec(ctx, "CREATE TABLE t (a BIGINT)"); err != nil {
			return err
		}
		return db.Append(ctx, "main", "t", manyRows, []Cells{Bigints(func(i int) int {
			if i == manyRows-1 {
				cancel()
			}
			return i
		})})
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	must.Equal(t, len(must.Get(db.Catalog(t.Context(), "SELECT table_name FROM duckdb_tables() WHERE NOT temporary"))(t)), 0)
}

func TestAPanicWhileExpectedRowsAreWrittenIsAnError(t *testing.T) {
	db := memory(t, "CREATE TABLE t (a BIGINT)")
	defer db.Expect(t.Context(), manyRows)()
	err := db.Append(t.Context(), "main", "t", manyRows, []Cells{Bigints(func(int) int { panic("no such row") })})
	if err == nil || !strings.Contains(err.Error(), "internal error: no such row") {
		t.Errorf("got %v", err)
	}
}

func TestATransactionOfManyRowsLeavesNoLogBesideAFileThatWasThere(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "f.duckdb")
	must.Do(t, opened(t, path, ReadWrite, "CREATE TABLE before AS SELECT 1 AS x").Close())
	db := opened(t, path, ReadWrite)
	for _, n := range []int{fewRows, fewRows + 1} {
		done := db.Expect(ctx, n)
		must.Do(t, db.Transaction(ctx, func() error {
			name := "t" + strconv.Itoa(n)
			return errors.Join(db.Exec(ctx, "CREATE TABLE "+name+" (a BIGINT)"), db.Append(ctx, "main", name, n, expectedCells()[:1]))
		}))
		done()
		log, err := os.Stat(walOf(path))
		if there := err == nil && log.Size() > 0; there != (n <= fewRows) {
			t.Errorf("%d rows: a log is left: %t", n, there)
		}
	}
	for setting, usual := range map[string]string{"wal_autocheckpoint": "16.0 MiB", "auto_checkpoint_skip_wal_threshold": "100000"} {
		rows := must.Get(db.Rows(ctx, "SELECT current_setting('"+setting+"')::VARCHAR"))(t)
		must.Equal(t, rows[0][0], any(usual))
	}
}

func TestKeysInBulkAreThoseOneByOne(t *testing.T) {
	db := memory(t)
	for _, key := range []string{
		"i - 5", "(i - 5)::HUGEINT", "i::UTINYINT", "i / 3.0", "'key ' || i", "DATE '2000-01-01' + i::INTEGER", "i::UHUGEINT",
	} {
		one, all := RowNumbers(0), RowNumbers(0)
		must.Do(t, db.Stream(t.Context(), "SELECT "+key+" FROM range(10) r(i)", func(c Chunk) error {
			v := c.Column(0)
			one.Become(v, "")
			all.Become(v, "")
			for i := range c.Rows {
				one.Add(v, i)
			}
			all.AddAll(v, 4)
			all.Clear()
			all.AddAll(v, c.Rows)
			return nil
		}))
		var bytes []byte
		for i := range one.Len() {
			bytes = one.Append(bytes, i)
		}
		must.Equal(t, string(bytes), string(all.AppendAll(nil, 0, all.Len())))
	}
}
