package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// people are rows of four groups: one is NULL, and one is too small for three clusters.
const people = `CREATE TABLE people AS SELECT i AS id,
	CASE i % 4 WHEN 0 THEN 'it''s' WHEN 1 THEN 'a "b", c' WHEN 2 THEN 'Zürich' END AS region,
	i % 2 AS year, hash(i) % 100 AS x, hash(i * 7) % 50 + i % 4 AS y, hash(i * 13) % 10 / 4 AS z,
	CASE WHEN i % 5 = 0 THEN NULL ELSE hash(i * 17) % 9 END AS gaps, 1 + i % 3 AS w, 'c' || (hash(i * 19) % 3) AS word
	FROM range(160) r(i);
INSERT INTO people SELECT 1000 + i, 'tiny', i, i, i, i, i, 1, 'c0' FROM range(2) r(i);
CREATE TABLE links AS SELECT region, a.id AS a, b.id AS b, 'must' AS kind, 1 AS weight FROM people a JOIN people b USING (region)
	WHERE b.id = a.id + 4 AND a.id < 40;
CREATE TABLE limits AS SELECT 'box' AS kind, 'x' AS feature, 10 AS lo;
CREATE TABLE triples AS SELECT region, year, id, 'word' || hash(id * 31 + j) % 9 AS feature, count(*) AS value
	FROM people, range(6) t(j) GROUP BY ALL;
CREATE TABLE bags AS SELECT region, year, id, map_from_entries(list((feature, value))) AS counts FROM triples GROUP BY ALL`

// sameAsAlone compares every table of a run with groups with those of fits of the queries
// of its groups.
func sameAsAlone(t *testing.T, dir, command, relation string, by []string, flags ...string) {
	t.Helper()
	db := []string{"--db", "d.duckdb"}
	args := append(append([]string{command, relation, "--by", strings.Join(by, ","), "--into", "m", "--replace"}, flags...), db...)
	succeed(t, dir, args...)
	d := opened(t, dir, "d.duckdb")
	type one struct{ item, source, where string }
	var all []one
	groups, fits, err := d.Groups(t.Context(), "m")
	must.Do(t, err)
	for g, f := range fits {
		if f != nil {
			all = append(all, one{groups.Item(g), f.Source, groups.Condition(g)})
		}
	}
	must.Do(t, d.Close())
	if len(all) < 3 {
		t.Fatalf("%d groups have models", len(all))
	}
	for _, g := range all[1:] { // the first are as the others
		succeed(t, dir, append(append([]string{command, g.source, "--into", "alone", "--replace"}, flags...), db...)...)
		d := opened(t, dir, "d.duckdb")
		for _, table := range tablesOfRun(t, d, "alone") {
			if table == "run" { // times
				continue
			}
			group := fmt.Sprintf("SELECT * EXCLUDE (%s) FROM m_%s WHERE %s", strings.Join(by, ", "), table, g.where)
			alone := "FROM alone_" + table
			rows := must.Get(d.Rows(t.Context(), fmt.Sprintf("SELECT (SELECT count(*) FROM ((%s) EXCEPT ALL (%s))), "+
				"(SELECT count(*) FROM ((%[2]s) EXCEPT ALL (%[1]s))), (SELECT count(*) FROM (%[2]s))", group, alone)))(t)
			if rows[0][0] != int64(0) || rows[0][1] != int64(0) || rows[0][2] == int64(0) && table != "violations" {
				t.Errorf("%s, table %s: %v rows differ, %v the other way, of %v", g.item, table, rows[0][0], rows[0][1], rows[0][2])
			}
		}
		must.Do(t, d.Close())
	}
}

func tablesOfRun(t *testing.T, d *store.DB, run string) (tables []string) {
	t.Helper()
	known := must.Get(d.Tables(t.Context()))(t)
	for _, k := range known {
		if what, ok := strings.CutPrefix(k.Name, run+"_"); ok {
			tables = append(tables, what)
		}
	}
	return tables
}

func TestTheModelOfAGroupIsThatOfAFitOfItsRowsAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ by, command, relation string }{
		"plain":         {"region", "fit --id id --exclude word -k 3 --distances 2", "people"},
		"two columns":   {"year,region", "fit --id id --exclude word -k 3 --weight w --nulls drop", "people"},
		"categories":    {"region", "fit --id id --categorical word -k 3 -a skfr --sparsity 2", "people"},
		"without a key": {"region", "fit --exclude word,id -k 3 --trim 0.1", "people"},
		"limits of all": {"region", "fit --id id --features x,y,z -k 3 --constraints limits", "people"},
		"path":          {"region", "path --id id --features x,y,z -k 3 -a skfr --grid 1,2,3 --assignments --restarts 2", "people"},
		"tuning":        {"region", "tune --id id --features x,y,z -k 2:3 --draws 3 --restarts 2", "people"},
		"triples":       {"year,region", "fit --long id,feature,value -k 3 -a spherical", "triples"},
		"maps":          {"region", "fit --id id --features counts -k 3", "bags"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
			words := strings.Fields(c.command)
			sameAsAlone(t, dir, words[0], c.relation, strings.Split(c.by, ","), words[1:]...)
		})
	}
}

func TestTheModelOfAGroupWithPairsIsThatOfAFitWithThesePairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	// alone, the query of the pairs of the group is given; here all are, and other keys are unknown
	sameAsPairsAlone(t, dir, strings.Fields("--id id --features x,y,z -k 3 -a pckm --pairs links"))
}

// sameAsPairsAlone compares the models of groups that have pairs of their own.
func sameAsPairsAlone(t *testing.T, dir string, flags []string) {
	t.Helper()
	db := []string{"--db", "d.duckdb"}
	succeed(t, dir, append(append([]string{"fit", "people", "--by", "region", "--into", "m"}, flags...), db...)...)
	own := append([]string{}, flags...)
	own[len(own)-1] = "SELECT * EXCLUDE (region) FROM links WHERE region = 'Zürich'"
	zurich := []string{"fit", "SELECT * EXCLUDE (region) FROM people WHERE region = 'Zürich'", "--into", "alone"}
	succeed(t, dir, append(append(zurich, own...), db...)...)
	d := opened(t, dir, "d.duckdb")
	rows := must.Get(d.Rows(t.Context(), "SELECT a.model = m.model, a.objective = m.objective FROM alone_fit a, m_fit m WHERE m.region = "+
		"'Zürich'"))(t)
	must.Equal(t, []any{true, true}, rows[0])
	must.Do(t, d.Close())
}

func TestThreadsChangeNoModelOfAGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	var outs []string
	for _, threads := range []string{"1", "3"} {
		o := succeed(t, dir, "fit", "people", "--db", "d.duckdb", "--id", "id", "--exclude", "word", "-k", "3", "--by", "region", "-o", "json",
			"--threads", threads)
		outs = append(outs, o.stdout)
	}
	must.Equal(t, outs[0], outs[1])
}

func TestAGroupThatCannotBeFittedHasAStatusAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	fit := []string{"fit", "people", "--db", "d.duckdb", "--id", "id", "--exclude", "word", "--by", "region", "--into", "m"}
	o := succeed(t, dir, append(fit[:len(fit):len(fit)], "-k", "3")...)
	says(t, o.stdout, "1 of 5 groups could not be fitted:\n  region = tiny: k is 3, but there are only 2 rows")
	d := opened(t, dir, "d.duckdb")
	rows := must.Get(d.Rows(t.Context(), "SELECT region, status, rows, message FROM m_models ORDER BY rowid"))(t)
	must.Equal(t, [][]any{{"Zürich", "fitted", int64(40), nil}, {`a "b", c`, "fitted", int64(40), nil}, {"it's", "fitted", int64(40), nil},
		{"tiny", "too-few-rows", int64(2), "k is 3, but there are only 2 rows"}, {nil, "fitted", int64(40), nil}},
		rows)
	must.Do(t, d.Close())
	o = sqlcluster(t, dir, append(fit, "-k", "50", "--replace")...)
	if o.code != 3 {
		t.Errorf("where no group can be fitted, the command ends with %d", o.code)
	}
	says(t, o.stderr, "error[no-group-fitted]: none of the 5 groups could be fitted",
		"region = Zürich: k is 50, but there are only 40 rows (too-few-rows, in 4 groups more: ")
	succeed(t, dir, "show", "m", "clusters", "--db", "d.duckdb") // nothing has been replaced
	o = sqlcluster(t, dir, append(fit, "-k", "3", "--replace", "--features", "x,wrong")...)
	says(t, o.stderr, `error[column-not-found]: table "people" has no column "wrong"`)
}

func TestRowsAreLabelledByTheModelOfTheirGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	db := []string{"--db", "d.duckdb"}
	succeed(t, dir, append([]string{"fit", "people", "--id", "id", "--exclude", "word", "-k", "3", "--by", "region", "--into", "m"}, db...)...)
	succeed(t, dir, append([]string{"predict", "m", "people", "--into", "labels"}, db...)...)
	o := sqlcluster(t, dir, append([]string{"predict", "m", "people", "--enforce"}, db...)...)
	says(t, o.stderr, `run "m" has several models, and limits are kept for the rows of one at a time`, "choose a model with --model")
	for item, where := range map[string]string{"it's": "region = 'it''s'", `"a ""b"", c"`: `region = 'a "b", c'`, "NULL": "region IS NULL"} {
		query := "SELECT * EXCLUDE (region) FROM people WHERE " + where
		succeed(t, dir, append([]string{"predict", "m", query, "--model", item, "--into", "one", "--replace"}, db...)...)
		d := opened(t, dir, "d.duckdb")
		rows := must.Get(d.Rows(t.Context(), "SELECT count(*) FROM one JOIN labels l USING (id, cluster, distance, margin) JOIN m_assignments a "+
			"USING (id, cluster) WHERE l."+where))(t)
		must.Equal(t, any(int64(40)), rows[0][0])
		must.Do(t, d.Close())
	}
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows := must.Get(d.Rows(t.Context(), "SELECT status, count(*) FROM labels WHERE cluster IS NULL GROUP BY 1"))(t)
	must.Equal(t, [][]any{{"no_model", int64(2)}}, rows)
}

func TestCommandsAboutOneModelAskForIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	db := []string{"--db", "d.duckdb"}
	succeed(t, dir, append([]string{"fit", "people", "--id", "id", "--exclude", "word", "-k", "3", "--by", "region,year", "--into", "m"},
		db...)...)
	for _, args := range [][]string{{"report", "m", "--out", "-"}, {"export", "m"}, {"stability", "m", "--draws", "2"}, {"diff", "m", "m"},
		{"score", "m", "--rows"}, {"show", "m", "params"}} {
		o := sqlcluster(t, dir, append(args, db...)...)
		says(t, o.stderr, `error[run-has-groups]: run "m" has a model for each region, year`)
		succeed(t, dir, append(append(args, "--model", "Zürich,0"), db...)...)
	}
	o := sqlcluster(t, dir, append([]string{"show", "m", "--model", "Zürich"}, db...)...)
	says(t, o.stderr, `1 value does not name a model`)
	o = sqlcluster(t, dir, append([]string{"show", "m", "--model", "zurich,0"}, db...)...)
	says(t, o.stderr, `error[model-not-found]: run "m" has no model of region, year = zurich, 0`, "did you mean: Zürich,0")
	says(t, succeed(t, dir, append([]string{"score", "m"}, db...)...).stdout, "region", "silhouette")
	o = sqlcluster(t, dir, "sql", "d.duckdb", "-c", "FROM cluster_model('m')")
	says(t, o.stderr, "error[run-has-groups]: the run has a model for each group", "JOIN RUN_fit f USING (region)")
	labels := "SELECT count(*) AS same FROM people c JOIN m_fit f USING (region, year) JOIN m_assignments a USING (id) WHERE " +
		"a.cluster = cluster_predict(f.model, c)"
	says(t, succeed(t, dir, "sql", "d.duckdb", "-c", labels).stdout, "120") // of 160 rows, 40 have no region
	says(t, succeed(t, dir, append([]string{"runs"}, db...)...).stdout, "models")
	succeed(t, dir, append([]string{"drop", "m"}, db...)...)
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	if left := tablesOfRun(t, d, "m"); left != nil {
		t.Errorf("the tables %v stay", left)
	}
}

func TestAPathOfGroupsMayEndWithThePlainAlgorithm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	// no --grid: the last value keeps all columns, and kmeans runs there
	succeed(t, dir, "path", "people", "--db", "d.duckdb", "--id", "id", "--features", "x,y,z", "-a", "skfr", "-k", "2", "--restarts", "2",
		"--by", "region", "--into", "m")
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows := must.Get(d.Rows(t.Context(), "SELECT count(*) FROM m_path WHERE parameter = 'sparsity' AND value = 3"))(t)
	must.Equal(t, [][]any{{int64(5)}}, rows) // a group each
}

func TestAGroupOfTheEmptyTextIsChosenByTwoQuotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", `CREATE TABLE e AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN '' ELSE 'k' END AS g,
		hash(i) % 100 AS a, hash(i + 9) % 100 AS b FROM range(40) r(i)`)
	succeed(t, dir, "fit", "e", "--db", "d.duckdb", "--id", "id", "-k", "2", "--by", "g", "--into", "m")
	succeed(t, dir, "show", "m", "clusters", "--model", `""`, "--db", "d.duckdb")
	says(t, succeed(t, dir, "score", "m", "--db", "d.duckdb").stdout, "silhouette")
}

func TestNotesAndMessagesOfGroupsAreInPlainWordsAndWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", `CREATE TABLE h AS SELECT i AS id, i % 4 AS gd, hash(i) % 1000 / 1000 AS a,
		hash(i + 7) % 1000 / 1000 AS b FROM range(300) r(i)`)
	// 3 clusters of 26 rows are more than the 75 rows of a group
	o := succeed(t, dir, "fit", "h", "--db", "d.duckdb", "--id", "id", "--features", "a,b", "-k", "3", "--by", "gd", "--into", "m",
		"--constraints", "SELECT 0 AS gd, 'size' AS kind, 26 AS lo")
	says(t, o.stdout, "gd = 0: no labels of 75 rows and 3 clusters obey this limit: size, each cluster: at least 26 rows (--constraints)")
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows := must.Get(d.Rows(t.Context(), "SELECT coalesce(message, notes) FROM m_models ORDER BY rowid"))(t)
	for g, want := range []string{"no labels of 75 rows and 3 clusters obey this limit: size, each cluster: at least 26 rows (--constraints)",
		"--constraints has no rows", "--constraints has no rows", "--constraints has no rows"} {
		text, _ := rows[g][0].(string)
		says(t, text, want)
		if strings.ContainsAny(text, "\uFDD0\uFDD1") {
			t.Errorf("group %d: a mark in %q", g, text)
		}
	}
}

func TestTheScoresOfAGroupAreThoseOfItsModelAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fit, truth, relation string }{
		"key":         {"people --id id --features x,y,gaps", "word", ""},
		"rows":        {"people --features x,y,z --weight w", "year", ""},
		"left out":    {"people --id id --features x,gaps --nulls drop", "word", ""},
		"categories":  {"people --id id --features x,word --categorical word", "w", ""},
		"triples":     {"triples --long id,feature,value", "year", ""},
		"maps":        {"bags --id id --features counts", "year", ""},
		"other types": {"people --id id --features x,y,z", "w", "SELECT * REPLACE (id::DOUBLE AS id) FROM people WHERE id <> 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
			succeed(t, dir, append(strings.Fields("fit "+c.fit), "--into", "m", "--by", "region", "-k", "2", "--restarts", "2", "--db",
				"d.duckdb")...)
			score := func(where string, args ...string) string {
				if c.relation != "" && where == "" {
					args = append(args, c.relation)
				} else if c.relation != "" {
					args = append(args, "SELECT * EXCLUDE (region) FROM ("+c.relation+") WHERE "+where)
				}
				return succeed(t, dir, append([]string{"score", "m", "--truth", c.truth, "--db", "d.duckdb", "-o", "csv"}, args...)...).stdout
			}
			all := score("")
			for item, where := range map[string]string{"it's": "region = 'it''s'", "NULL": "region IS NULL"} {
				_, rows, _ := strings.Cut(score(where, "--model", item), "\n")
				for line := range strings.Lines(rows) {
					says(t, all, "\n"+strings.TrimPrefix(item, "NULL")+","+line)
				}
			}
		})
	}
}

func TestAGroupThatIsWrittenOtherwiseInTheRelationIsExplainedByItsType(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", `CREATE TABLE e AS SELECT i AS id, DATE '2024-01-01' + CAST(i % 2 AS INTEGER) AS day,
		CAST(i % 3 AS INTEGER) AS shop, hash(i) % 100 AS a, hash(i + 9) % 100 AS b FROM range(60) r(i)`)
	succeed(t, dir, "fit", "e", "--db", "d.duckdb", "--id", "id", "-k", "2", "--by", "day,shop", "--into", "m")
	predict := func(query string) string { return succeed(t, dir, "predict", "m", query, "--db", "d.duckdb").stderr }
	says(t, predict("SELECT * REPLACE (CAST(day AS TIMESTAMP) AS day) FROM e"), "60 rows are of 6 groups that the run has no model of",
		"column day is DATE in the run and TIMESTAMP in the relation", `CAST("day" AS DATE) AS "day"`)
	if said := predict("SELECT * REPLACE (CAST(shop AS BIGINT) + 1 AS shop) FROM e"); strings.Contains(said, "INTEGER") {
		t.Errorf("numbers of another width are written alike, and it says %s", said)
	}
}

func TestAnEmptyNameInAListOfColumnsIsSaidToBeThat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	for _, flags := range [][]string{{"--by", "region,"}, {"--by", ",region"}, {"--features", "x,,y"}, {"--exclude", " ,x"}} {
		o := sqlcluster(t, dir, append([]string{"fit", "people", "--db", "d.duckdb", "--id", "id", "-k", "2"}, flags...)...)
		says(t, o.stderr, "error[empty-name]: the name of a column is empty", "where: "+flags[0]+", item ", "leave out the comma")
	}
}

func TestCheckSaysOfEachGroupWhetherItCanBeFitted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people)
	check := []string{"check", "--db", "d.duckdb", "--id", "id", "-k", "3", "--by", "region", "--into", "m"}
	o := succeed(t, dir, append(check, "SELECT * REPLACE (if(region = 'Zürich', 5, x) AS x) FROM people", "--features", "x,y,gaps",
		"--nulls", "drop",
		"-o", "csv")...)
	// 8 of 40 rows have a gap; a number that is the same in all rows of a group has no effect there
	says(t, o.stdout, "region,status,message,rows,left_out,p,k,without_effect,nulls,notes\nZürich,ok,,40,8,3,3,x,0,8 rows with NULLs were "+
		"left out",
		`tiny,too-few-rows,"k is 3, but there are only 2 rows",2,`)
	o = succeed(t, dir, "check", "triples", "--db", "d.duckdb", "--long", "id,feature,value", "-k", "3", "--by", "region", "-o", "csv")
	says(t, o.stdout, "Zürich,ok,,40,0,9,3,,0,") // rows, not triples, of nine words
}

func TestAFitWithANumberChosenForEachGroupFailsIfNoneIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// rows of a group lie in one ball, or in two that are far apart
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", `CREATE TABLE e AS SELECT i AS id, i % 2 AS g, hash(i) % 1000 / 1000 AS a,
		hash(i + 9) % 1000 / 1000 + if(i % 2 = 1, i % 4, 0) * 20 AS b FROM range(120) r(i)`)
	fit := []string{"--db", "d.duckdb", "--id", "id", "-k", "2:3", "--by", "g", "--into", "m", "--replace"}
	o := succeed(t, dir, append([]string{"fit", "e"}, fit...)...)
	says(t, o.stdout, "1 of 2 groups has no structure")
	succeed(t, dir, "show", "m", "clusters", "--model", "1", "--db", "d.duckdb")
	o = sqlcluster(t, dir, append([]string{"fit", "FROM e WHERE g = 0 OR id % 4 = 1"}, fit...)...)
	if o.code != 3 {
		t.Errorf("it ends with %d", o.code)
	}
	says(t, o.stderr, "error[no-structure]: none of the 2 groups has structure")
	says(t, succeed(t, dir, "show", "m", "--db", "d.duckdb").stdout, "no-structure") // what was tried is kept
}

func TestHowManyGroupsAreWrittenAtATimeChangesNoTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// 8192 groups are written at a time; some have one row
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", "CREATE TABLE many AS SELECT i AS id, (i * 7919) % 8300 AS g, hash(i) % 100 AS a FROM "+
		"range(16500) r(i)")
	fit := []string{"fit", "many", "--db", "d.duckdb", "--id", "id", "--features", "a", "-k", "1", "--restarts", "1", "--by", "g", "--into"}
	succeed(t, dir, append(fit, "parts")...)
	succeed(t, dir, append(fit, "whole", "-o", "csv")...) // programs get all rows, which are kept until the end
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	tables := tablesOfRun(t, d, "whole")
	must.Equal(t, tables, tablesOfRun(t, d, "parts"))
	for _, table := range tables {
		if table != "run" { // times
			rows := must.Get(d.Rows(t.Context(), fmt.Sprintf("SELECT count(*) FROM (FROM (SELECT rowid, * FROM whole_%s) EXCEPT (SELECT rowid, "+
				"* FROM parts_%[1]s))",
				table)))(t)
			must.Equal(t, any(int64(0)), rows[0][0])
		}
	}
	rows := must.Get(d.Rows(t.Context(), "SELECT count(*), count(*) FILTER (status = 'too-few-rows') FROM parts_models"))(t)
	must.Equal(t, []any{int64(8300), int64(100)}, rows[0]) // 8300 groups of two rows would be 16 600
}
