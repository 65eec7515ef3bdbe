package functions_test

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// vans are 12 stops on a line, and others are 11 that are all nearer to the lower of two depots.
var vans = []string{
	"CREATE TABLE vans AS SELECT i AS id, i AS x, 1 + i % 3 AS kg FROM range(12) t(i)",
	"CREATE TABLE limits AS FROM (VALUES ('size', 5, NULL, NULL), ('capacity', NULL, 'kg', 13)) v(kind, lo, feature, hi)",
	"CREATE TABLE m AS FROM cluster_fit(vans, 'id', k := 2, features := ['x'], constraints := limits)",
	"CREATE TABLE others AS SELECT 'k' || i AS id, i / 4 AS x, 1 AS kg FROM range(11) t(i)",
}

func TestAllRowsOfAPredictionAreLabelledTogetherWhereLimitsAreKept(t *testing.T) {
	s := opened(t, "", vans...)
	for query, want := range map[string]string{
		"SELECT string_agg(cluster, '') FROM cluster_predict(m, others, 'id')":                   "00000000000",
		"SELECT string_agg(cluster, '') FROM cluster_predict(m, others, 'id', enforce := true)":  "00000011111", // the farthest five
		"SELECT string_agg(cluster, '') FROM cluster_predict(m, others, 'id', enforce := false)": "00000000000",
		"SELECT string_agg(key, ',') FROM cluster_predict(m, others, 'id', enforce := true)":     "k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10",
		"SELECT typeof(key) FROM cluster_predict(m, vans, 'id', enforce := true) LIMIT 1":        "BIGINT",
		"SELECT count(*) FROM cluster_predict(m, nobody, 'id', enforce := true)":                 "0",
		"SELECT count(*), count(cluster) FROM cluster_predict(m, gaps, 'id', enforce := true)":   "11 10", // no cell, no cluster
		"SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM cluster_predict(two, others, 'id', enforce := true) " +
			"GROUP BY cluster)": "2 10",
	} {
		got := ran(t, s, "CREATE OR REPLACE TABLE nobody AS FROM others LIMIT 0", "CREATE OR REPLACE TABLE two AS FROM m UNION ALL FROM m",
			"CREATE OR REPLACE TABLE gaps AS SELECT * REPLACE (CASE WHEN id <> 'k3' THEN x END AS x) FROM others", query)
		must.Equal(t, want, strings.Join(got, "|"))
	}
}

func TestLimitsOfAPredictionThatCannotBeKeptAreTold(t *testing.T) {
	s := opened(t, "", append(vans, "CREATE TABLE free AS FROM cluster_fit(vans, 'id', k := 2, features := ['x'])",
		"CREATE TABLE few AS FROM others LIMIT 9", "CREATE TABLE light AS SELECT id, x FROM others")...)
	for call, c := range map[string][2]string{
		"free, others, 'id'":                {"no-limits", "no constraint of the fit limits its clusters"},
		"m, few, 'id'":                      {"infeasible-labels", "no labels of 9 rows and 2 clusters obey this limit"},
		"m, light, 'id'":                    {"column-not-found", `no column "kg"`},
		"m, others, 'id', unseen := 'some'": {"bad-flag", `unseen is "some"`},
	} {
		f := refused(t, s, "FROM cluster_predict("+call+", enforce := true)")
		if f.Code != c[0] || !strings.Contains(f.Summary, c[1]) || strings.Contains(f.Hint, "heap") {
			t.Errorf("%s: %s: %s (%s)", call, f.Code, f.Summary, f.Hint)
		}
	}
}
