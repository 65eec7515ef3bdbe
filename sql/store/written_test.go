package store

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestDropRemovesWhatWasWrittenUnderANameOfItsOwn(t *testing.T) {
	ctx := t.Context()
	db := memory(t, "CREATE SCHEMA s")
	write(t, db, "wine", false, sample())
	before := tableCount(t, db)
	labels := sample().Assignments
	labels.By = "it's wine"
	for _, name := range []string{"labels", `s."more labels"`} {
		must.Do(t, db.WriteAssignments(ctx, name, false, labels))
	}
	labels.By = ""
	must.Do(t, db.WriteAssignments(ctx, "orphan_assignments", false, labels))
	must.Do(t, db.WriteSuggestions(ctx, "questions", false, input.Numbered(2), nil))
	found, err := db.Written(ctx)
	n := labels.Len()
	want := []Written{{"labels", KindPrediction, "it's wine", n}, {"orphan_assignments", KindPrediction, "", n},
		{"questions", KindSuggestion, "", 0},
		{"s.more labels", KindPrediction, "it's wine", n}}
	if d := cmp.Diff(want, found); d != "" || err != nil {
		t.Error(d, sqltest.Explain(err))
	}
	names, err := db.DropNames(ctx)
	if d := cmp.Diff([]string{"wine", "labels", "orphan_assignments", "questions", "s.more labels"}, names); d != "" || err != nil {
		t.Error(d, sqltest.Explain(err))
	}
	for given, want := range map[string]string{"Labels": "labels", `s."more labels"`: "s.more labels",
		"orphan_assignments": "orphan_assignments", "questions": "questions"} {
		dropped, err := db.Drop(ctx, given)
		if d := cmp.Diff([]string{want}, dropped); d != "" || err != nil {
			t.Error(d, sqltest.Explain(err))
		}
	}
	if n := tableCount(t, db); n != before {
		t.Errorf("%d tables are left of %d", n, before)
	}
}

func TestReplaceLeavesATableThatWasNotWrittenHere(t *testing.T) {
	ctx := t.Context()
	labels := sample().Assignments
	db := memory(t)
	must.Do(t, db.WriteAssignments(ctx, "labels", false, labels))
	must.Do(t, db.WriteSuggestions(ctx, "questions", false, input.Numbered(2), nil))
	for _, s := range []string{"CREATE TABLE mine AS FROM labels", "CREATE TABLE asked AS FROM questions"} { // copies have no comment
		must.Do(t, db.Exec(ctx, s))
	}
	const rest = "\nwhere: into\nhint: choose another name, or rename or drop what is there; replace replaces results only"
	sqltest.WantFault(t, db.WriteAssignments(ctx, "mine", true, labels),
		"table-exists: table mine exists, and was not written by predict"+rest)
	sqltest.WantFault(t, db.CheckSuggestions(ctx, "asked", true),
		"table-exists: table asked exists, and was not written by pairs suggest"+rest)
	sqltest.WantFault(t, db.WriteAssignments(ctx, "questions", true, labels),
		"table-exists: table questions exists, and was not written by predict"+rest)
	must.Do(t, db.WriteAssignments(ctx, "LABELS", true, labels))
}

func TestDropLeavesATableThatWasNotWrittenHere(t *testing.T) {
	ctx := t.Context()
	db := memory(t)
	write(t, db, "wine", false, sample())
	must.Do(t, db.WriteAssignments(ctx, "labels", false, sample().Assignments))
	for _, s := range []string{
		"CREATE TABLE mine AS FROM labels",                                                            // a copy has no comment
		"CREATE TABLE precious(id INTEGER)", "COMMENT ON TABLE precious IS 'the cluster of each row'", // and this not the columns
		"CREATE VIEW seen AS FROM labels", "COMMENT ON VIEW seen IS 'the cluster of each row'",
		"CREATE TEMP TABLE passing AS FROM labels", "ALTER TABLE labels ADD COLUMN remark VARCHAR",
	} {
		if err := db.Exec(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	before := tableCount(t, db)
	for _, name := range []string{"mine", "precious", "seen", "labels"} {
		_, err := db.Drop(ctx, name)
		sqltest.WantFault(t, err, "not-a-result: "+name+" was not written by predict, pairs suggest or score, and is not a run\n"+
			"hint: nothing was dropped; SQL can drop it, if it is not needed")
	}
	_, err := db.Drop(ctx, "wine_features")
	sqltest.WantFault(t, err, "table-of-a-run: table wine_features belongs to run wine\nhint: drop the run: sqlcluster drop wine")
	for _, name := range []string{"passing", "wines"} {
		if _, err := db.Drop(ctx, name); err == nil {
			t.Errorf("%s was dropped", name)
		}
	}
	if n := tableCount(t, db); n != before {
		t.Errorf("%d tables are left of %d", n, before)
	}
	if found, err := db.Written(ctx); len(found) > 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

func TestANameThatIsNoRunsIsSaidToBeThatOfATable(t *testing.T) {
	ctx := t.Context()
	path := sqltest.Temp(t, "my runs.duckdb")
	db := opened(t, path, ReadWrite, "CREATE SCHEMA s", "CREATE TABLE mine(id INTEGER)")
	write(t, db, "wine", false, sample())
	must.Do(t, db.WriteAssignments(ctx, "s.labels", false, sample().Assignments))
	must.Do(t, db.WriteSuggestions(ctx, "questions", false, input.Numbered(2), nil))
	file := framework.ShellWord(path)
	for name, want := range map[string]string{
		"WINE_centers": "wine_centers is not a run, but the table centers of run wine\nhint: to see it: sqlcluster show wine centers --db " +
			file,
		"s.labels":  "s.labels is not a run, but a table that predict wrote\nhint: to see it: sqlcluster show s.labels --db " + file,
		"questions": "questions is not a run, but a table that pairs suggest wrote\nhint: to see it: sqlcluster show questions --db " + file,
		"mine":      "mine is a table or a view, and no run\nhint: sqlcluster runs --db " + file + " lists the runs",
		"wines":     "the database has no run \"wines\"\nsimilar: wine\nhint: it has wine",
	} {
		_, err := db.Shown(ctx, name, "features")
		sqltest.WantFault(t, err, "run-not-found: "+want)
	}
}

func TestAQueryMayUseTemporaryTablesAndTheDatabaseStaysWritable(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.duckdb"), ReadWrite,
		"CREATE TABLE t AS SELECT 1 AS id, 2.5 AS x, 'a' AS c UNION ALL SELECT 2, 3, 'b'")
	for name, relation := range map[string]string{
		"a pivot":             "PIVOT t ON c USING sum(x) GROUP BY id",
		"a text":              "SELECT id, x FROM query('FROM t')",
		"words that are none": "PIVOT (SELECT id, x, c, 'disable_logging' AS w /* query */ FROM t) ON c USING sum(x) GROUP BY id",
	} {
		t.Run(name, func(t *testing.T) {
			if got := sqltest.Read(t, db, input.Spec{Relation: relation, ID: "id", MissingOK: true}); got.Keys.Len() != 2 { // rows of t
				t.Errorf("%d rows", got.Keys.Len())
			}
		})
	}
	a := result.Assignments{KeyName: "id", Keys: sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id", Exclude: []string{"c"}}).Keys,
		Labels:   []int32{0, 1},
		Distance: make([]float64, 2), Second: []int32{1, 0}, Margin: make([]float64, 2)}
	must.Do(t, db.WriteAssignments(t.Context(), "labels", false, a))
}
