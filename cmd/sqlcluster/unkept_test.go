package main

import "testing"

func TestLimitsThatNoNumberOfClustersKeepsAreNotBlamedOnTheRows(t *testing.T) {
	dir := t.TempDir()
	rows := "SELECT i AS id, i%10*1.0 AS x FROM range(40) t(i)"
	for _, limit := range []string{"25 AS lo", "5 AS hi"} { // 2 or 3 clusters of 40 rows have not 25 each, and more than 5
		for _, command := range [][]string{{"tune", rows, "--draws", "2"}, {"fit", rows}} {
			o := fails(t, dir, 3, "infeasible-labels", append(command, "--id", "id", "--features", "x", "-k", "2:3", "--constraints",
				"SELECT 'size' AS kind, "+limit)...)
			says(t, o.stderr, "with none of these numbers of clusters")
			says(t, o.stderr, "size, each cluster: at ")
		}
	}
}

func TestWhatNewRowsCannotKeepIsNotToldToBeMadeLooser(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "fit", "SELECT i AS id, i%10*1.0 AS x FROM range(40) t(i)", "--id", "id", "--features", "x", "-k", "2", "--constraints",
		"SELECT 'size' AS kind, 15 AS lo", "--db", "s.db", "--into", "m", "-q")
	o := fails(t, dir, 3, "infeasible-labels", "predict", "m", "SELECT i AS id, i*1.0 AS x FROM range(10) t(i)", "--enforce", "--db", "s.db")
	says(t, o.stderr, "where: --enforce")
	says(t, o.stderr, "or leave --enforce out")
}

func TestAClusterThatLimitsLeaveEmptyIsNotBlamedOnTheRows(t *testing.T) {
	dir := t.TempDir()
	for _, limit := range []string{
		"'size' AS kind, NULL AS feature, 2 AS cluster, 0 AS hi", "'balance' AS kind, 'g' AS feature, 2 AS cluster, 0.3 AS hi",
	} {
		o := succeed(t, dir, "fit", "SELECT i AS id, i%10*1.0 AS x, i%2 AS g FROM range(40) t(i)", "--id", "id", "--features", "x", "-k", "3",
			"--constraints", "SELECT "+limit)
		says(t, o.stderr, "1 of 3 clusters has no rows: the limits leave it none")
	}
}
