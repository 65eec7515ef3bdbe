//go:build campaign

package functions_test

import "testing"

// Ten million rows in four groups, which nobody could miss: sin has no part in them.
//
//	go test -tags campaign -run CampaignOfManyRows -v ./sql/functions
func TestCampaignOfManyRows(t *testing.T) {
	s := opened(t, "", "CREATE TABLE t AS SELECT i AS id, (i % 4) * 10.0 + sin(i) AS x, (i % 2) * 10.0 + cos(i) AS y FROM range(10000000) "+
		"r(i)",
		"CREATE TABLE m AS FROM cluster_fit(t, 'id', k := 4, restarts := 1)")
	got := ran(t, s, "SELECT count(*), count(DISTINCT key), min(n), count(DISTINCT cluster) FROM (SELECT key, cluster, count(*) OVER "+
		"(PARTITION BY cluster, key % 4) AS n FROM cluster_assignments(m))")
	if got[0] != "10000000 10000000 2500000 4" {
		t.Error(got)
	}
}
