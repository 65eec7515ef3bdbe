package functions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/functions"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/session"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Rows in three groups and of many types, with ties, and relations that are made of
// them: what is predicted has all that a model needs, or lacks it.
const (
	rowsOfAllKinds = `CREATE TYPE cup AS ENUM ('S', 'M', 'L', 'unused');
CREATE TABLE train AS SELECT i AS id, sin(i) + i % 3 AS a, cos(i * 7) * 10 AS b, (i % 3 * 20 + i % 5)::DOUBLE AS c,
	(hash(i) % 100)::DOUBLE - 50 AS d,
	['red', 'blue', 'NULL'][i % 3 + 1] AS colour, ['S', 'M', 'L'][(i // 2) % 3 + 1]::cup AS cup, i % 4 = 0 AS tall,
	DATE '2001-02-03' + (i % 2)::INTEGER AS born,
	CASE WHEN i % 5 > 0 THEN i % 3 END AS code FROM range(240) r(i)`

	gaps = `SELECT id, CASE WHEN id % 4 > 0 THEN a END AS a, CASE WHEN id % 3 > 0 THEN b END AS b, CASE WHEN id % 6 > 0 THEN c END AS c,
	CASE WHEN id % 12 > 0 THEN d END AS d, CASE WHEN id % 5 > 0 THEN colour END AS colour, CASE WHEN id % 7 > 0 THEN cup END AS cup,
	CASE WHEN id % 8 > 0 THEN tall END AS tall, CASE WHEN id % 9 > 0 THEN born END AS born, code FROM train`
	typed = `SELECT id, a::FLOAT AS a, b::DECIMAL(9, 3) AS b, c::%s AS c, d::%s AS d, colour::VARCHAR AS colour, cup::VARCHAR AS cup,
	tall::VARCHAR AS tall, born::VARCHAR AS born, code::DECIMAL(4, 0) AS code FROM train`
)

var relations = map[string]string{
	"as it was":  "FROM train",
	"with NULLs": gaps,
	"only NULLs": `SELECT id, NULL::DOUBLE AS a, NULL::INTEGER AS b, NULL::HUGEINT AS c, NULL::DECIMAL(5, 2) AS d, NULL AS colour,
		NULL::cup AS cup, NULL AS tall, NULL AS born, NULL AS code FROM train LIMIT 3`,
	"one row":      "FROM train LIMIT 1",
	"ties":         "SELECT * REPLACE (0::DOUBLE AS a, 0::DOUBLE AS b, 0::DOUBLE AS c, 0::DOUBLE AS d) FROM train",
	"small types":  fmt.Sprintf(typed, "TINYINT", "TINYINT"),
	"larger types": fmt.Sprintf(typed, "USMALLINT", "SMALLINT"),
	"large types":  fmt.Sprintf(typed, "UBIGINT", "HUGEINT"),
	"huge types":   fmt.Sprintf(typed, "UHUGEINT", "DECIMAL(30, 12)"),
	"turned": `SELECT MAP {'x': id} AS m, Code AS CODE, {'s': id} AS s, colour AS "Colour", d AS "D", INTERVAL 1 DAY AS i,
		'ab'::BLOB AS blob, tall AS "TALL",		NULL AS n, born AS BORN, uuid() AS u, a AS "A", [1, 2] AS l, cup AS CUP, id AS id, b AS B, c AS C,
		union_value(a := 1) AS v, TIMESTAMPTZ '2001-02-03' AS __row, 1 AS g, 2 AS c0 FROM train`,
	"unseen": `SELECT * REPLACE (CASE id WHEN 7 THEN 'green' ELSE colour END AS colour, id % 9 > 5 AS tall,
		CASE id WHEN 9 THEN 'unused' ELSE cup END AS cup) FROM train`,
	"text":           "SELECT * REPLACE (a::VARCHAR AS a) FROM train",
	"truth":          "SELECT * REPLACE (tall AS a) FROM train",
	"lists":          "SELECT * REPLACE ([a] AS a) FROM train",
	"lacks a":        "SELECT * EXCLUDE a FROM train",
	"lacks b and d":  "SELECT * EXCLUDE (b, d) FROM train",
	"lacks colour":   "SELECT * EXCLUDE colour FROM train",
	"NaN":            "SELECT * REPLACE (CASE id WHEN 5 THEN 'NaN'::DOUBLE ELSE a END AS a) FROM train",
	"infinity":       "SELECT * REPLACE (CASE id WHEN 5 THEN '-inf'::FLOAT ELSE c END AS c) FROM train",
	"beyond squares": "SELECT * REPLACE (CASE id WHEN 5 THEN 1e200 ELSE a END AS a) FROM train",
	"large":          "SELECT * REPLACE (CASE id WHEN 5 THEN 1e140 WHEN 6 THEN 1e152 ELSE a END AS a) FROM train",
}

var fits = map[string]string{
	"kmeans":            "k := 3, features := ['a', 'b', 'c', 'd']",
	"kmeans, one":       "k := 1, features := ['a', 'b', 'c', 'd']",
	"kmeans, medians":   "k := 4, features := ['a', 'b', 'c', 'd'], loss := 'l1', scale := 'robust'",
	"kmeans, unscaled":  "k := 4, features := ['a', 'd'], scale := 'raw'",
	"skfr":              "k := 3, features := ['a', 'b', 'c', 'd'], sparsity := 2",
	"skfr, local":       "k := 3, features := ['a', 'b', 'c', 'd'], sparsity := 3, scope := 'local', missing := 'kpod'",
	"skm":               "k := 3, features := ['a', 'b', 'c', 'd'], l1_bound := 1.3",
	"pckm":              "k := 3, features := ['a', 'b', 'c', 'd'], pairs := links",
	"pcskm":             "k := 3, features := ['a', 'b', 'c', 'd'], pairs := links, l1_bound := 1.5",
	"mpckm":             "k := 3, features := ['a', 'b', 'c', 'd'], pairs := links",
	"groupskm":          `k := 3, categorical := ['colour', 'cup', 'tall', 'born', 'code'], "lambda" := 0.01, nulls := 'drop'`,
	"groupskm, levels":  `k := 3, categorical := ['colour', 'cup', 'tall', 'born', 'code'], "lambda" := 0.01, null_category := 'level'`,
	"groupskm, lighter": `k := 3, features := ['a', 'c', 'colour', 'tall'], categorical := ['colour', 'tall'], "lambda" := 0.3`,
}

// told is what the rows of a relation were told, by key: cluster, distance, second
// cluster and margin, as DuckDB's values are shown.
func told(a result.Assignments) []string {
	label := func(l int32) any {
		if l < 0 {
			return nil
		}
		return l
	}
	number := func(x float64) any {
		if x-x != 0 {
			return nil
		}
		text := fmt.Sprint(x)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	}
	var rows []string
	for i := range a.Keys.Len() {
		rows = append(rows, fmt.Sprint(a.Keys.Text(i), " ", label(a.Labels[i]), " ", number(a.Distance[i]), " ", label(a.Second[i]), " ",
			number(a.Margin[i])))
	}
	if a.Dropped != nil {
		for i := range a.Dropped.Len() {
			rows = append(rows, a.Dropped.Text(i)+strings.Repeat(" <nil>", 4))
		}
	}
	slices.Sort(rows)
	return rows
}

// predictedAlike compares what SQL says of a relation with a prediction of the same
// model: the bits, or the fault.
func predictedAlike(t *testing.T, db *store.DB, s *session.Session, text, relation, unseen string) {
	t.Helper()
	m := must.Get(model.Decode(builtIn, text))(t)
	spec := input.Spec{Relation: relation, ID: "id", Storage: matrix.Auto}
	if !m.MissingOK() {
		spec.Nulls = "drop"
	}
	table := fmt.Sprintf("SELECT key, cluster, distance, second_cluster, margin FROM cluster_predict(m, %s, 'id', unseen := '%s')",
		relation, unseen)
	scalar := fmt.Sprintf("SELECT id, cluster_predict(m.model, x, unseen := '%s') FROM %s x, m", unseen, relation)
	p, err := m.Predict(t.Context(), db, spec, 2, matrix.Unseen(unseen))
	if err != nil {
		fault := framework.AsFault(err)
		want := strings.ReplaceAll(framework.Say(fault.Summary, functions.Setting), "table "+relation, "the query")
		for _, text := range []string{table, scalar} {
			if got := refused(t, s, text); got.Code != fault.Code || got.Summary != want {
				t.Errorf("%s\n%s\nwant %s", text, sqltest.Explain(got), want)
			}
		}
		return
	}
	want, rows := told(p.Assignments), ran(t, s, table)
	slices.Sort(rows)
	must.Equal(t, want, rows)
	for i, row := range want {
		want[i] = strings.Join(strings.Fields(row)[:2], " ")
	}
	rows = ran(t, s, scalar)
	slices.Sort(rows)
	must.Equal(t, want, rows)
}

// few are the relations that algorithms are tried with that have, or do not have,
// categories, but for some that are tried with all.
var few = map[bool][]string{
	false: {"with NULLs", "lacks b and d", "large"},
	true:  {"as it was", "with NULLs", "only NULLs", "small types", "turned", "unseen", "lacks colour", "lacks b and d"},
}

func TestAPredictionInSQLHasTheBitsOfAJob(t *testing.T) {
	db, s := both(t, rowsOfAllKinds, "CREATE TABLE links AS FROM (VALUES (1, 4, 'must'), (1, 2, 'cannot')) v(a, b, kind)")
	for name, text := range relations {
		ran(t, s, "CREATE TABLE "+schema.Quote(name)+" AS "+text)
	}
	for name, options := range fits {
		t.Run(name, func(t *testing.T) {
			algorithm, _, _ := strings.Cut(name, ",")
			ran(t, s, fmt.Sprintf("CREATE OR REPLACE TABLE m AS FROM cluster_fit(train, 'id', algorithm := '%s', restarts := 1, %s)",
				algorithm, options))
			model := ran(t, s, "SELECT model FROM m")[0]
			for relation := range relations {
				if !slices.Contains([]string{"kmeans", "pckm"}, name) && !slices.Contains(few[algorithm == "groupskm"], relation) {
					continue
				}
				t.Run(relation, func(t *testing.T) {
					unseens := []string{"error"}
					if relation == "unseen" {
						unseens = []string{"error", "ignore", "nearest"}
					}
					for _, unseen := range unseens {
						predictedAlike(t, db, s, model, schema.Quote(relation), unseen)
					}
				})
			}
		})
	}
}

// A chunk of DuckDB has 2048 rows, and a scan of several threads gives each 122880.
func TestALabelDependsNeitherOnChunksNorOnThreads(t *testing.T) {
	s := opened(t, "", "CREATE TABLE t AS SELECT i AS id, sin(i * i) + i % 4 AS x, cos(i * 7) AS y, i % 3 AS g FROM range(130000) r(i)",
		"CREATE TABLE few AS FROM t WHERE id < 300",
		"CREATE TABLE m AS FROM cluster_fit(few, 'id', k := 5, restarts := 1, exclude := 'g')",
		"CREATE TABLE want AS SELECT id, cluster_predict(m.model, t) AS label FROM t, m")
	wrong := func(query string) {
		t.Helper()
		got := ran(t, s, "SELECT count(*) FROM ("+query+") q JOIN want USING (id) WHERE q.label IS DISTINCT FROM want.label")
		if got[0] != "0" {
			t.Errorf("%s: %s labels differ", query, got[0])
		}
	}
	for _, rows := range []int{0, 1, 2047, 2048, 2049} {
		wrong(fmt.Sprintf("SELECT id, cluster_predict(m.model, c) AS label FROM (FROM t LIMIT %d) c, m", rows))
	}
	for threads := range 4 {
		ran(t, s, fmt.Sprintf("SET threads = %d", threads+1))
		wrong("SELECT id, cluster_predict(m.model, t) AS label FROM t, m")
		wrong("SELECT key AS id, cluster AS label FROM cluster_predict(m, t, 'id')")
	}
	for name, query := range map[string]string{
		"some rows of a chunk":  "SELECT id, cluster_predict(m.model, t) AS label FROM t, m WHERE id % 7 = 2 AND x > 1",
		"rows of a join":        "SELECT t.id, cluster_predict(m.model, t) AS label FROM range(0, 4000, 3) r(i) JOIN t ON t.id = i, m",
		"rows in another order": "SELECT id, cluster_predict(m.model, c) AS label FROM (FROM t ORDER BY y LIMIT 3000) c, m",
		"a column that is constant": "SELECT id, label + " +
			"cluster_predict(m.model, {x: x, y: 0.25}) - cluster_predict(m.model, {x: x, y: y * 0 + 0.25}) " +
			"AS label FROM want JOIN t USING (id), m WHERE id < 3000",
		"in a condition": "SELECT id, label FROM (SELECT id, 2 AS label FROM t, m WHERE id < 3000 AND " +
			"cluster_predict(m.model, t) = 2)",
		"a model that is not in a join": "SELECT id, cluster_predict((SELECT model FROM m), t) AS label FROM t LIMIT 100",
	} {
		t.Run(name, func(*testing.T) { wrong(query) })
	}
}

// Rows of three groups come in turns, and each has the model of its group, as in a
// chunk of a join; every fourth has none, and every fifth is NULL.
func TestModelsOfAChunkDoNotMix(t *testing.T) {
	s := opened(t, "", "CREATE TABLE t AS SELECT i AS id, sin(i * i) AS x, cos(i * 7) AS y, i % 3 AS g FROM range(5000) r(i)",
		"CREATE TABLE m AS SELECT g, cluster_fit(t.id, t, {k: 2 + g, restarts: 1, exclude: ['g']}) AS fit FROM t GROUP BY g",
		"CREATE TABLE told AS SELECT id, t.g, cluster_predict(CASE WHEN id % 4 > 0 THEN fit.model END, "+
			"CASE WHEN id % 5 > 0 THEN t END) AS label FROM t JOIN m USING (g)",
		"CREATE TABLE want AS SELECT unnest(fit.assignments, recursive := true) FROM m")
	must.Equal(t, []string{"0"}, ran(t, s, "SELECT count(*) FROM told JOIN want ON id = key WHERE "+
		"label IS DISTINCT FROM CASE WHEN id % 4 > 0 AND id % 5 > 0 THEN cluster END"))
	must.Equal(t, []string{"2", "3", "4"}, ran(t, s, "SELECT count(DISTINCT label) FROM told GROUP BY g ORDER BY g")) // each k
}

// The models differ by spaces; 256 of them are kept.
func TestMoreModelsThanAreKeptLabelTheirRows(t *testing.T) {
	s := opened(t, "", "CREATE TABLE t AS SELECT i AS id, i % 300 AS g, sin(i) AS x FROM range(3000) r(i)",
		"CREATE TABLE m AS FROM cluster_fit(t, 'id', k := 3, restarts := 1, exclude := 'g')")
	must.Equal(t, []string{"3000"}, ran(t, s, "SELECT count(*) FROM t, m WHERE "+
		"cluster_predict(m.model || repeat(' ', g), t) = cluster_predict(m.model, t)"))
}

// Of a plugin that somebody else wrote there is only a process.
func TestAnAlgorithmOfAProcessLabelsInSQL(t *testing.T) {
	l := builtIn
	l.Algorithms = slices.Clone(l.Algorithms)
	for i := range l.Algorithms {
		l.Algorithms[i].Local = nil
	}
	path := sqltest.Temp(t, "x.duckdb")
	s := opened(t, path, "CREATE TABLE t AS SELECT i AS id, sin(i * i) + i % 4 AS x, CASE WHEN i % 9 > 0 THEN cos(i) END AS y "+
		"FROM range(5000) r(i)",
		"CREATE TABLE m AS FROM cluster_fit(t, 'id', k := 4, restarts := 1)", "CREATE TABLE want AS FROM cluster_predict(m, t, 'id')")
	must.Do(t, s.Close())
	s = openedWith(t, path, l)
	for threads := range 2 {
		ran(t, s, fmt.Sprintf("SET threads = %d", threads+1))
		same(t, s, "FROM want ORDER BY key", "FROM cluster_predict(m, t, 'id') ORDER BY key")
	}
}
