package functions_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

// documents are 60 texts of three topics with words of their own, as triples, as maps and
// as columns. Text 60 has no word.
func documents(t *testing.T) *session.Session {
	t.Helper()
	return opened(t, "",
		`CREATE TABLE counts AS SELECT doc, CASE WHEN doc < 60 THEN 'w' || word END AS term, n FROM
			(SELECT d AS doc, w AS word, 1 + hash(d * 31 + w) % 3 AS n FROM range(1, 61) r(d), range(12) q(w)
			WHERE w % 3 = d % 3 OR hash(d * 7 + w) % 5 = 0) ORDER BY hash(doc * 100 + word)`,
		"CREATE TABLE maps AS SELECT doc, map_from_entries(coalesce(list((term, n)) FILTER (term IS NOT NULL), [])) AS words FROM counts "+
			"GROUP BY doc",
		"CREATE TABLE wide AS PIVOT (FROM counts WHERE term IS NOT NULL UNION ALL SELECT 60, 'w0', 0) ON term USING coalesce(sum(n), 0) "+
			"GROUP BY doc")
}

const ofCounts = "'doc', long := ['doc', 'term', 'n'], k := 3"

func TestFunctionsReadTriplesAsTheyReadTheColumnsOfTheirFeatures(t *testing.T) {
	s := documents(t)
	ran(t, s, "CREATE TABLE m AS FROM cluster_fit(counts, "+ofCounts+")", "CREATE TABLE w AS FROM cluster_fit(wide, 'doc', k := 3)")
	for of, list := range map[string]string{"assignments": "key, cluster", "clusters": `cluster, "size"`,
		"features": "feature, round(gain, 6)", "centers": "cluster, feature, round(center, 6)"} {
		query := "SELECT " + list + " FROM cluster_%s(%s) ORDER BY ALL"
		same(t, s, fmt.Sprintf(query, of, "w"), fmt.Sprintf(query, of, "m"))
	}
	for _, call := range []string{
		`SELECT "column", use, round(location, 6), nulls FROM cluster_check(%s, k := 3) WHERE use = 'feature' ORDER BY ALL`,
		"SELECT selected, round(objective, 6), list_sort(features) FROM cluster_path(%s, k := 3, algorithm := 'skfr', grid := '12,6,3')",
		"SELECT k, value, round(score, 6) FROM cluster_tune(%s, k := '2,3,4', method := 'silhouette') ORDER BY k",
	} {
		same(t, s, fmt.Sprintf(call, "wide, 'doc'"), fmt.Sprintf(call, "counts, 'doc', long := ['doc', 'term', 'n']"))
	}
	same(t, s, "SELECT doc, cluster FROM cluster(wide, 'doc', k := 3) ORDER BY doc", "SELECT DISTINCT doc, cluster FROM cluster(counts, "+
		ofCounts+") ORDER BY doc")
	score := "SELECT score, round(value, 6) FROM cluster_score(%s, %s, 'doc')"
	same(t, s, fmt.Sprintf(score, "w", "wide"), fmt.Sprintf(score, "m", "counts"))
	// a model of triples labels columns, and maps
	labels := "SELECT key AS doc, cluster FROM cluster_assignments(m) ORDER BY doc"
	same(t, s, labels, "SELECT doc, cluster_predict(m.model, r) FROM wide r, m ORDER BY doc")
	same(t, s, labels, "SELECT doc, cluster_predict(m.model, r) FROM maps r, m ORDER BY doc")
	same(t, s, labels, "SELECT key, cluster FROM cluster_predict(m, maps, 'doc') ORDER BY key")
	same(t, s, labels, "SELECT doc, cluster_predict(m.model, r) FROM (SELECT doc, map_from_entries(coalesce(list((term, n)) "+
		"FILTER (term IS NOT NULL), [])) AS cells FROM counts GROUP BY doc) r, m ORDER BY doc")
}

func TestEachGroupOfTriplesIsATableOfItsOwn(t *testing.T) {
	s := documents(t)
	ran(t, s, "CREATE TABLE parts AS SELECT 'a' AS part, * FROM counts UNION ALL SELECT 'b', doc + 1000, term, n FROM counts WHERE doc <= "+
		"40 ORDER BY n",
		"CREATE TABLE m AS SELECT part, unnest(cluster_fit(r.doc, r, {k: 3, long: ['doc', 'term', 'n']})) FROM parts r GROUP BY part")
	for part, rows := range map[string]string{"a": "counts", "b": "part_b"} {
		ran(t, s, "CREATE OR REPLACE VIEW part_b AS SELECT doc, term, n FROM parts WHERE part = 'b'")
		same(t, s, "SELECT key, cluster FROM (SELECT unnest(assignments, recursive := true) FROM cluster_fit("+rows+", "+ofCounts+
			")) ORDER BY key",
			"SELECT key, cluster FROM (SELECT unnest(assignments, recursive := true) FROM m WHERE part = '"+part+"') ORDER BY key")
	}
}

func TestSettingsOfTriplesAreThoseOfTheCommand(t *testing.T) {
	s := documents(t)
	ran(t, s, "CREATE TABLE twice AS FROM counts UNION ALL FROM counts WHERE doc < 60 ORDER BY n")
	f := refused(t, s, "FROM cluster_fit(twice, "+ofCounts+")")
	must.Equal(t, "repeated-triples", f.Code)
	must.Equal(t, []string{"24"}, ran(t, s, "SELECT max(n)::INT * 4 FROM (SELECT doc, term, sum(n) AS n FROM twice WHERE doc < 60 GROUP "+
		"BY ALL)"))
	must.Equal(t, []string{"60 12"}, ran(t, s, "SELECT n, p FROM cluster_fit(twice, "+ofCounts+", repeated := 'sum')"))
	must.Equal(t, []string{"1"}, ran(t, s, "SELECT count(*) FROM cluster_check(counts, "+ofCounts+
		", min_rows := 20, max_share := 0.99) WHERE use LIKE 'kmeans: 60 rows%'"))
}

func TestCallsThatDoNotReadTriplesSayWhatTo(t *testing.T) {
	s := documents(t)
	ran(t, s, "CREATE TABLE m AS FROM cluster_fit(counts, "+ofCounts+")")
	for call, want := range map[string][2]string{
		"FROM cluster_fit(counts, 'term', long := ['doc', 'term', 'n'], k := 3)": {
			`the key is "term", and that of the triples is "doc"`, "give one column as the key and as the first of long"},
		"SELECT cluster_fit(r.n, r, {k: 3, long: ['doc', 'term', 'n']}) FROM counts r": {
			`the key is something else, and that of the triples is "doc"`, "give one column as the key and as the first of long"},
		"FROM cluster_fit(counts, 'doc', long := ['doc', 'n'], k := 3)": {
			`long is "doc,n"; it must name three columns: the key, the feature and the value`, "as in long := 'doc,term,n'"},
		"FROM cluster_fit(wide, 'doc', min_rows := 2, k := 3)": {
			"min_rows is about relations of triples", "add long := [KEY, FEATURE, VALUE], or leave out min_rows"},
		"SELECT cluster_predict(m.model, r) FROM counts r, m": {
			"the rows have none of the 12 columns that the model needs",
			"make a map of the triples of each row: SELECT cluster_predict(m.model, r) FROM (SELECT doc, " +
				"map_from_entries(coalesce(list((term, n)) FILTER (term IS NOT NULL), [])) AS cells FROM triples GROUP BY doc) r, m"},
	} {
		f := refused(t, s, call)
		must.Equal(t, want, [2]string{f.Summary, f.Hint})
	}
}
