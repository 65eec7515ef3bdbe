package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// theirSize is the kind size, as a plugin serves it.
type theirSize struct{}

func (theirSize) Describe() framework.SetDescription {
	return framework.SetDescription{Kind: "their_size", Version: "1", Labels: true, Summary: "a size by somebody else", Source: "by hand",
		Uses: []string{"cluster", "lo", "hi"}, Example: []framework.ConstraintRow{{Kind: "their_size", Lo: new(2.0)}}}
}

func (theirSize) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	own := slices.Clone(rows)
	for i := range own {
		own[i].Kind = "size"
	}
	return declare.Labels(own, t)
}

func TestLimitsOfAPluginAreKeptAsBuiltInOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "plugin", "add", program(t, dir, "limits", "limits"))
	others := "SELECT i AS id, i / 4 AS x FROM range(11) t(i)" // all are nearer to the lower center
	tables := map[string][]map[string][]map[string]any{}
	for _, kind := range []string{"size", "their_size"} {
		base := []string{vans, "--id", "id", "--features", "x", "-k", "2", "--constraints", "SELECT '" + kind + "' AS kind, 5 AS " +
			"lo", "--db", "out.duckdb"}
		succeed(t, dir, append([]string{"fit", "--into", kind}, base...)...)
		succeed(t, dir, append([]string{"path", "--into", kind + "_path", "-a", "skfr", "--grid", "1", "--assignments"}, base...)...)
		succeed(t, dir, "predict", kind, others, "--db", "out.duckdb", "--into", kind+"_new", "--enforce")
		tables["fit"] = append(tables["fit"], tablesOf(t, dir+"/out.duckdb", kind, "assignments", "clusters"))
		tables["path"] = append(tables["path"], tablesOf(t, dir+"/out.duckdb", kind+"_path", "path", "path_assignments"))
		d := opened(t, dir, "out.duckdb")
		rows := must.Get(d.Rows(t.Context(), "SELECT string_agg(cluster, ' ' ORDER BY id) FROM "+kind+"_new"))(t)
		must.Do(t, d.Close())
		tables["new"] = append(tables["new"], map[string][]map[string]any{"labels": {{"labels": fmt.Sprint(rows)}}})
	}
	for name, two := range tables {
		if diff := cmp.Diff(two[0], two[1]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	fails(t, dir, 2, "no-plugin-sets", "tune", vans, "--id", "id", "--features", "x", "-k", "2:3", "--constraints",
		"SELECT 'their_size' AS kind, 5 AS lo")
	succeed(t, dir, "plugin", "add", program(t, dir, "limits", "limits again"))
	o := sqlcluster(t, dir, "predict", "their_size", others, "--db", "out.duckdb", "--enforce")
	says(t, o.stderr, "error[no-limits]: the plugin limits, which kept the limits their_size, is another one now")
}

// vans has 12 stops on a line with weights, in three depots.
const vans = "SELECT i AS id, i AS x, 1 + i % 3 AS kg, 'depot ' || (i % 3) AS depot FROM range(12) t(i)"

func TestLimitsOfClustersAreKeptAndTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows   string
		check  string // of the labels, with the rows
		limits string // of NAME_limits
	}{
		"sizes": {"SELECT 'size' AS kind, 5 AS lo, 7 AS hi",
			"SELECT min(n) >= 5 AND max(n) <= 7 FROM (SELECT count(*) AS n FROM rows GROUP BY cluster)",
			"SELECT count(*) = 2 AND min(slack) >= 0 AND sum(amount) = 12 FROM ours_limits"},
		"shares of one cluster": {"SELECT 'share' AS kind, 1 AS cluster, 0.25 AS hi",
			"SELECT count(*) <= 3 FROM rows WHERE cluster = 1", "SELECT count(*) = 1 AND any_value(hi) = 3 FROM ours_limits"},
		"a column that is not clustered by": {"SELECT 'capacity' AS kind, 'KG' AS feature, 13 AS hi",
			"SELECT max(kg) <= 13 FROM (SELECT sum(kg) AS kg FROM rows GROUP BY cluster)",
			"SELECT sum(amount) = 24 AND count(*) FILTER (feature = 'KG') = 2 FROM ours_limits"},
		"values as text": {"SELECT 'unique_per' AS kind, 'depot' AS feature, 2 AS hi",
			"SELECT max(n) <= 2 FROM (SELECT count(*) AS n FROM rows GROUP BY cluster, " +
				"depot)", "SELECT bool_and(value LIKE 'depot%') FROM ours_limits"},
		"fair": {"SELECT 'balance' AS kind, 'depot' AS feature, 0.2 AS lo, 0.5 AS hi",
			"SELECT max(n) <= 0.5 FROM (SELECT count(*) / sum(count(*)) OVER (PARTITION BY cluster) AS n FROM rows GROUP BY cluster, depot)",
			"SELECT count(*) = 6 FROM ours_limits"},
		"several, and centers too": {"SELECT * FROM (VALUES ('size', NULL, 4, NULL), ('unique_per', 'depot', NULL, 3), ('box', 'x', 2, NULL)) " +
			"v(kind, feature, lo, hi)", "SELECT min(n) >= 4 FROM (SELECT count(*) AS n FROM rows GROUP BY cluster)",
			"SELECT count(*) = 4 AND (SELECT min(center) >= 2 FROM ours_centers) FROM ours_limits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var tables map[string]string
			for _, how := range [][]string{{"--threads", "1"}, {"--driver", "host", "--threads", "3"}} {
				succeed(t, dir, append([]string{"fit", vans, "--id", "id", "--features", "x", "-k", "2", "--constraints", c.rows, "--db", "out.duckdb",
					"--into", "ours", "--replace", "-q"}, how...)...)
				got, _ := stored(t, filepath.Join(dir, "out.duckdb"))
				if tables != nil {
					must.Equal(t, tables, got)
				}
				tables = got
			}
			d := opened(t, dir, "out.duckdb")
			for _, query := range []string{"WITH rows AS (FROM (" + vans + ") JOIN ours_assignments USING (id)) " + c.check, c.limits} {
				rows := must.Get(d.Rows(t.Context(), query))(t)
				must.Equal(t, any(true), rows[0][0])
			}
		})
	}
}

func TestPredictKeepsLimitsWhereItIsAskedTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "fit", vans, "--id", "id", "--features", "x", "-k", "2", "--constraints",
		"SELECT 'size' AS kind, 5 AS lo, NULL AS feature, NULL AS hi UNION ALL SELECT 'capacity', NULL, 'kg', 13", "--db", "out.duckdb",
		"--into", "ours", "-q")
	succeed(t, dir, "fit", vans, "--id", "id", "--features", "x", "-k", "2", "--db", "out.duckdb", "--into", "free", "-q")
	others := "SELECT i AS id, i / 4 AS x, 1 AS kg FROM range(11) t(i)" // all are nearer to the lower center
	for name, flags := range map[string][]string{"near": nil, "kept": {"--enforce"}} {
		succeed(t, dir, append([]string{"predict", "ours", others, "--db", "out.duckdb", "--into", name, "-q"}, flags...)...)
	}
	o := sqlcluster(t, dir, "predict", "free", others, "--db", "out.duckdb", "--enforce")
	if o.code == 0 || !strings.Contains(o.stderr, `no constraint of run "free" limits its clusters`) {
		t.Error(o.stderr)
	}
	d := opened(t, dir, "out.duckdb")
	rows := must.Get(d.Rows(t.Context(), "SELECT (SELECT count(DISTINCT cluster) FROM near), (SELECT min(n) FROM (SELECT count(*) AS n "+
		"FROM kept "+
		"GROUP BY cluster)), (SELECT max(id) FILTER (margin > 0) < min(id) FILTER (margin < 0) FROM kept)"))(t)
	must.Equal(t, []any{int64(1), int64(5), true}, rows[0])
}

func TestACapacityOfANumberThatIsNoneSaysWhichRowHasIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for number, also := range map[string]string{"NaN": "", "Infinity": "", "-Infinity": " UNION ALL SELECT 'unique_per', 'kg', 12"} {
		o := sqlcluster(t, dir, "fit",
			"SELECT id, x, CASE id WHEN 3 THEN '"+strings.ToLower(number)+"'::DOUBLE ELSE kg END AS kg FROM ("+vans+")", "--id", "id",
			"--features", "x", "-k", "2", "--constraints", "SELECT 'capacity' AS kind, 'kg' AS feature, 99 AS hi"+also)
		says(t, o.stderr, `error[not-finite]: column "kg" has an infinite number or NaN, which cannot be added up, in 1 row`, "id = 3: ",
			`say what such a row counts, with CASE WHEN isfinite("kg") THEN "kg" ELSE ... END`)
	}
	o := sqlcluster(t, dir, "fit", "SELECT id, x, nullif(kg, 2) AS kg FROM ("+vans+")", "--id", "id", "--features", "x", "-k", "2",
		"--constraints", "SELECT 'capacity' AS kind, 'kg' AS feature, 99 AS hi")
	says(t, o.stderr, `a capacity adds up the column "kg", which is NULL in 4 rows`, "id = 1\n", "id = 10\n", `with coalesce("kg", 0)`)
	o = sqlcluster(t, dir, "fit", vans, "--id", "id", "--features", "x", "-k", "2", "--constraints",
		"SELECT 'capacity' AS kind, 'depot' AS feature, 99 AS hi")
	says(t, o.stderr, "the column depot has none")
}

func TestALimitWhoseFeatureIsAnEmptyTextSaysWhatItShouldBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for row, want := range map[string]string{
		"'size' AS kind, '' AS feature, 4 AS lo":     "size: it takes no feature; leave that NULL",
		"'size' AS kind, 'zz' AS feature, 4 AS lo":   "size: it takes no feature; leave that NULL",
		"'capacity' AS kind, '' AS feature, 4 AS hi": "let it be the name of a column of the relation",
	} {
		o := sqlcluster(t, dir, "fit", vans, "--id", "id", "--features", "x", "-k", "2", "--constraints", "SELECT "+row)
		says(t, o.stderr, "error[bad-constraints]", want)
	}
}

func TestAFeatureOfTriplesOrMapsIsLimitedAsAColumnIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "d.duckdb", "-q", "-c", `
		CREATE TABLE wide AS SELECT i AS doc, i % 3 AS "a ""b", (i * 7) % 5 AS c, i / 4 AS d FROM range(24) t(i);
		CREATE TABLE long AS SELECT doc, unnest(['a "b', 'c', 'd']) AS word, unnest([0.0 + "a ""b", c, d]) AS n FROM wide;
		DELETE FROM long WHERE n = 0; INSERT INTO long SELECT doc, NULL, NULL FROM wide;
		CREATE TABLE maps AS SELECT doc, map_from_entries(coalesce(list((word, n)) FILTER (word IS NOT NULL), [])) AS cells
			FROM long GROUP BY doc;
		CREATE TABLE parts AS SELECT doc, word, n / 2 AS n FROM long UNION ALL SELECT doc, word, n / 2 FROM long WHERE word IS NOT NULL`)
	var tables []map[string][]map[string]any
	for _, from := range [][]string{{"wide", "--id", "doc"}, {"long", "--long", "doc,word,n"}, {"maps", "--id", "doc", "--features", "cells"},
		{"parts", "--long", "doc,word,n", "--repeated", "sum"}} {
		succeed(t, dir, append(append([]string{"fit"}, from...), "--scale", "none", "--center", "none", "-k", "2", "--db", "d.duckdb",
			"--into", "m", "--replace",
			"--constraints", `SELECT 'capacity' AS kind, 'a "b' AS feature, 13 AS hi UNION ALL
				SELECT 'unique_per', 'c', 4 UNION ALL SELECT 'capacity', 'doc', 150`)...)
		tables = append(tables, tablesOf(t, dir+"/d.duckdb", "m", "clusters", "limits"))
		for _, row := range tables[len(tables)-1]["limits"] {
			delete(row, "value") // 3 or 3.0
		}
	}
	for _, other := range tables[1:] {
		must.Equal(t, tables[0], other, cmpopts.EquateApprox(1e-12, 0))
	}
	o := sqlcluster(t, dir, "fit", "long", "--long", "doc,word,n", "-k", "2", "--db", "d.duckdb", "--constraints", "SELECT 'capacity' "+
		"AS kind, 'e' AS feature, 1 AS hi")
	says(t, o.stderr, `error[column-not-found]: table "long" has no column and no feature "e"`)
}

func TestLimitsThatSayNothingAreNoneAndThoseBelowZeroAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fit := []string{"fit", vans, "--id", "id", "--features", "x", "-k", "2", "--constraints"}
	for rows, want := range map[string]string{
		"SELECT 'size' AS kind, 'many' AS lo":         `error[column-not-numeric]: column "lo" of the query is VARCHAR, and must be a number`,
		"SELECT 'size' AS kind, -3 AS lo":             "size: lo is -3; a number of rows is at least 0",
		"SELECT 'size' AS kind, -1 AS hi":             "size: hi is -1; a number of rows is at least 0",
		"SELECT 'size' AS kind, NULL::DOUBLE AS hi":   "size: needs lo or hi, or both",
		"SELECT 'size' AS kind, '-inf'::DOUBLE AS hi": "which nothing obeys",
	} {
		says(t, sqlcluster(t, dir, append(fit, rows)...).stderr, want)
	}
	for _, rows := range []string{"'size' AS kind, 'inf'::DOUBLE AS hi", "'capacity' AS kind, 'kg' AS feature, '-inf'::DOUBLE AS " +
		"lo", "'size' AS kind, 0 AS lo"} {
		succeed(t, dir, append(fit, "SELECT "+rows)...)
	}
}

func TestBatchesLeadToClustersWithinLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := "SELECT i AS id, (i * i) % 997 AS x, (i * 31) % 101 AS y, 1 + i % 3 AS kg, i % 7 AS day FROM range(1000) t(i)"
	for name, limits := range map[string]string{
		"sizes":  "SELECT 'size' AS kind, 230 AS lo, 270 AS hi",
		"shares": "SELECT 'share' AS kind, 0.2 AS lo, 0.3 AS hi",
		"sums":   "SELECT 'capacity' AS kind, 'kg' AS feature, 540 AS hi",
		"values": "SELECT 'unique_per' AS kind, 'day' AS feature, 40 AS hi",
		"even":   "SELECT 'size' AS kind, 250 AS lo",
	} {
		succeed(t, dir, "fit", rows, "--id", "id", "--features", "x,y", "-k", "4", "--batch", "100", "--constraints", limits, "--db",
			"b.duckdb", "--into", name)
		d := opened(t, dir, "b.duckdb")
		got := must.Get(d.Rows(t.Context(), "SELECT min(slack) >= 0, (SELECT approximate FROM "+name+"_fit) FROM "+name+"_limits"))(t)
		must.Do(t, d.Close())
		must.Equal(t, []any{true, true}, got[0])
	}
}
