package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAPathSaysWhichValuesALongerSearchMendsAndWarmMendsThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := append([]string{"path", rowsOf(t, absolute(t, "../../examples/heart.csv")), "-a", "skfr", "--grid", "4,3"}, heartFlags[:6]...)
	args = append(args, "-k", "5")
	const note = "the objective at sparsity 4"
	cold := succeed(t, dir, args...)
	// Three columns are a choice of four that leaves one out.
	points := numbersOf(t, succeed(t, dir, append(slices.Clone(args), "-o", "json")...).stdout)
	if points[4] <= points[3] || !strings.Contains(cold.stderr, note) {
		t.Errorf("objectives %v, and it says: %s", points, cold.stderr)
	}
	warm := served(t, dir, append(slices.Clone(args), "--warm", "--db", "out.duckdb", "--into", "w")...)
	shownPoints := tablesOf(t, filepath.Join(dir, "out.duckdb"), "w", "path")["path"]
	if strings.Contains(warm.stderr, note) || shownPoints[0]["warm_from"] != 3.0 || shownPoints[1]["warm_from"] != nil {
		t.Errorf("warm: %v, and it says: %s", shownPoints, warm.stderr)
	}
	if four, three := shownPoints[0]["objective"].(float64), shownPoints[1]["objective"].(float64); four > three || four > points[4] ||
		three > points[3] {
		t.Errorf("objectives %v and %v, without neighbours %v", four, three, points)
	}
}

// numbersOf returns the objectives of a path by value.
func numbersOf(t *testing.T, text string) map[float64]float64 {
	t.Helper()
	all := map[float64]float64{}
	for _, point := range shown(t, text, "path") {
		all[point["sparsity"].(float64)] = point["objective"].(float64)
	}
	return all
}
