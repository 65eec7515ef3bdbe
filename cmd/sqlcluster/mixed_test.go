package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// heartFlags read examples/heart.csv: 6 numbers and 7 categorical columns.
var heartFlags = []string{"--id", "id", "--exclude", "HD", "--categorical", "sex,cp,fbs,restecg,exang,slope,thal", "--scale", "sd_n", "-k",
	"2"}

// csvLines returns the lines of a file under its header.
func csvLines(t *testing.T, path string) (header []string, lines [][]string) {
	t.Helper()
	all := readCSV(t, path)
	return all[0], all[1:]
}

// absolute returns the path of a file of this package for commands that run
// elsewhere.
func absolute(t *testing.T, path string) string {
	t.Helper()
	return must.Get(filepath.Abs(path))(t)
}

// fitted runs fit into the run "ours" of a new database, and opens it.
func fitted(t *testing.T, args ...string) *store.DB {
	t.Helper()
	dir := t.TempDir()
	succeed(t, dir, append([]string{"fit", "--db", "out.duckdb", "--into", "ours", "-q"}, args...)...)
	return opened(t, dir, "out.duckdb")
}

func TestKMeansOnMixedTablesFindsTheLabelsOfTheReferenceRuns(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"heart_k2": append([]string{absolute(t, "../../examples/heart.csv"), "--start", "SELECT unnest([1, 111]) AS id", "--init-space",
			"fitted"}, heartFlags...),
		"synth_mixed_k3": {absolute(t, "testdata/reference/mixed/synth_mixed_k3.csv"), "--categorical", "colour,region,plan,flag,city",
			"--scale", "sd_n", "-k", "3", "--start", "SELECT unnest([1, 224, 84]) AS row_id", "--init-space", "fitted"},
		"cat_only_k2": {absolute(t, "testdata/reference/mixed/cat_only_k2.csv"), "--categorical", "*", "-k", "2", "--start",
			"SELECT unnest([1, 31]) AS row_id", "--init-space", "fitted"},
	} {
		if !clustertest.Campaign && name == "heart_k2" { // as synth_mixed_k3
			continue
		}
		t.Run(name, func(t *testing.T) {
			_, want := csvLines(t, filepath.Join("testdata/reference/mixed", name+".labels.csv"))
			got := show(t, fitted(t, args...), "assignments")
			if len(got) != len(want) || len(got) < 150 {
				t.Fatalf("%d labels, want %d", len(got), len(want))
			}
			var ours, theirs []int32
			for i, line := range want {
				ours, theirs = append(ours, int32(got[i][1].(int64))), append(theirs, int32(number(t, line[1])))
			}
			if !clustertest.SamePartition(ours, theirs) {
				t.Errorf("the clusters are %v, those of the reference %v", ours, theirs)
			}
		})
	}
}

func TestFrequenciesOfCategoriesAreThoseOfTheRowsOfACluster(t *testing.T) {
	t.Parallel()
	path := absolute(t, "../../examples/heart.csv")
	header, lines := csvLines(t, path)
	for name, flags := range map[string][]string{
		"k-means":           {"-a", "kmeans"},
		"selected features": {"-a", "skfr", "--sparsity", "4"},
		"medians":           {"-a", "kmeans", "--loss", "l1"},
		"row weights":       {"-a", "kmeans", "--weight", "age"},
	} {
		if !clustertest.Campaign && name != "selected features" && name != "row weights" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := fitted(t, slices.Concat([]string{path, "--restarts", "2"}, heartFlags, flags)...)
			labels := show(t, d, "assignments")
			mass, count := map[int64]float64{}, map[string]float64{}
			for i, line := range lines {
				j, w := labels[i][1].(int64), 1.0
				if name == "row weights" {
					w = number(t, line[1])
				}
				mass[j] += w
				for c, category := range line {
					count[fmt.Sprint(j, " ", header[c], "=", category)] += w
				}
			}
			categories := 0
			most, modal := map[string]float64{}, map[string]float64{}
			for _, row := range show(t, d, "centers") { // cluster, feature, category, center, center_scaled, frequency, modal
				if row[2] == nil {
					if row[5] != nil || row[6] != nil {
						t.Errorf("a number has a frequency: %v", row)
					}
					continue
				}
				categories++
				frequency := row[5].(float64)
				if want := count[fmt.Sprint(row[0], " ", row[1], "=", row[2])] / mass[row[0].(int64)]; frequency != want {
					t.Errorf("%v: the frequency is %v, counted %v", row, frequency, want)
				}
				if center := row[3].(float64); (name == "k-means" || name == "row weights") && math.Abs(center-frequency) > 1e-12 {
					t.Errorf("%v: a mean of categories is not their frequency", row)
				}
				of := fmt.Sprint(row[0], row[1])
				most[of] = max(most[of], frequency)
				if row[6].(bool) {
					modal[of] += frequency
				}
			}
			if categories != 2*19 { // 2 + 4 + 2 + 3 + 2 + 3 + 3 categories in each cluster
				t.Errorf("%d rows for categories", categories)
			}
			equal(t, most, modal, "the modal category is not the most frequent one")
		})
	}
}

func TestPredictGivesTheFittedRowsTheirLabels(t *testing.T) {
	t.Parallel()
	heart := absolute(t, "../../examples/heart.csv")
	for name, flags := range map[string][]string{"kmeans": nil, "skfr": {"-a", "skfr", "--sparsity", "5"}} {
		if !clustertest.Campaign && name != "skfr" {
			continue
		}
		dir := t.TempDir()
		fit := []string{"fit", heart, "--restarts", "2", "--db", "out.duckdb", "--into", name, "-q"}
		succeed(t, dir, slices.Concat(fit, heartFlags, flags)...)
		// Categories arrive as another type, columns in another order.
		again := "SELECT 'ward 7' AS ward, * REPLACE (CAST(sex AS VARCHAR) AS sex, CAST(thal AS TINYINT) AS thal) FROM '" + heart +
			"' ORDER BY hash(id)"
		lines := lines(t, dir, "predict", name, again, "--id", "id", "--db", "out.duckdb", "-o", "csv")
		fitted := tableRows(t, opened(t, dir, "out.duckdb"), name, "assignments")
		if len(lines) != len(fitted)+1 || len(lines) < 270 {
			t.Fatalf("%d and %d lines", len(lines), len(fitted))
		}
		for i, row := range fitted {
			if want := fmt.Sprintf("%v,%v,", row["id"], row["cluster"]); !strings.HasPrefix(lines[i+1], want) {
				t.Errorf("%s: predicted %q, fitted %q", name, lines[i+1], want)
			}
		}
	}
}

// colours has a category, a number and a NULL.
const colours = "SELECT * FROM (VALUES (1, 'red', 1.0), (2, 'red', 2.0), (3, 'blue', 8.0), (4, 'blue', 9.0), (5, NULL, 9.5), (6, 'red', " +
	"1.5)) v(id, colour, x)"

func TestUnseenCategoriesAreTreatedAsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "fit", colours+" WHERE id < 5 OR id = 6", "--id", "id", "--categorical", "colour", "-k", "2", "--db", "out.duckdb",
		"--into", "ours", "-q")
	predict := func(unseen string, colours ...string) outcome {
		rows := fmt.Sprintf("SELECT i AS id, [%s][i] AS colour, 3.0 AS x FROM range(1, %d) t(i)", strings.Join(colours, ", "), len(colours)+1)
		return sqlcluster(t, dir, "predict", "ours", rows, "--db", "out.duckdb", "-o", "csv", "--unseen", unseen)
	}
	row := func(o outcome, n int) string { // without its number
		if o.code != 0 {
			t.Fatal(o.stderr)
		}
		_, cells, _ := strings.Cut(strings.Split(o.stdout, "\n")[n], ",")
		return cells
	}
	seen, all := map[string]string{}, []string{"'red'", "'blue'", "NULL"}
	o := predict("error", all...)
	for i, colour := range all {
		seen[colour] = row(o, i+1)
	}
	if seen["'red'"] == seen["'blue'"] || seen["NULL"] == seen["'red'"] || seen["NULL"] == seen["'blue'"] {
		t.Errorf("the category makes no difference: %v", seen)
	}
	if o := predict("error", "'mauve'"); o.code != 3 || !strings.Contains(o.stderr, "unseen-category") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if got := row(predict("ignore", "'mauve'"), 1); got != seen["NULL"] {
		t.Errorf("ignored: %s; want what a NULL gives: %s", got, seen["NULL"])
	}
	if got := row(predict("nearest", "'mauve'"), 1); got != seen["'red'"] { // 3 of 5 rows are red
		t.Errorf("nearest: %s; want what the most frequent one gives: %s", got, seen["'red'"])
	}
}

func TestANullCategoryMayBeACategoryOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "fit", colours, "--id", "id", "--categorical", "colour", "--null-category", "level", "-k", "2", "--db", "out.duckdb",
		"--into", "ours", "-q")
	d := opened(t, dir, "out.duckdb")
	for _, category := range []any{"red", "blue", "NULL"} {
		if got := columnOf(t, d, "ours", "features", "category"); !slices.Contains(got, category) {
			t.Errorf("there is no %v in %v", category, got)
		}
	}
	o := served(t, dir, "predict", "ours", colours, "--id", "id", "--db", "out.duckdb", "-o", "csv")
	predicted := strings.Split(strings.TrimSpace(o.stdout), "\n")[1:]
	for i, fitted := range tableRows(t, d, "ours", "assignments") {
		if want := fmt.Sprintf("%v,%v,", fitted["id"], fitted["cluster"]); !strings.HasPrefix(predicted[i], want) {
			t.Errorf("predicted %s, fitted %s", predicted[i], want)
		}
	}
}

func TestAStartMayBeTheCentersOfAnotherRun(t *testing.T) {
	t.Parallel()
	dir, heart := t.TempDir(), absolute(t, "../../examples/heart.csv")
	succeed(t, dir, slices.Concat([]string{"fit", heart, "--db", "out.duckdb", "--into", "one", "-q", "--restarts", "1"}, heartFlags)...)
	succeed(t, dir, slices.Concat([]string{"fit", heart, "--db", "out.duckdb", "--into", "two", "-q", "--start", "one_centers"},
		heartFlags)...)
	d := opened(t, dir, "out.duckdb")
	equal(t, tableRows(t, d, "one", "assignments"), tableRows(t, d, "two", "assignments"),
		"the labels of a fit that starts where another came to rest")
	if trace := len(tableRows(t, d, "two", "trace")); trace == 0 || trace > 2 {
		t.Errorf("it took %d iterations", trace)
	}
}

func TestGroupsOfFeaturesAreInTheResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	groups := "SELECT * FROM (VALUES ('x', 'shape', 2.5), ('colour', 'shape', NULL)) v(feature, feature_group, weight)"
	o := succeed(t, dir, "fit", colours+" WHERE id < 5", "--id", "id", "--categorical", "colour", "--groups", groups, "-k", "2", "--db",
		"out.duckdb", "--into", "ours")
	says(t, o.stderr, "note: kmeans does not select groups of features, so --groups does not change the clusters")
	checked := succeed(t, dir, "check", colours+" WHERE id < 5", "--id", "id", "--categorical", "colour", "--groups", groups, "-k", "2", "-o",
		"csv").stdout
	if strings.Count(checked, ",shape,2.5") != 3 {
		t.Errorf("check does not show the group's weight:\n%s", checked)
	}
	for run, relation := range map[string]string{
		"lighter": strings.Replace(groups, "2.5", "2", 1),
		"apart":   strings.Replace(groups, "'shape', NULL", "'colour', NULL", 1),
	} {
		succeed(t, dir, "fit", colours+" WHERE id < 5", "--id", "id", "--categorical", "colour", "--groups", relation,
			"-k", "2", "--db", "out.duckdb", "--into", run, "-q")
	}
	d := opened(t, dir, "out.duckdb")
	if got := columnOf(t, d, "ours", "features", "feature_group"); !slices.Equal(got, []any{"shape", "shape", "shape"}) {
		t.Errorf("not all three features are in the group: %v", got)
	}
	ids := map[any]bool{}
	for _, run := range []string{"ours", "lighter", "apart"} {
		ids[columnOf(t, d, run, "fit", "run_id")[0]] = true
	}
	if len(ids) != 3 {
		t.Errorf("runs with different groups have the same name: %v", ids)
	}
}

func TestMixedResultTablesAreTheSameForAnyThreadsRowOrderAndDriver(t *testing.T) {
	t.Parallel()
	const rows = 4096 + 500 // two blocks
	random := rand.New(rand.NewPCG(5, 6))
	lines := make([]string, rows)
	for i := range lines {
		c := random.IntN(3)
		null := []string{"", "odd", "even"}[min(2, random.IntN(20))]
		lines[i] = strings.Join([]string{strconv.Itoa(7 * i), fmt.Sprintf("%.3f", random.NormFloat64()+2*float64(c)),
			[]string{"red", "green", "blue"}[(c+random.IntN(5)/4)%3], null, strconv.Itoa(1 + random.IntN(3))}, ",")
	}
	shuffled := slices.Clone(lines)
	random.Shuffle(rows, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for name, algorithm := range map[string][]string{"kmeans": {"-a", "kmeans"}, "skfr": {"-a", "skfr", "--sparsity", "2", "--weight", "w"}} {
		if !clustertest.Campaign && name != "skfr" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var want map[string]string
			for i, how := range []struct {
				lines []string
				flags []string
			}{
				{lines, []string{"--threads", "1"}}, {shuffled, []string{"--threads", "2"}},
				{lines, []string{"--threads", "2"}}, {lines, []string{"--threads", "5"}}, {lines, []string{"--threads", "2", "--driver", "host"}},
			} {
				if !clustertest.Campaign && i > 1 {
					break // the core has the host's driver without categories
				}
				dir := t.TempDir()
				text := "id,x,colour,parity,w\n" + strings.Join(how.lines, "\n") + "\n"
				write(t, dir, "data.csv", text)
				served(t, dir, slices.Concat([]string{"fit", "data.csv", "--id", "id", "-k", "3", "--restarts", "2", "--categorical", "colour,parity",
					"--null-category", "level", "--db", "out.duckdb", "--into", "ours", "-q"}, algorithm, how.flags)...)
				got, _ := stored(t, filepath.Join(dir, "out.duckdb"))
				if want == nil {
					want = got
				}
				if len(want) != 6 {
					t.Fatalf("%d tables", len(want))
				}
				for table := range want {
					if want[table] != got[table] {
						t.Errorf("%v: the table %s differs: %s", how.flags, table, cmp.Diff(firstLines(want[table]), firstLines(got[table])))
					}
				}
			}
		})
	}
}
