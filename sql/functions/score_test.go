package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// classed is a table with the answer, which some rows do not have, in an order of its own.
const classed = "CREATE TABLE classed AS SELECT * REPLACE (if(id % 5 = 0, NULL, 'c' || class) AS class), 1 + id % 3 AS w " +
	"FROM '../../examples/wine.csv' ORDER BY hash(id)"

// A job scores the run as the command does.
func TestScoresInSQLHaveTheBitsOfAJob(t *testing.T) {
	db, s := both(t, classed)
	for name, c := range map[string]struct {
		set            func(o *settings.Settings)
		fitted, scored string
		o              model.ScoreOptions
		want           int // scores: 13 compare with classes, 4 measure the rows
	}{
		"without classes":    {func(*settings.Settings) {}, "", "", model.ScoreOptions{Sample: 2000}, 4},
		"classes, some NULL": {func(*settings.Settings) {}, "", ", truth := 'class'", model.ScoreOptions{Truth: "class", Sample: 2000}, 17},
		"some rows, and sizes": {func(*settings.Settings) {}, "", ", 'id', truth := 'W', sample := 50", model.ScoreOptions{Truth: "W",
			Sample: 50}, 17},
		"row weights": {func(o *settings.Settings) { o.Weight = "w" }, ", weight := 'w'", ", truth := 'class', sample := 0",
			model.ScoreOptions{Truth: "class"}, 17},
		"feature weights": {func(o *settings.Settings) { o.Algorithm, o.Params = "skm", given("l1_bound", "2.5") },
			", algorithm := 'skm', l1_bound := 2.5", "", model.ScoreOptions{Sample: 2000}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			o, relation := settings.Defaults(), "FROM classed"
			o.Relation, o.ID, o.K, o.Exclude, o.Restarts = relation, "id", 3, []string{"class"}, 2
			c.set(&o)
			jobIs(t, db, o)
			if strings.HasPrefix(name, "some") {
				relation += " WHERE id > 50"
			}
			c.o.Relation = relation
			var want []string
			for _, one := range must.Get(must.Get(model.Load(t.Context(), builtIn, db, "want", ""))(t).Score(t.Context(), db, c.o))(t).All {
				if one.Meaning() == "" {
					t.Errorf("%s has no meaning", one.Name)
				}
				want = append(want, fmt.Sprintf("('%s', '%v'::DOUBLE, '%s', %d)", one.Name, one.Value, one.Better, one.Rows))
			}
			if len(want) != c.want {
				t.Fatal(want)
			}
			ran(t, s, "CREATE OR REPLACE TEMP TABLE m AS FROM cluster_fit(classed, 'id', k := 3, exclude := 'class', restarts := 2"+c.fitted+")",
				"CREATE OR REPLACE TEMP VIEW stored AS FROM cluster_model('want')", "CREATE OR REPLACE TEMP VIEW r AS "+relation)
			for _, fit := range []string{"m", "stored"} {
				same(t, s, "VALUES "+strings.Join(want, ", "), "FROM cluster_score("+fit+", r"+c.scored+")")
			}
		})
	}
}

func TestTheKeyOfScoredRowsIsThatOfTheFitOrGiven(t *testing.T) {
	s := opened(t, "", wine, "CREATE TABLE m AS FROM cluster_fit(wine, 'id', k := 3, restarts := 2)",
		"CREATE TABLE other AS SELECT id AS \"the key\", * EXCLUDE id FROM wine",
		"CREATE TABLE numbered AS SELECT * REPLACE (json_merge_patch(params, '{\"id\":{\"value\":\"\"}}')::VARCHAR AS params) FROM m")
	for _, arguments := range []string{"m, wine, 'ID'", "m, other, key := 'the key'", "numbered, wine, 'id'"} {
		same(t, s, "FROM cluster_score(m, wine)", "FROM cluster_score("+arguments+")")
	}
	same(t, s, "SELECT s.* FROM cluster_score(m, wine) s, range(2) ORDER BY ALL",
		"FROM (FROM cluster_score(m, wine) UNION ALL FROM cluster_score(m, other, 'the key')) ORDER BY ALL")
	f := refused(t, s, "FROM cluster_score(numbered, wine)")
	if f.Code != "no-key" || f.Hint != "name a column that has these numbers: key := COLUMN" {
		t.Error(f)
	}
}

func TestWhatCannotBeScoredHasACodeAndASentence(t *testing.T) {
	s := opened(t, "", classed, "CREATE TABLE m AS FROM cluster_fit(classed, 'id', k := 3, exclude := 'class', restarts := 2)",
		"CREATE TABLE two AS FROM m UNION ALL FROM m", "CREATE TABLE nobody AS FROM m LIMIT 0",
		"CREATE TABLE failed AS FROM cluster_fit(classed, 'id', k := 179, exclude := 'class', on_error := 'record')",
		"CREATE TABLE unmodelled AS SELECT * REPLACE (NULL::VARCHAR AS model) FROM m",
		"CREATE TABLE assigned AS SELECT * REPLACE ([3] AS assignments) FROM m",
		"CREATE TABLE unassigned AS SELECT * EXCLUDE assignments FROM m",
		"CREATE VIEW unkeyed AS SELECT id AS no, * EXCLUDE id FROM classed",
		"CREATE VIEW later AS SELECT * REPLACE (id + 1000 AS id) FROM classed",
		"CREATE VIEW unclassed AS SELECT * REPLACE (NULL AS class) FROM classed", "CREATE VIEW clash AS SELECT *, id AS \"cluster\" FROM classed")
	for _, c := range []struct{ arguments, code, said string }{
		{"two, classed", "several-fits", "m has 2 rows"},
		{"nobody, classed", "no-fit", "m has no row"},
		{"failed, classed", "fit-failed", "m has an error in place of a fit"},
		{"unmodelled, classed", "no-fit", "m has no model"},
		{"unassigned, classed", "not-a-fit", "it has no column assignments"},
		{"classed, classed", "not-a-fit", "it has no column run_id, algorithm, version, ..."},
		{"assigned, classed", "not-a-fit", "its assignments cannot be read"},
		{"m, unkeyed", "column-not-found", `no column "id" for the keys of the fit`},
		{"m, classed, 'no'", "column-not-found", `no column "no"`},
		{"m, clash, 'cluster'", "key-name-taken", "cannot be called"},
		{"m, classed, NULL", "bad-options", "key is NULL"},
		{"m, classed, truth := 'klass'", "column-not-found", `no column "klass"`},
		{"m, unclassed, truth := 'class'", "no-truth", `no row of run "m" has a class`},
		{"m, classed, sample := 'all'", "bad-options", "sample is 'all'"},
		{"m, later", "too-few-common-rows", "no row of the relation has a cluster"},
		{"m, classed, trth := 'class'", "unknown-option", "no argument trth"},
	} {
		if f := refused(t, s, "FROM cluster_score("+c.arguments+")"); f.Code != c.code || !strings.Contains(f.Summary, c.said) {
			t.Errorf("%s: %s: %s", c.arguments, f.Code, f.Summary)
		}
	}
	ran(t, s, "FROM cluster_score(m, classed)") // nothing is left of those
}
