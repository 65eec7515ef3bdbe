package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/plugintest"
)

// nodePlugin adds the plugin that is written in Node.js, and returns the path of
// the wine table.
func nodePlugin(t *testing.T, dir string) (wine string) {
	t.Helper()
	path := plugintest.Node(t, filepath.Join("..", "..", "examples", "plugins", "kmedians-node"))
	o := succeed(t, dir, "plugin", "add", path)
	says(t, o.stderr, "kmedians 1.0.0", "set whole 1.0.0")
	return absolute(t, "../../examples/wine.csv")
}

// k-medians in Node.js and kmeans --loss l1 are one method: medians of the same
// rows, and distances that add up the features in the same order.
func TestKMediansInNodeGivesTheAssignmentsOfKMeansWithLossL1(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wine := nodePlugin(t, dir)
	var fits []string
	for name, more := range map[string][]string{
		"complete": {"--exclude", "class"}, "weighted": {"--exclude", "class", "--weight", "class"},
		"missing": {"--features", "a,b,c", "--weight", "class"},
	} {
		if !clustertest.Campaign && name == "weighted" { // as those with missing cells are
			continue
		}
		fits = append(fits, name)
		relation := wine
		if name == "missing" {
			relation = "SELECT id, CASE WHEN id % 7 > 0 THEN alcohol END AS a, CASE WHEN id % 5 > 0 THEN hue END AS b, proline AS c, class FROM '" +
				wine + "'"
		}
		fit := append([]string{"fit", relation, "--id", "id", "-k", "3", "--restarts", "1", "--seed", "2", "--db", "runs.duckdb", "--into"},
			name+"_ours")
		succeed(t, dir, append(append(fit, "-a", "kmeans", "--loss", "l1"), more...)...)
		fit[len(fit)-1] = name + "_theirs"
		succeed(t, dir, append(append(fit, "-a", "kmedians"), more...)...)
	}
	d := opened(t, dir, "runs.duckdb")
	for _, name := range fits {
		for _, table := range []string{"assignments", "centers"} {
			equal(t, tableRows(t, d, name+"_ours", table), tableRows(t, d, name+"_theirs", table),
				"%s: %s in Node.js and in Go differ", name, table)
		}
		if driver := columnOf(t, d, name+"_theirs", "run", "driver"); driver[0] != "host" {
			t.Errorf("%s: the plugin has no driver, but the run says %v", name, driver)
		}
	}
	labels := func(run string) string {
		return succeed(t, dir, "predict", run, "FROM '"+wine+"' WHERE id < 20", "--id", "id", "--db", "runs.duckdb", "-o", "csv").stdout
	}
	if ours, theirs := labels("complete_ours"), labels("complete_theirs"); ours != theirs {
		t.Errorf("predictions in Node.js\n%s\nand in Go\n%s", theirs, ours)
	}
}

func TestCentersAreInTheUnitsOfAKindThatIsServedByNode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wine := nodePlugin(t, dir)
	units := map[string]float64{"alcohol": 0.5, "proline": 100, "magnesium": 10} // those of proline are from 1 on
	const rows = `SELECT 'whole' AS kind, * FROM (VALUES ('alcohol', 0.5, 0), ('proline', 100, 1), ('magnesium', 10, NULL)) v(feature, ` +
		`coef, value)`
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--constraints", rows, "--db", "runs.duckdb", "--into", "r")
	seen := 0
	for _, c := range tableRows(t, opened(t, dir, "runs.duckdb"), "r", "centers") {
		name, center := c["feature"].(string), c["center"].(float64)
		if units[name] == 0 {
			continue
		}
		if name == "proline" {
			center--
		}
		seen++
		multiple := center / units[name]
		if off := math.Abs(multiple - math.Round(multiple)); off > 1e-9 { // rounding of scaling there and back
			t.Errorf("center %v of %s is %g: %g off a multiple of %g", c["cluster"], name, center, off, units[name])
		}
	}
	if seen != 9 { // 3 features of 3 centers
		t.Errorf("%d centers of features with units", seen)
	}
	fails(t, dir, 3, "cannot-intersect", "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "-a", "skfr", "--sparsity", "8",
		"--constraints", rows)
	fails(t, dir, 3, "bad-constraints", "fit", wine, "--id", "id", "-k", "3", "--constraints", "SELECT 'whole' AS kind, 0 AS coef")
}
