package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// lines runs the command and returns the lines of its standard output.
func lines(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(succeed(t, dir, args...).stdout), "\n")
}

// column returns the cells of a column of CSV without quotes.
func column(t *testing.T, csv []string, name string) []string {
	t.Helper()
	at := slices.Index(strings.Split(csv[0], ","), name)
	if at < 0 {
		t.Fatalf("no column %s in %s", name, csv[0])
	}
	cells := []string{}
	for _, line := range csv[1:] {
		cells = append(cells, strings.Split(line, ",")[at])
	}
	return cells
}

// A power of two changes no digit, so that all that is in fitted units must be
// the same to the last bit.
func TestTheUnitOfTheDataChangesNoCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fit := func(factor string) []string {
		query := "SELECT i AS id, hash(i) % 1000 * " + factor + " AS a, hash(i + 7) % 1000 * " + factor + " AS b FROM range(200) t(i)"
		return lines(t, dir, "fit", query, "--id", "id", "-k", "3", "-o", "csv")
	}
	want := fit("1.0::DOUBLE")
	for _, factor := range []string{"pow(2.0, -665)", "pow(2.0, 665)"} { // about 1e-200 and 1e200
		equal(t, want, fit(factor), "%s", factor)
	}
}

func TestRowsWithoutAnyCellGetNoCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows = "SELECT * FROM (VALUES (1, NULL, NULL), (2, 1.0, NULL), (3, 1.5, 2.0), (4, NULL, NULL), (5, 9.0, 8.0), (6, 9.5, NULL)) " +
		"t(id, x, y)"
	const note = "note: 2 rows have NULL in all features and so no cluster\n"
	o := succeed(t, dir, "fit", rows, "--id", "id", "-k", "2", "--db", "out.duckdb", "--into", "run")
	if !strings.Contains(o.stderr, note) || !strings.HasPrefix(o.stdout, "kmeans: 4 rows, 2 features, 2 clusters") {
		t.Errorf("%s%s", o.stderr, o.stdout)
	}
	o = succeed(t, dir, "predict", "run", rows, "--id", "id", "--db", "out.duckdb", "--into", "seen")
	says(t, o.stderr, note)
	d := opened(t, dir, "out.duckdb")
	assignments := []string{"id,cluster,status"}
	for _, row := range tableRows(t, d, "run", "assignments") {
		assignments = append(assignments, strings.ReplaceAll(fmt.Sprintf("%v,%v,%v", row["id"], row["cluster"], row["status"]), "<nil>", ""))
	}
	for name, got := range map[string][]string{
		"printed by fit":     lines(t, dir, "fit", rows, "--id", "id", "-k", "2", "-o", "csv", "-q"),
		"printed by predict": lines(t, dir, "predict", "run", rows, "--id", "id", "--db", "out.duckdb", "-o", "csv", "-q"),
		"stored by fit":      assignments,
	} {
		equal(t, []string{"2", "3", "5", "6", "1", "4"}, column(t, got, "id"), "%s", name)
		equal(t, []string{"", "", "", "", "no_cells", "no_cells"}, column(t, got, "status"), "%s", name)
		clusters := column(t, got, "cluster")
		if clusters[0] != clusters[1] || clusters[2] != clusters[3] || clusters[0] == clusters[2] || clusters[4]+clusters[5] != "" {
			t.Errorf("%s: clusters %q", name, clusters)
		}
	}
	none := "SELECT id, NULL::DOUBLE AS x, NULL::DOUBLE AS y FROM (" + rows + ")"
	for flag, status := range map[string]string{"keep": "no_cells", "drop": "null_cell"} {
		got := lines(t, dir, "predict", "run", none, "--id", "id", "--db", "out.duckdb", "--nulls", flag, "-o", "csv", "-q")
		if diff := cmp.Diff(slices.Repeat([]string{status}, 6), column(t, got, "status")); diff != "" ||
			strings.Join(column(t, got, "cluster"), "") != "" {
			t.Errorf("predicted, where no row has a cell: %s%q", diff, got)
		}
	}
	got := cells(t, d, "SELECT count(*) AS n, count(cluster) AS c, count(status) AS s FROM seen").Data
	if !slices.Equal(got, []float64{6, 4, 2}) {
		t.Errorf("the stored prediction: %v", got)
	}
}

func TestOneClusterHasNoSecondAndNoMargin(t *testing.T) {
	t.Parallel()
	got := lines(t, t.TempDir(), "fit", fourRows, "--id", "name", "-k", "1", "-o", "csv")
	if margins := column(t, got, "margin"); strings.Join(margins, "") != "" {
		t.Errorf("margins %q", margins)
	}
}

func TestColumnsWithoutValuesAreNotCalledConstant(t *testing.T) {
	t.Parallel()
	o := succeed(t, t.TempDir(), "check", "SELECT i AS id, i AS a, NULL::DOUBLE AS b, 7 AS c FROM range(9) t(i)", "--id", "id", "-k", "3")
	if want := "note: 1 column has no values and therefore no effect: b\n" +
		"note: 1 column has only one value and therefore no effect: c\n"; !strings.HasPrefix(o.stderr, want) {
		t.Error(o.stderr)
	}
	says(t, o.stdout, "b       no values", "c       constant")
}

func TestNumbersThatAreRoundedAreNamed(t *testing.T) {
	t.Parallel()
	o := succeed(t, t.TempDir(), "fit", "SELECT i AS id, 9007199254740993 + i AS a, i AS b FROM range(30) t(i)", "--id", "id", "-k", "2")
	if want := "note: numbers of more than 15 digits were rounded to 53 bits, in 1 column: a\n"; !strings.HasPrefix(o.stderr, want) {
		t.Error(o.stderr)
	}
}

// Clusters that are points have an inertia of 0; what sums leave is rounding.
func TestASummaryShowsNoRounding(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"near 0":    "SELECT i AS id, 1.0 * (i // 10) AS a, 0.1 * (i // 10) AS b FROM range(30) t(i)",
		"far off":   "SELECT i AS id, 1e6 + 0.1 * (i // 10) AS a, 0.3 * (i // 10) AS b FROM range(30) t(i)",
		"by sevens": "SELECT i AS id, (i % 3) / 7.0 AS a, (i % 3) / 11.0 AS b, (i % 3) / 13.0 AS c FROM range(99) t(i)",
	} {
		if !clustertest.Campaign && name == "near 0" {
			continue
		}
		o := succeed(t, t.TempDir(), "fit", query, "--id", "id", "-k", "3", "-q")
		if !strings.Contains(o.stdout, "\nobjective 0 from ") {
			t.Errorf("%s: %s", name, o.stdout)
		}
		_, table, _ := strings.Cut(o.stdout, "─\n") // of the clusters
		table, _, _ = strings.Cut(table, "\n\nfeature")
		for _, line := range strings.Split(table, "\n") {
			if cells := strings.Fields(line); cells[3] != "0" {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestTheHintCanBePastedIntoAShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--db", "my $data.duckdb", "--into", `"it's"`)
	if want := `next: sqlcluster show '"it'\''s"' features --db 'my $data.duckdb'` + "\n"; !strings.HasSuffix(o.stderr, want) {
		t.Error(o.stderr)
	}
}

func TestAFitThatFailsLeavesNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := sqlcluster(t, dir, "fit", fourRows, "--id", "name", "-k", "9", "--db", "new.duckdb", "--into", "four"); o.code != 3 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("it has left %v (%v)", entries, err)
	}
}

func TestOneOfAThingIsNotCalledSeveral(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, command := range []string{"fit", "check"} {
		o := succeed(t, dir, command, "SELECT i AS id, i AS a FROM range(5) t(i)", "--id", "id", "-k", "1")
		if !strings.HasPrefix(o.stdout, "kmeans: 5 rows, 1 feature, 1 cluster ") {
			t.Error(o.stdout)
		}
	}
}

func TestShowAndHelpKnowTheSameTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	help := succeed(t, dir, "help", "tables").stdout
	show := strings.Join(strings.Fields(succeed(t, dir, "help", "show").stdout), " ") // in one line
	list, _, _ := strings.Cut(strings.TrimPrefix(show, "Show a result table of a run. TABLE is one of "), ". ")
	succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--init", "seeding", "--pairs", "SELECT 'a' AS a, 'b' AS b, 'must' AS kind",
		"--db", "out.duckdb", "--into", "four", "--distances", "1", "-q")
	succeed(t, dir, "score", "four", "--rows", "--into", "four", "--db", "out.duckdb", "-q")
	succeed(t, dir, "stability", "four", "--draws", "2", "--into", "steady", "--db", "out.duckdb", "-q")
	succeed(t, dir, "path", fourRows, "--id", "name", "-k", "2", "-a", "skfr", "--grid", "1", "--assignments", "--db", "out.duckdb", "--into",
		"way", "-q")
	succeed(t, dir, "tune", "SELECT i AS id, i % 7 AS x, i % 3 AS y, i % 2 AS class FROM range(40) t(i)", "--id", "id", "--truth", "class",
		"-k", "3", "-a", "skm", "--grid", "1.2", "--folds", "2", "--no-fit", "--db", "out.duckdb", "--into", "tuned", "-q")
	succeed(t, dir, "tune", fourRows, "--id", "name", "-k", "1:2", "--draws", "2", "--no-fit", "--db", "out.duckdb", "--into", "drawn", "-q")
	succeed(t, dir, "fit", fourRows, "--id", "name", "-k", "2", "--constraints", "SELECT 'size' AS kind, 2 AS lo", "--db", "out.duckdb",
		"--into", "limited", "-q")
	succeed(t, dir, "fit", "SELECT i AS id, i % 7 AS x, i % 2 AS half FROM range(40) t(i)", "--id", "id", "-k", "2", "--by", "half", "--db",
		"out.duckdb", "--into", "halves", "-q")
	d := opened(t, dir, "out.duckdb")
	for _, table := range strings.Split(list, ", ") {
		run := "four"
		switch of, _, _ := strings.Cut(table, "_"); {
		case table == "tune_draws":
			run = "drawn"
		case table == "limits":
			run = "limited"
		case table == "models":
			run = "halves"
		case of == "path":
			run = "way"
		case of == "tune":
			run = "tuned"
		case of == "stability":
			run = "steady"
		}
		if table == "params" || table == "path" { // one that is no table, and one that is
			succeed(t, dir, "show", run, table, "--db", "out.duckdb")
		} else if _, _, err := d.Show(t.Context(), run, table); err != nil && table != "progress" { // which has only a fit that has not ended
			t.Error(err)
		}
		if table != "params" && !strings.Contains(help, "\nNAME_"+table+": ") || !strings.Contains(help, table) {
			t.Errorf("help tables does not have %s", table)
		}
	}
	// params is no table
	if got, want := len(regexp.MustCompile(`(?m)^NAME_\w+:`).FindAllString(help, -1)), strings.Count(list, ","); got != want {
		t.Errorf("help tables has %d tables, show %s", got, list)
	}
}

func TestAnUnknownKernelIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"fit", "no.csv", "-k", "3"}, {"version"}} {
		o := ended(t, command(t, t.TempDir(), args...), "SQLCLUSTER_KERNEL=nonsense")
		want := "error[unknown-kernel]: there is no kernel \"nonsense\" on this machine\n  where: SQLCLUSTER_KERNEL\n  hint:  it can be "
		if o.code != 2 || !strings.HasPrefix(o.stderr, want) {
			t.Errorf("exit code %d: %s", o.code, o.stderr)
		}
	}
	says(t, ended(t, command(t, t.TempDir(), "version", "-v"), "SQLCLUSTER_KERNEL=go").stdout, ", kernel go of ")
}

func TestConfigurationThatIsWrongSaysWhatItMustBe(t *testing.T) {
	t.Parallel()
	const seed = "18446744073709551615"
	for name, test := range map[string]struct{ file, variable, message string }{
		"a word for a number": {"", "SQLCLUSTER_K=x", "error[bad-config]: k is \"x\"; it must be a whole number, several of them, or auto\n  " +
			"where: SQLCLUSTER_K\n"},
		"a number for a time": {"timeout = 10\n", "",
			"error[bad-config]: timeout is \"10\"; it must be a time such as 90s or 10m\n  where: sqlcluster.toml\n"},
		"an empty text": {"weight = \"\"\n", "", "error[bad-config]: weight is empty\n  where: sqlcluster.toml\n"},
		"a fraction": {"restarts = 1.5\n", "",
			"error[bad-config]: restarts is \"1.5\"; it must be a whole number\n  where: sqlcluster.toml\n"},
		"a large seed": {"tol = 0.5\nseed = " + seed + "\n", "",
			"error[bad-config]: the configuration has a number that is too large for TOML\n  where: sqlcluster.toml, line 2\n" +
				"  hint:  TOML's whole numbers end at 9223372036854775807; larger ones, of a seed, go in quotes: seed = \"" + seed + "\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "sqlcluster.toml", test.file)
			o := ended(t, command(t, dir, "fit", fourRows, "--id", "name", "-q"), test.variable)
			if o.code != 2 || o.stdout+o.stderr != test.message {
				t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
			}
		})
	}
	dir := t.TempDir()
	write(t, dir, "sqlcluster.toml", "seed = \""+seed+"\"\nid = \"name\"\n")
	fit := []string{"fit", fourRows, "-k", "2", "--db", "out.duckdb", "--into", "four", "-q"}
	succeeded(t, ended(t, command(t, dir, fit...), "SQLCLUSTER_WEIGHT="), fit) // counts as not set
	paramsAre(t, dir, "four", map[string]string{"seed": seed + " sqlcluster.toml"})
}

// kmeans, with all features selected, is not among these: pckm says nothing of features.
func TestAnAlgorithmThatSelectsNothingListsFeaturesAsTheyWereScaled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"fit", "SELECT i AS id, i % 2 * 4 AS x, i % 3 AS y FROM range(12) t(i)", "--id", "id", "-a", "pckm", "-k", "2",
		"--scale", "sd_n",
		"--pairs", "SELECT 1 AS a, 2 AS b, 'must' AS kind", "--db", "out.duckdb", "--into", "run"}
	o := succeed(t, dir, args...)
	if !strings.Contains(o.stdout, "\nfeature  center 0  center 1\n") || strings.Contains(o.stdout, "gain") {
		t.Error(o.stdout)
	}
	got := lines(t, dir, "show", "run", "features", "--db", "out.duckdb", "-o", "csv")
	// mean and sd: 2 and 2; 1 and √(2/3)
	equal(t, []string{"x,,,,,,,,,2,2", "y,,,,,,,,,1,0.816496580927726"}, got[1:], "the features")
	features := shown(t, succeed(t, dir, append(args[:len(args)-4:len(args)-4], "-o", "json")...).stdout, "features")
	if len(features) != 2 || features[0]["selected"] != nil || features[0]["rank"] != nil {
		t.Errorf("features %v", features)
	}
}

func TestNoTableOfFeaturesIsShownWhereNoneIsSelected(t *testing.T) {
	t.Parallel()
	o := succeed(t, t.TempDir(), "fit", "SELECT i AS id, i % 2 AS x, i % 3 AS y FROM range(12) t(i)", "--id", "id", "-a", "groupskm",
		"--lambda", "100", "-k", "2")
	if strings.Contains(o.stdout, "feature  ") || !strings.Contains(o.stdout, "no feature got a weight") {
		t.Error(o.stdout)
	}
}

func TestARelationOfWhichOneRowHasCellsSaysWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	o := sqlcluster(t, t.TempDir(), "fit", "SELECT i AS id, CASE WHEN i = 1 THEN 2 END AS x FROM range(3) t(i)", "--id", "id", "-k", "1")
	if want := "error[too-few-rows]: there is only 1 row to cluster; at least 2 are needed\n  2 rows have NULL in all features and so no " +
		"cluster\n"; o.code != 3 || o.stderr != want {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
}
