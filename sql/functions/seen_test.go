package functions_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

func TestAFitSeesWhatItsStatementSees(t *testing.T) {
	s := opened(t, "", wine, "CREATE TABLE empty AS FROM wine LIMIT 0", "CREATE VIEW seen AS FROM wine",
		"CREATE TEMP TABLE hidden AS FROM wine",
		"CREATE VIEW fitted AS FROM cluster_fit(wine, 'id', restarts := 2, k := 3)", "CREATE TABLE kept (model VARCHAR)",
		"CREATE SCHEMA other", `CREATE TABLE other."my wine" AS FROM wine`,
		"PREPARE pq AS SELECT model FROM cluster_fit($1, 'id', restarts := 2, k := $2)")
	file := filepath.Join(t.TempDir(), "w.csv")
	ran(t, s, "COPY (FROM wine) TO '"+file+"'")
	want := ran(t, s, fitOf("wine", "k := 3"))
	for _, text := range []string{
		fitOf("'wine'", "k := 3"), fitOf("seen", "k := 3"), fitOf("hidden", "k := 3"), fitOf("'"+file+"'", "k := 3"),
		fitOf(`other."my wine"`, "k := 3"), "SELECT model FROM fitted",
		"WITH q AS (SELECT * FROM wine ORDER BY hue) " + fitOf("q", "k := 3"),
		"WITH RECURSIVE q AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM q WHERE i < 200), r AS (SELECT wine.* FROM wine JOIN q ON id = i) " +
			fitOf("r", "k := 3"),
		"EXECUTE pq('wine', 3)", "EXECUTE pq('hidden', 3)",
		"SELECT model FROM (" + fitOf("wine", "k := 3") + ")",
		"SELECT (" + fitOf("wine", "k := 3") + ")",
		"SELECT cluster_fit(id, w, {k: 3, restarts: 2}).model FROM (FROM wine) w",
		"SELECT cluster_fit(w.id, w, {k: 3, restarts: 2}).model FROM wine w JOIN empty e ON w.id = e.id RIGHT JOIN wine v ON false WHERE false " +
			"HAVING false UNION ALL " + fitOf("wine", "k := 3"),
	} {
		if got := ran(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s: %.300s", text, got)
		}
	}
	ran(t, s, "INSERT INTO kept "+fitOf("wine", "k := 3"), "CREATE TABLE made AS "+fitOf("wine", "k := 3"),
		"EXPLAIN ANALYZE "+fitOf("wine", "k := 3"), "EXPLAIN "+fitOf("wine", "k := 3"), "DESCRIBE "+fitOf("wine", "k := 3"))
	for _, text := range []string{"FROM kept", "FROM made"} {
		if got := ran(t, s, text); !slices.Equal(got, want) {
			t.Errorf("%s: %.300s", text, got)
		}
	}
	ran(t, s, "BEGIN", "INSERT INTO empty FROM wine")
	if got := ran(t, s, fitOf("empty", "k := 3")); !slices.Equal(got, want) {
		t.Errorf("rows that are not committed: %.300s", got)
	}
	ran(t, s, "ROLLBACK")
	if f := refused(t, s, fitOf("empty", "k := 3")); f.Code != "empty-relation" {
		t.Error(f)
	}
}

func TestAFitLeavesNoTraceInTheFile(t *testing.T) {
	path := sqltest.Temp(t, "x.duckdb")
	s := must.Get(session.Open(t.Context(), path, session.Options{Library: builtIn}))(t)
	ran(t, s, wine)
	must.Do(t, s.Close())
	before := must.Get(os.ReadFile(path))(t)
	s = must.Get(session.Open(t.Context(), path, session.Options{Library: builtIn}))(t)
	ran(t, s, "SELECT k FROM cluster_fit(wine, 'id', k := 3)", "BEGIN", "CREATE TABLE m AS FROM cluster_fit(wine, 'id', k := 3)", "ROLLBACK")
	must.Do(t, s.Close())
	if !bytes.Equal(before, must.Get(os.ReadFile(path))(t)) {
		t.Error("the file is another one")
	}
	must.Do(t, os.Chmod(path, 0o400))
	s = must.Get(session.Open(t.Context(), path, session.Options{Library: builtIn, ReadOnly: errors.New("read only")}))(t)
	defer sqltest.Close(t, s)
	ran(t, s, "CREATE TEMP TABLE m AS FROM cluster_fit(wine, 'id', k := 3)")
	same(t, s, "SELECT model FROM m", "SELECT model FROM cluster_fit(wine, 'id', k := 3)")
}

func TestTwoSessionsOnOneFileHaveFunctionsOfTheirOwn(t *testing.T) {
	path := sqltest.Temp(t, "shared.duckdb")
	first := must.Get(session.Open(t.Context(), path, session.Options{Library: builtIn}))(t)
	ran(t, first, wine, "CREATE TABLE m AS FROM cluster_fit(wine, 'id', k := 3)")
	must.Do(t, first.Close()) // a file that is being made is nobody else's yet
	a, b := opened(t, path), opened(t, path)
	const objective = "SELECT objective FROM cluster_fit(wine, 'id', k := 3)"
	same(t, b, objective, "SELECT objective FROM m")
	ran(t, a, "BEGIN", "CREATE TABLE half AS FROM wine WHERE id % 2 = 0", "CREATE TABLE h AS FROM cluster_fit(half, 'id', k := 2)")
	_ = refused(t, b, "SELECT k FROM cluster_fit(half, 'id', k := 2)") // which is not committed
	ran(t, a, "COMMIT")
	same(t, b, "SELECT model FROM cluster_fit(half, 'id', k := 2)", "SELECT model FROM h")
	same(t, a, "SELECT sum(cluster_predict(m.model, wine)) FROM wine, m", "SELECT sum(cluster) FROM cluster_assignments(m)")
}
