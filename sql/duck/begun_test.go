package duck

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestATransactionGoesOnWithWhatWasBegunInANewDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new.duckdb")
	db := opened(t, path, ReadWrite)
	db.Begin(t.Context(), makes(db, "a"))
	if !db.Begun() || !db.Begun() {
		t.Error("nothing was begun")
	}
	if there := visible(t, dir); len(there) > 0 {
		t.Errorf("before the commit there are %v", there)
	}
	must.Do(t, db.Transaction(t.Context(), makes(db, "b")))
	db.Begin(t.Context(), makes(db, "c"))
	if db.Begun() {
		t.Error("more was begun where everybody sees it")
	}
	must.Do(t, db.Transaction(t.Context(), makes(db, "d")))
	sqltest.Close(t, db)
	if got := tablesIn(t, path); got != "a b d" {
		t.Errorf("tables %s", got)
	}
}

func TestWhatWasBegunAndNobodyGoesOnWithLeavesNothing(t *testing.T) {
	for name, ends := range map[string]func(*DB) error{
		"closed": func(*DB) error { return nil },
		"failed": func(db *DB) error {
			why := errors.New("why")
			if err := db.Transaction(t.Context(), func() error { return why }); !errors.Is(err, why) {
				return err
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := opened(t, filepath.Join(dir, "new.duckdb"), ReadWrite)
			db.Begin(t.Context(), makes(db, "a"))
			if db.Begun(); ends(db) != nil {
				t.Error("another error")
			}
			sqltest.Close(t, db)
			if left := must.Get(os.ReadDir(dir))(t); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAfterAnErrorOfWhatWasBegunATransactionBeginsAnew(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	for _, work := range []func(*DB) error{
		func(db *DB) error { return errors.Join(makes(db, "a")(), errors.New("why")) },
		func(db *DB) error { return db.Exec(t.Context(), "no SQL") },
		func(*DB) error { panic("why") },
	} {
		db := opened(t, path, ReadWrite)
		db.Begin(t.Context(), func() error { return work(db) })
		if db.Begun() {
			t.Error("there is something to go on with")
		}
		must.Do(t, db.Transaction(t.Context(), makes(db, "b")))
		sqltest.Close(t, db)
		if got := tablesIn(t, path); got != "b" {
			t.Errorf("tables %s", got)
		}
		must.Do(t, os.Remove(path))
	}
}

func TestWhatWasBegunIsNotInADatabaseThatAppearsMeanwhile(t *testing.T) {
	path := sqltest.Temp(t, "new.duckdb")
	db := opened(t, path, ReadWrite)
	db.Begin(t.Context(), makes(db, "begun"))
	sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE theirs AS SELECT 1 AS x"))
	if !db.Begun() {
		t.Error("nothing was begun")
	}
	must.Do(t, db.Transaction(t.Context(), makes(db, "ours")))
	sqltest.Close(t, db)
	if got := tablesIn(t, path); got != "ours theirs" {
		t.Errorf("tables %s", got)
	}
}

// What is left of the database in this process must not be opened a second time.
func TestADatabaseThatIsLeftIsWholeInItsFile(t *testing.T) {
	dir := t.TempDir()
	path, read := filepath.Join(dir, "new.duckdb"), filepath.Join(t.TempDir(), "copy.duckdb")
	db := must.Get(Open(t.Context(), path, ReadWrite, Options{Leaving: true}))(t)
	must.Do(t, db.Transaction(t.Context(), makes(db, "a")))
	if !db.atRest {
		t.Error("something is to be written still")
	}
	must.Do(t, db.Close())
	if left := must.Get(os.ReadDir(dir))(t); len(left) != 1 {
		t.Errorf("there are %v", left)
	}
	must.Do(t, os.WriteFile(read, must.Get(os.ReadFile(path))(t), 0o600))
	if got := tablesIn(t, read); got != "a" {
		t.Errorf("tables %s", got)
	}
}

func TestADatabaseThatWasThereIsLeftIfAllOfItIsInItsFile(t *testing.T) {
	for name, c := range map[string]struct {
		rows int
		left bool
	}{
		"in the file at once": {manyRows, true},
		"a log is before it":  {1, false},
	} {
		t.Run(name, func(t *testing.T) {
			path, read := sqltest.Temp(t, "old.duckdb"), sqltest.Temp(t, "copy.duckdb")
			sqltest.Close(t, opened(t, path, ReadWrite, "CREATE TABLE old AS SELECT 1 AS x"))
			db := must.Get(Open(t.Context(), path, ReadWrite, Options{Leaving: true}))(t)
			done := db.Expect(t.Context(), c.rows)
			must.Do(t, db.Transaction(t.Context(), func() error {
				must.Do(t, db.Exec(t.Context(), "CREATE TABLE a (x BIGINT)"))
				return db.Append(t.Context(), "main", "a", c.rows, []Cells{Fixed(func(i int) (int64, bool) { return int64(i), true })})
			}))
			done()
			must.Equal(t, db.atRest, c.left)
			must.Do(t, db.Close())
			if _, err := os.Stat(walOf(path)); err == nil {
				t.Error("a log is left")
			}
			must.Do(t, os.WriteFile(read, must.Get(os.ReadFile(path))(t), 0o600))
			copied := opened(t, read, ReadOnly)
			defer sqltest.Close(t, copied)
			rows := must.Get(copied.Rows(t.Context(), "SELECT count(*), CAST(sum(x) AS BIGINT) FROM a"))(t)
			if n := int64(c.rows); rows[0][0] != n || rows[0][1] != n*(n-1)/2 {
				t.Errorf("%v of %d rows", rows, n)
			}
		})
	}
}

func TestADatabaseInWhichSomethingHasRunSinceTheCommitIsClosed(t *testing.T) {
	for name, run := range map[string]func(*DB) error{
		"Exec":        func(db *DB) error { return db.Exec(t.Context(), "INSERT INTO a VALUES (8)") },
		"ExecReading": func(db *DB) error { return db.ExecReading(t.Context(), "CREATE TEMP TABLE b AS FROM a") },
		"Run": func(db *DB) error {
			return errors.Join(sqlError(db.Run(t.Context(), "BEGIN", nil)), sqlError(db.Run(t.Context(), "INSERT INTO a VALUES (8)", nil)))
		},
		"Transaction": func(db *DB) error {
			_ = db.Transaction(t.Context(), func() error { return errors.New("why") })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := must.Get(Open(t.Context(), sqltest.Temp(t, "new.duckdb"), ReadWrite, Options{Leaving: true}))(t)
			must.Do(t, db.Transaction(t.Context(), makes(db, "a")))
			must.Do(t, run(db))
			if db.atRest {
				t.Error("nothing would be written any more")
			}
			must.Do(t, db.Close())
		})
	}
}

func sqlError(_ Outcome, err error) error { return err }

// Settings of the first commit hold for it alone, whatever comes next.
func TestSettingsOfTheFirstCommitAreNotThoseOfTheNextStatement(t *testing.T) {
	const what = "SELECT current_setting('wal_autocheckpoint'), current_setting('disabled_compression_methods'), " +
		"current_setting('disabled_optimizers')"
	ask := map[string]func(*DB) ([][]any, error){
		"Rows":    func(db *DB) ([][]any, error) { return db.Rows(t.Context(), what) },
		"Catalog": func(db *DB) ([][]any, error) { return db.Catalog(t.Context(), what) },
		"Run": func(db *DB) (rows [][]any, err error) {
			_, err = db.Run(t.Context(), what, func(r Result) error {
				return r.Each(func(row []any) error { rows = append(rows, append([]any{}, row...)); return nil })
			})
			return rows, err
		},
	}
	for name, asks := range ask {
		t.Run(name, func(t *testing.T) {
			db := opened(t, sqltest.Temp(t, "new.duckdb"), ReadWrite)
			defer sqltest.Close(t, db)
			before := must.Get(db.Rows(t.Context(), what))(t)
			done := db.Expect(t.Context(), 1)
			must.Do(t, db.Transaction(t.Context(), makes(db, "a")))
			done()
			must.Equal(t, before, must.Get(asks(db))(t))
		})
	}
}
