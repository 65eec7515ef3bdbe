package main

import (
	"testing"
)

func TestARowWithCellsInUnselectedColumnsAloneHasNoCluster(t *testing.T) {
	t.Parallel()
	// a and b are the groups, c is noise, d is constant.
	rows := "SELECT i AS id, CASE WHEN i < 10 THEN 9 * (i % 2) + i / 100 END AS a, CASE WHEN i < 11 THEN 9 * (i % 2) - i / 70 END AS b, " +
		"(i * 7) % 5 AS c, 4 AS d FROM range(12) t(i)"
	got := lines(t, t.TempDir(), "fit", rows, "--id", "id", "-a", "skfr", "-k", "2", "--sparsity", "2", "-o", "csv", "-q")
	equal(t, append(make([]string, 11), "no_cells"), column(t, got, "status"), "the status of the rows")
	if clusters := column(t, got, "cluster"); clusters[0] == clusters[1] || clusters[10] != clusters[0] || clusters[11] != "" {
		t.Errorf("clusters %q", clusters)
	}
}
