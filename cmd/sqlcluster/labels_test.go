package main

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// known are classes of some of the people.
const known = `CREATE TABLE known AS SELECT id, 'class ' || (id % 3) AS class FROM people WHERE id % 7 = 0 AND id < 1000`

func TestRowsStayInTheClusterOfTheirClass(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"kmeans":   {"-a", "kmeans"},
		"medians":  {"-a", "kmeans", "--loss", "l1"},
		"gaps":     {"-a", "skfr", "--sparsity", "3", "--features", "x,y,z,gaps"},
		"weights":  {"-a", "skm", "--l1-bound", "1.3", "--weight", "w"},
		"no links": {"-a", "pckm"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known)
			args := []string{"fit", "people", "--id", "id", "-k", "4", "--labels", "known", "--into", "m", "--db", "d.duckdb"}
			if name != "gaps" {
				args = append(args, "--features", "x,y,z")
			}
			o := succeed(t, dir, append(args, flags...)...)
			says(t, o.stderr, "labels: 23 rows have one of 3 classes, 23 of them certain") // 0, 7, … 154
			d := opened(t, dir, "d.duckdb")
			defer func() { must.Do(t, d.Close()) }()
			rows := must.Get(d.Rows(t.Context(), "SELECT count(*), count(*) FILTER ('class ' || a.cluster = k.class) FROM m_assignments a "+
				"JOIN known k USING (id)"))(t)
			must.Equal(t, []any{int64(23), int64(23)}, rows[0])
			rows = must.Get(d.Rows(t.Context(), "SELECT known_class FROM m_clusters ORDER BY cluster"))(t)
			must.Equal(t, [][]any{{"class 0"}, {"class 1"}, {"class 2"}, {nil}}, rows)
			// From the first labels on, the objective never rises; that of skm is another one after each change of the feature weights.
			rows = must.Get(d.Rows(t.Context(), "SELECT count(*) FROM (SELECT f.maximize, t.objective, lag(t.objective) OVER (ORDER BY "+
				"iteration) AS before "+
				"FROM m_trace t, m_fit f) WHERE NOT maximize AND objective > before * (1 + 1e-12)"))(t)
			must.Equal(t, any(int64(0)), rows[0][0])
		})
	}
}

func TestLeavingAClassCostsItsWeight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known)
	kept := []int64{}
	for _, weight := range []string{"0", "0.5", "2", "1000", "NULL"} {
		labels := "SELECT id, class, " + weight + " AS weight FROM known"
		succeed(t, dir, "fit", "people", "--id", "id", "--features", "x,y,z", "-k", "3", "--labels", labels, "--into", "m", "--replace",
			"--db", "d.duckdb")
		d := opened(t, dir, "d.duckdb")
		rows := must.Get(d.Rows(t.Context(), "SELECT count(*) FILTER ('class ' || a.cluster = k.class), any_value(f.objective - f.inertia) "+
			"FROM m_assignments a JOIN known k USING (id), m_fit f"))(t)
		must.Do(t, d.Close())
		n := rows[0][0].(int64)
		kept = append(kept, n)
		if weight == "NULL" {
			continue
		}
		var w float64
		must.Get(fmt.Sscan(weight, &w))(t)
		if charged := rows[0][1].(float64); charged-w*float64(23-n) > 1e-9 || charged-w*float64(23-n) < -1e-9 {
			t.Errorf("weight %s: the objective has %v more than the inertia, and %d rows have left", weight, charged, 23-n)
		}
	}
	if kept[3] != 23 || kept[4] != 23 || kept[0] > kept[1] || kept[1] > kept[2] || kept[0] == 23 {
		t.Errorf("%v rows stay", kept)
	}
}

func TestClassesAreAStartOrPairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known)
	fit := []string{"fit", "people", "--id", "id", "--features", "x,y,z", "-k", "3", "--db", "d.duckdb", "--into", "m", "--replace"}
	// The centers of the classes are a start that can be given, too.
	succeed(t, dir, append(fit, "--labels", "known", "--labels-as", "start", "--scale", "none", "--center", "none")...)
	centers := "SELECT right(class, 1)::INTEGER AS cluster, unnest(['x', 'y', 'z']) AS feature, unnest([avg(x), avg(y), avg(z)]) AS center " +
		"FROM people JOIN known USING (id) GROUP BY ALL"
	own := append([]string{}, fit...)
	own[len(own)-2] = "own"
	succeed(t, dir, append(own, "--start", centers, "--scale", "none", "--center", "none")...)
	d := opened(t, dir, "d.duckdb")
	rows := must.Get(d.Rows(t.Context(), "SELECT count(*) FROM m_assignments JOIN own_assignments USING (id, cluster)"))(t)
	must.Equal(t, any(int64(162)), rows[0][0])
	must.Do(t, d.Close())

	succeed(t, dir, append(fit, "--labels", "known", "--labels-as", "pairs", "-a", "pckm")...)
	d = opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows = must.Get(d.Rows(t.Context(), "SELECT count(*), count(*) FILTER (c.known_class = k.class) FROM m_assignments a JOIN known k "+
		"USING (id) JOIN m_clusters c USING (cluster)"))(t)
	must.Equal(t, []any{int64(23), int64(23)}, rows[0])
	rows = must.Get(d.Rows(t.Context(), "SELECT count(*) FROM m_violations"))(t)
	must.Equal(t, any(int64(0)), rows[0][0])
}

func TestLabelsThatCannotBeKeptAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known)
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"too few clusters": {[]string{"-k", "2", "--labels", "known"}, "error[too-many-classes]: k is 2, but the labels have 3 classes: " +
			"class 0, class 1, class 2"},
		"no class": {[]string{"-k", "3", "--labels", "SELECT id, NULL AS class FROM known"}, "error[no-labels]"},
		"negative weight": {[]string{"-k", "3", "--labels", "SELECT id, class, -1 AS weight FROM known"},
			"error[bad-labels]: 23 problems in the query"},
		"infinite weight": {[]string{"-k", "3", "--labels", "SELECT id, class, 'inf'::DOUBLE AS weight FROM known"},
			"the weight must be a number of at least 0"},
		"twice": {[]string{"-k", "3", "--labels", "FROM known UNION ALL FROM known"}, "id = 0: has a class twice"},
		"empty class": {[]string{"-k", "3", "--labels", "SELECT id, '' AS class FROM known"},
			"id = 0: the class is empty; give it a name, or NULL"},
		"a use of nothing": {[]string{"-k", "3", "--labels-as", "start"}, "labels-as says what known classes are used as, and there are none"},
		"unknown key":      {[]string{"-k", "3", "--labels", "SELECT 'x' AS id, 'a' AS class"}, "id = x: there is no such row"},
		"no column": {[]string{"-k", "3", "--labels", "SELECT id FROM known"}, "error[labels-columns]: the query has no labels: " +
			"there is no column class"},
		"another column":  {[]string{"-k", "3", "--labels", "SELECT *, 1 AS weigth FROM known"}, "did you mean: weight"},
		"pairs of kmeans": {[]string{"-k", "3", "--labels", "known", "--labels-as", "pairs"}, "algorithm kmeans takes no pairs"},
		"trimmed":         {[]string{"-k", "3", "--labels", "known", "--trim", "0.1"}, "rows that are trimmed have no cluster"},
		"with a start":    {[]string{"-k", "3", "--labels", "known", "--start", "known"}, "the classes make the start, and one is given"},
		"pairs, too": {[]string{"-k", "3", "--labels", "known", "--pairs", "links", "-a", "pckm"}, "classes that are held do not go " +
			"with pairs"},
		"a wrong use": {[]string{"-k", "3", "--labels", "known", "--labels-as", "seed"}, `labels-as is "seed"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := sqlcluster(t, dir, append([]string{"fit", "people", "--id", "id", "--features", "x,y,z", "--db", "d.duckdb"}, c.flags...)...)
			says(t, o.stderr, c.want)
		})
	}
}

func TestEachGroupHasLabelsOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known+"; CREATE TABLE own AS SELECT region, k.* FROM known k JOIN people "+
		"USING (id)")
	succeed(t, dir, "fit", "people", "--id", "id", "--features", "x,y,z", "-k", "3", "--by", "region", "--labels", "own", "--into", "m",
		"--db", "d.duckdb")
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows := must.Get(d.Rows(t.Context(), "SELECT count(*), count(*) FILTER (c.known_class = k.class) FROM m_assignments a JOIN known k "+
		"USING (id) "+
		"JOIN m_clusters c ON c.cluster = a.cluster AND c.region IS NOT DISTINCT FROM a.region"))(t)
	must.Equal(t, []any{int64(23), int64(23)}, rows[0])
}

func TestClassesAreHeldWithinLimitsOfClusters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", people+";"+known)
	fit := []string{"fit", "people", "--id", "id", "--features", "x,y,z", "-k", "3", "--labels", "known", "--db", "d.duckdb", "--into", "m",
		"--replace"}
	succeed(t, dir, append(fit, "--constraints", "SELECT 'size' AS kind, 54 AS lo, 54 AS hi")...) // 162 rows
	d := opened(t, dir, "d.duckdb")
	defer func() { must.Do(t, d.Close()) }()
	rows := must.Get(d.Rows(t.Context(), "SELECT count(*), count(*) FILTER ('class ' || a.cluster = k.class) FROM m_assignments a JOIN "+
		"known k USING (id)"))(t)
	must.Equal(t, []any{int64(23), int64(23)}, rows[0])
	rows = must.Get(d.Rows(t.Context(), "SELECT min(size), max(size) FROM m_clusters"))(t)
	must.Equal(t, []any{int64(54), int64(54)}, rows[0])
	for limit, want := range map[string]string{ // the classes have 8, 8 and 7 of the 23 rows that are certain
		"'size' AS kind, 0 AS cluster, 7 AS hi":                `cluster 0 (class "class 0"): 8 rows are certain, and it may have 7`,
		"'size' AS kind, 'few' AS name, 0 AS cluster, 7 AS hi": `size "few", cluster 0 (class "class 0"): 8 rows are certain`,
		"'size' AS kind, 1 AS cluster, 150 AS lo": `cluster 1 (class "class 1"): it must have 150 of 162 rows, ` +
			`and 15 are certain to be in others`,
		"'unique_per' AS kind, 0 AS cluster, 'year' AS feature, 0 AS hi": "in year, and it may have 0",
		"'capacity' AS kind, 0 AS cluster, 'id' AS feature, 1 AS hi":     "rows that are certain have ",
	} {
		o := sqlcluster(t, dir, append(fit[:len(fit)-3], "--constraints", "SELECT "+limit)...)
		says(t, o.stderr, "error[infeasible-labels]", want)
	}
}
