package main

import (
	"regexp"
	"slices"
	"testing"
)

func TestABoxLimitHoldsInTheCentersTableToTheLastDigit(t *testing.T) {
	t.Parallel()
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

func TestWhatIsNotKnownIsNullAndWhatIsRoundingIsZero(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	printed := succeed(t, dir, "fit", "SELECT unnest([0.1, 0.2, 0.4, 0.7])::DOUBLE + 1e3 AS x, NULL::DOUBLE AS y", "-k", "1", "--db",
		"r.duckdb", "--into", "r").stdout
	centers := lines(t, dir, "show", "r", "centers", "--db", "r.duckdb", "-o", "csv")
	if got := column(t, centers, "center"); len(got) != 2 || got[0] == "" || got[1] != "" {
		t.Errorf("centers %q; that of y is NULL", got)
	}
	if got := column(t, centers, "center_scaled")[1]; got != "" {
		t.Errorf("scaled center %q; that of y is NULL", got)
	}
	// One cluster explains nothing, and kmeans selects nothing.
	features := lines(t, dir, "show", "r", "features", "--db", "r.duckdb", "-o", "csv")
	for name, want := range map[string][]string{"gain": {"0", "0"}, "selected": {"", ""}, "rank": {"", ""}} {
		if got := column(t, features, name); !slices.Equal(got, want) {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
	if !regexp.MustCompile(`(?m)^y +0 +–$`).MatchString(printed) {
		t.Errorf("no center of y is printed as –:\n%s", printed)
	}
}
