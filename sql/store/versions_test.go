package store

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// written2 opens a copy of a database that sqlcluster wrote before fit tables had
// a schema_version: testdata/written/README.md says how.
func written2(t *testing.T) *DB {
	t.Helper()
	packed := must.Get(os.Open("testdata/written/version2.duckdb.gz"))(t)
	defer func() { _ = packed.Close() }()
	from := must.Get(gzip.NewReader(packed))(t)
	all := must.Get(io.ReadAll(from))(t)
	path := filepath.Join(t.TempDir(), "old.duckdb")
	must.Do(t, os.WriteFile(path, all, 0o600))
	db := must.Get(Open(t.Context(), path, ReadWrite))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestTablesOfAnOlderVersionAreListedShownReplacedAndDropped(t *testing.T) {
	db := written2(t)
	ctx := t.Context()
	runs := must.Get(db.Runs(ctx))(t)
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = r.Name
	}
	must.Equal(t, []string{"best", "few", "grid", "seen"}, names)
	shown := map[string][]string{
		"seen": {schema.Assignments, schema.Centers, schema.Features, schema.Clusters, schema.Trace, schema.Violations, schema.Fit, schema.Run},
		"grid": {schema.Path, schema.PathFeatures, schema.PathAssignments, schema.Fit, schema.Run},
		"best": {schema.Tune, schema.TuneFolds},
	}
	for run, tables := range shown {
		for _, what := range tables {
			s := must.Get(db.Shown(ctx, run, what))(t)
			if !schema.Matches(what, s.Columns) || what != schema.Violations && s.Rows == 0 {
				t.Errorf("%s of %s: columns %v, %d rows", what, run, s.Columns, s.Rows)
			}
		}
	}
	fit := must.Get(db.LoadModel(ctx, "few"))(t)
	if fit.Algorithm != "skfr" || fit.K != 2 || fit.P != 3 || fit.Seed != 1 || len(fit.Model) < 100 {
		t.Errorf("read %+v", fit)
	}
	written := must.Get(db.Written(ctx))(t)
	want := []Written{{Name: "labelled", Kind: KindPrediction, Run: "few", Rows: 8}, {Name: "questions", Kind: KindSuggestion, Rows: 7}}
	must.Equal(t, want, written)
	write(t, db, "seen", true, sample())
	if columns, _, err := db.Show(ctx, "seen", schema.Fit); err != nil || !slices.Contains(columns, "schema_version") {
		t.Errorf("after it was replaced, the fit has columns %v, %v", columns, err)
	}
	for _, name := range []string{"best", "grid", "labelled", "questions"} {
		must.Get(db.Drop(ctx, name))(t)
	}
	if left, err := db.Runs(ctx); err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestATableThatOnlyLooksLikeAFitIsNoRun(t *testing.T) {
	db := memory(t, "CREATE TABLE odd_fit AS SELECT 'x' AS run_id, 'two' AS schema_version")
	_, err := db.LoadModel(t.Context(), "odd")
	must.Fault(t, err, codeNoRun)
}

func TestARunOfANewerVersionIsNamedAsSuch(t *testing.T) {
	db := memory(t)
	write(t, db, "r", false, sample())
	for _, statement := range []string{"ALTER TABLE r_fit ADD COLUMN purpose VARCHAR", "UPDATE r_fit SET schema_version = 99"} {
		must.Do(t, db.Exec(t.Context(), statement))
	}
	_, err := db.LoadModel(t.Context(), "r")
	must.Fault(t, err, "run-newer")
}
