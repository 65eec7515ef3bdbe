package main

import (
	"slices"
	"testing"
)

func TestABoxLimitHoldsInTheCentersTableToTheLastDigit(t *testing.T) {
	// The mean of these is 0.35, so that the center is at the limit. Scaled and
	// back, 0.662 is 0.6619999999999999.
	dir := t.TempDir()
	succeed(t, dir, "fit", "SELECT unnest([0.1, 0.2, 0.4, 0.7])::DOUBLE AS x", "-k", "1", "--db", "r.duckdb", "--into", "r",
		"--constraints", "SELECT 'box' AS kind, 'x' AS feature, 0.662 AS lo")
	got := column(t, lines(t, dir, "show", "r", "centers", "--db", "r.duckdb", "-o", "csv"), "center")
	if !slices.Equal(got, []string{"0.662"}) {
		t.Errorf("centers %v", got)
	}
}
