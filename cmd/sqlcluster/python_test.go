package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/plugintest"
)

// By hand, for one center c and delta 1. Of 0, 0, 0 and 10, the three pull with 3c and
// the outlier with 1, so that c is 1/3; their mean would be 2.5. A row of weight 3 is
// three rows. Between 0 and 10 all numbers from 1 to 9 have the same loss, and 5 is in
// the middle.
func TestCentersByHubersLossInPythonAreThoseByHand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "plugin", "add", plugintest.Python(t, filepath.Join("..", "..", "examples", "plugins", "huber-python")))
	for rows, want := range map[string]float64{
		"(1, 0, 1), (2, 0, 1), (3, 0, 1), (4, 10, 1)":     1. / 3,
		"(1, 0, 3), (2, 10, 1), (3, NULL, 7)":             1. / 3,
		"(1, 0, 0.5), (2, 10, 0.5), (3, 3, 0)":            5,
		"(1, -1e9, 1), (2, 4, 1), (3, 4.5, 1), (4, 5, 1)": 4 + 1./6, // −1 of the outlier, and 13.5 − 3c of the others
	} {
		db := fmt.Sprintf("%d.duckdb", len(rows)) // all differ in length
		succeed(t, dir, "fit", "SELECT * FROM (VALUES "+rows+") t(id, x, w)", "--id", "id", "--weight", "w", "-k", "1", "-a", "huber",
			"--delta", "1", "--scale", "raw", "--center", "none", "--db", db, "--into", "r")
		if got := tableRows(t, opened(t, dir, db), "r", "centers")[0]["center"].(float64); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: center %v, want %v", rows, got, want)
		}
	}
}
