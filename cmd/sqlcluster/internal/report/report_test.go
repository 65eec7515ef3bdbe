package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/report"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// hostile is the name of a column that a stranger has made.
const hostile = `<script>alert("x")</script>&amp;`

// model is that of k-means with two centers in a column and in one of categories.
var model = fmt.Sprintf(`{"format_version":1,"algorithm":"kmeans","params":{"loss":"l2","missing":"observed"},"k":2,
	"recipe":{"scaling":{"center":"mean","scale":"sd"},"features":[{"name":%q,"location":10,"scale":2}]},"centers":[[-1],[3]],
	"gain":[4],"round":3,"constraints":[{"kind":"box","feature":%[1]q,"lo":0}]}`, hostile)

// params are what every run here has.
const params = `{"k":{"value":2,"origin":"flag"},"algorithm":{"value":"kmeans","origin":"default"},
	"scale":{"value":"sd","origin":"default"},"center":{"value":"auto","origin":"default"},
	"pairs":{"value":"SELECT 1 AS a, 2 AS b, 'must' AS kind","origin":"flag"},
	"exclude":{"value":["a,b"],"origin":"flag"},"id":{"value":"id","origin":"flag"}}`

// fill creates a table of a run with rows that a query returns.
func fill(t must.T, db *store.DB, run, table, query string) {
	t.Helper()
	ctx := context.Background()
	must.Do(t, db.Exec(ctx, schema.DDL(table, "", run+"_"+table, "id", "BIGINT")))
	must.Do(t, db.Exec(ctx, fmt.Sprintf("INSERT INTO %s BY NAME %s", schema.Quote(run+"_"+table), query)))
}

// fit writes the row of a fit.
func fit(t must.T, db *store.DB, run, model, stop, source string) {
	t.Helper()
	fill(t, db, run, schema.Fit, fmt.Sprintf(`SELECT 'id' AS run_id, 'kmeans' AS algorithm, '1' AS version, %s AS params, 1 AS seed, 4 AS n,
		2 AS p, 2 AS k, 8.0 AS objective, 8.0 AS inertia, 3 AS iterations, true AS converged, %s AS stop_reason, %s AS source,
			'test' AS tool_version,
		nullif(%s, '') AS model`, schema.Text(params), schema.Text(stop), schema.Text(source), schema.Text(model)))
}

// broken ends all tests where there is none to end.
type broken struct{}

func (broken) Helper()           {}
func (broken) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// runs is a database with a fit, a path and a tuning, made by hand. Tests share it,
// since making it takes most of their time.
var runs = sync.OnceValue(func() *store.DB {
	var t broken
	db := must.Get(store.Open(context.Background(), "", store.ReadWrite))(t)
	h := schema.Text(hostile)
	fit(t, db, "made", model, "settled", `SELECT unnest([1,2,3,4]) AS id, unnest([8.0,8,7,16]) AS `+schema.Quote(hostile))
	fill(t, db, "made", schema.Clusters, "SELECT unnest([0,1]) AS cluster, unnest([3,1]) AS size, unnest([3.0,1]) AS weight, 1.0 AS inertia")
	fill(t, db, "made", schema.Features, fmt.Sprintf(`SELECT * FROM (VALUES (%s, NULL, 4.0, 10.0, 2.0), 
		('city', 'Rome', NULL, 0.4, 1.0), ('city', 'Oslo', NULL, 0.6, 1.0)) AS v(feature, category, gain, location, scale)`, h))
	fill(t, db, "made", schema.Centers, fmt.Sprintf(`SELECT * FROM (VALUES (0, %[1]s, NULL, 8.0, -1.0, NULL),
		(1, %[1]s, NULL, 16.0, 3.0, NULL), (0, 'city', 'Rome', 0.2, 0, 0.2), (1, 'city', 'Rome', 1.0, 0, 1.0), (0, 'city', 'Oslo', 0.8, 0,
			0.8), (1, 'city', 'Oslo', 0.0, 0, 0.0))
		AS v(cluster, feature, category, center, center_scaled, frequency)`, h))
	fill(t, db, "made", schema.Trace, `SELECT * FROM (VALUES (0, 1, 9.0), (0, 2, 8.0), (1, 1, 10.0)) AS v(restart, iteration, objective)`)
	fill(t, db, "made", schema.Assignments, "SELECT unnest([1,2,3,4]) AS id, unnest([0,0,0,1]) AS cluster")
	fill(t, db, "made", schema.Violations, "SELECT 1 AS a, 2 AS b, 'must' AS kind, NULL AS weight, 1.5 AS cost, false AS derived")

	fit(t, db, "way", "", "path", "FROM nowhere")
	fill(t, db, "way", schema.Path, `SELECT range AS point, 'lambda' AS parameter, range / 10 AS value, 'settled' AS status, true AS converged,
		3 - range AS selected, CASE range WHEN 2 THEN NULL ELSE 0.5 END AS explained_variance FROM range(3)`)
	fill(t, db, "way", schema.PathFeatures, fmt.Sprintf(`SELECT range AS point, %s AS feature, range < 2 AS selected,
		1.0 - range / 2 AS weight, 1.0 - range / 2 AS group_norm FROM range(3)`, h))

	fit(t, db, "tried", "", "tune", "FROM nowhere")
	fill(t, db, "tried", schema.Tune, `SELECT range AS point, unnest(['gap', 'davies-bouldin']) AS method, 2 + range % 3 AS k,
		'sparsity' AS parameter, 2 + range // 3 AS value, 'settled' AS status, true AS converged, 5 AS fits, nullif(range, 4) AS score,
			0.5 AS standard_error,
		range = 5 AS best, range = 3 AS one_se FROM range(6)`)
	fit(t, db, "kept", "", "path", "SELECT unnest([1,2,3,4]) AS id, unnest([1.0,1,3,3]) AS x, unnest(['a','b','b','b']) AS c")
	fill(t, db, "kept", schema.Path, `SELECT range AS point, 'sparsity' AS parameter, 3 - range AS value, 'settled' AS status,
		true AS converged, 3 - range AS selected, 0.5 - range * 0.04 AS explained_variance FROM range(3)`)
	fill(t, db, "kept", schema.PathFeatures, `SELECT range AS point, unnest(['x', 'c']) AS feature, unnest([NULL, 'b']) AS category,
		true AS selected FROM range(3)`)
	fill(t, db, "kept", schema.PathAssignments, "SELECT 1 AS point, unnest([1,2,3,4]) AS id, unnest([0,0,1,1]) AS cluster")

	fit(t, db, "sure", "", "stability", "FROM nowhere")
	fill(t, db, "sure", schema.Stability, "SELECT range AS cluster, 3 - range * 2 AS size, 0.9 - range / 2 AS jaccard FROM range(2)")
	fill(t, db, "sure", schema.StabilityFeatures, "SELECT 'x' AS feature, true AS selected, 0.5 AS frequency")
	fill(t, db, "sure", schema.StabilityDraws, "SELECT range AS draw, 3 AS rows, 'settled' AS status, true AS converged FROM range(7)")
	fit(t, db, "gone", model, "settled", "FROM nowhere")
	fit(t, db, "limited", strings.Replace(model, `[{"kind":"box"`, `[{"kind":"size","lo":1},{"kind":"box"`, 1), "settled", "FROM nowhere")
	fill(t, db, "limited", schema.Clusters, "SELECT unnest([0,1]) AS cluster, unnest([3,1]) AS size, unnest([3.0,1]) AS weight, 1.0 AS "+
		"inertia, "+
		"unnest(["+h+", NULL]) AS known_class")
	fill(t, db, "limited", schema.Limits, `SELECT * FROM (VALUES ('size', 0, NULL, 3.0, 1.0, NULL, 2.0, 0.0),
		('size', 1, NULL, 1.0, 1.0, NULL, 0.0, 2.5),
		('capacity', 0, `+h+`, 0.3, NULL, 0.4, 0.1, NULL)) AS v(kind, cluster, feature, amount, lo, hi, slack, price)`)
	return db
})

func options() report.Options {
	return report.Options{Library: registry.Read(registry.BuiltIns()...).Library(host.Options{}), Sample: 3}
}

// read reads the report of a run.
func read(t must.T, db *store.DB, o report.Options, name string) *report.Report {
	t.Helper()
	return must.Get(report.Read(context.Background(), db, name, o))(t)
}

// reports are those of the runs, read once.
var reports = sync.OnceValue(func() map[string]*report.Report {
	all := map[string]*report.Report{}
	for _, name := range []string{"made", "way", "tried", "kept", "sure", "limited"} {
		all[name] = read(broken{}, runs(), options(), name)
	}
	return all
})

func page(t must.T, all ...*report.Report) string {
	t.Helper()
	return string(must.Get(report.Page(all))(t))
}

func TestAPageLoadsNothingRunsNothingAndEscapesNames(t *testing.T) {
	text := page(t, reports()["made"], reports()["way"], reports()["tried"], reports()["sure"], reports()["limited"])
	for _, bad := range []string{"<script", "http:", "https:", "src=", "url(", "@import", "onload", "NaN", "Inf", "ZgotmplZ", hostile} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(text, "&lt;script&gt;alert") {
		t.Error("the name of the column is not there")
	}
}

func TestEveryPictureHasATitleADescriptionAndANameThatIsListed(t *testing.T) {
	for _, p := range reports() {
		var names []string
		for _, f := range p.Charts() {
			if f.Title == "" || f.Note == "" || !slices.Contains(report.ChartNames(), f.Name) || slices.Contains(names, f.Name) {
				t.Errorf("%s: %q, %q, %q", p.Name, f.Name, f.Title, f.Note)
			}
			names = append(names, f.Name)
			if err := json.Unmarshal(must.Get(f.Vega())(t), new(any)); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

func TestLimitsOfClustersAreListedThoseWithNoSlackFirst(t *testing.T) {
	for _, s := range reports()["limited"].Sections {
		if s.Title != "Constraints" {
			continue
		}
		must.Equal(t, "The clusters keep 3 limits. 1 of them has no slack: an amount cannot change in one direction.", s.Words[0])
		must.Equal(t, [][]string{{"box", hostile, "all", "0", "", "", ""}}, s.Tables[0].Rows) // the others are of clusters
		must.Equal(t, [][]string{
			{"1", "size", "", "", "1", "–", "1", "0", "2.5"},
			{"0", "size", "", "", "1", "–", "3", "2", "0"},
			{"0", "capacity", hostile, "", "–", "0.4", "0.3", "0.1", "–"},
		}, s.Tables[1].Rows)
		return
	}
	t.Error("there are no constraints")
}

func TestRowsAreShownWithTheirSilhouettes(t *testing.T) {
	var names []string
	for _, f := range reports()["made"].Charts() {
		names = append(names, f.Name)
	}
	must.Equal(t, []string{"sizes", "profile", "features", "rows", "silhouette", "pairs", "starts"}, names)
}

func TestTheSameTablesGiveTheSameBytes(t *testing.T) {
	must.Equal(t, page(t, reports()["made"]), page(t, reports()["made"]))
}

const (
	highAndLow = "High and low are means that are at least 0.5 standard deviations "
	noValue    = "A path recommends no value: it shows what each one would keep. sqlcluster tune chooses one, " +
		"where the algorithm has a score for it."
)

// Of the column, cluster 0 is 1 standard deviation below the mean of all rows and
// cluster 1 is 3 above. Rome has 0.2·3/4 + 1/4 = 40 % of the rows.
func TestClustersAreSaidInWords(t *testing.T) {
	name := `<script>alert("x")</script>&amp;`
	must.Equal(t, []string{
		"Cluster 0 (3 rows): " + name + " low.",
		"Cluster 1 (1 row): " + name + " very high, mostly city = Rome (100%, all rows 40%).",
		highAndLow + "away from that of all rows; very high and very low, at least 1.5.",
		"Only one of 2 starts has found these clusters: with more of them (--restarts 20), there may be better ones.",
	}, reports()["made"].Words)
}

func TestAPathAndATuningSayWhatTheyFound(t *testing.T) {
	must.Equal(t, []string{"The path has 3 values of lambda. The features that stay longest: " + hostile + ".",
		"Its clusters are not shown, since they were not kept. This keeps them: sqlcluster path 'FROM nowhere' --exclude '\"a,b\"' --id id " +
			"-k 2 " +
			"--pairs \"SELECT 1 AS a, 2 AS b, 'must' AS kind\" --db FILE --into way --assignments --replace", noValue}, reports()["way"].Words)
	must.Equal(t, []string{"By gap, the best of what was tried is k 4, sparsity 3 (5 ± 0.5). No other k is within one standard error of it.",
		"By davies-bouldin, which was asked for too and does not decide, the best is k 4, sparsity 3 (5 ± 0.5)."}, reports()["tried"].Words)
}

// At point 1, 0.46 of the variance is explained, which is more than 90 % of 0.5, and at
// point 2 less. The mean of x is 2 and its standard deviation 1.15; three rows of four
// are of category b.
func TestAPathThatHasKeptItsClustersSaysWhatTheyAre(t *testing.T) {
	must.Equal(t, []string{"The path has 3 values of sparsity. The features that stay longest: x, c = b.",
		"The clusters are those at sparsity 2, which has the fewest features (2) of those that explain at least 90% of what the best do.",
		noValue,
		"Cluster 0 (2 rows): x low.", "Cluster 1 (2 rows): x high, mostly c = b (100%, all rows 75%).",
		highAndLow + "of the centers away from that of all rows; very high and very low, at least 1.5."}, reports()["kept"].Words)
}

// The bounds are those of Hennig (2008), https://doi.org/10.1016/j.jmva.2007.07.002.
func TestAStabilitySaysWhichClustersToTrustAndHowItWasMade(t *testing.T) {
	sure := reports()["sure"]
	must.Equal(t, []string{"Cluster 0 (3 rows): very stable (mean Jaccard 0.9).", "Cluster 1 (1 row): do not trust it (mean Jaccard 0.4)."},
		sure.Words)
	made := sure.Sections[len(sure.Sections)-1].Words[1]
	if !strings.HasSuffix(made, "--into RUN\nsqlcluster stability RUN --draws 7 --resample bootstrap --db FILE --into sure") {
		t.Error(made)
	}
}

// titles lists the sections of a report.
func titles(p *report.Report) (all []string) {
	for _, s := range p.Sections {
		all = append(all, s.Title)
	}
	return all
}

func TestSectionsAreThoseOfTheTables(t *testing.T) {
	for run, want := range map[string][]string{
		"made":  {"Clusters", "Features", "Rows", "Constraints", "Fit", "How to reproduce"},
		"way":   {"Path", "How to reproduce"},
		"tried": {"Choice", "How to reproduce"},
		"kept":  {"Path", "Clusters", "How to reproduce"},
		"sure":  {"Stability", "How to reproduce"},
	} {
		must.Equal(t, want, titles(reports()[run]))
	}
}

func TestTheCommandOfARunIsThatWithWhichItWasMade(t *testing.T) {
	all := reports()["way"].Sections
	must.Equal(t, `$ sqlcluster path 'FROM nowhere' --exclude '"a,b"' --id id -k 2 --pairs "SELECT 1 AS a, 2 AS b, 'must' AS kind" `+
		`--db FILE --into way`,
		all[len(all)-1].Words[1])
}

func TestARelationThatCannotBeReadIsNoErrorAndSaid(t *testing.T) {
	db := runs()
	for sample, want := range map[int]string{0: "Rows are not shown, since the relation was not read.",
		3: `Rows are not shown, since they cannot be read now: `} {
		o := options()
		o.Sample = sample
		if text := page(t, read(t, db, o, "gone")); !strings.Contains(text, want) {
			t.Errorf("%d: %s", sample, regexp.MustCompile("Rows are[^<]*").FindString(text))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := report.Read(ctx, db, "gone", options()); err == nil {
		t.Error("a report that was cancelled is there")
	}
}

func TestManyClustersAndFeaturesAreBounded(t *testing.T) {
	db := must.Get(store.Open(t.Context(), "", store.ReadWrite))(t)
	defer db.Close()
	fit(t, db, "big", "", "settled", "FROM nowhere")
	fill(t, db, "big", schema.Clusters, "SELECT range AS cluster, range AS size, range AS weight FROM range(1000)")
	fill(t, db, "big", schema.Features, "SELECT 'f' || range AS feature, range AS gain, 0.0 AS location, 1.0 AS scale FROM range(5000)")
	fill(t, db, "big", schema.Centers, `SELECT c.range AS cluster, 'f' || f.range AS feature, sin(c.range + f.range) AS center,
		sin(c.range + f.range) AS center_scaled FROM range(1000) c, range(4980, 5000) f`)
	fill(t, db, "big", schema.Trace, "SELECT range AS restart, 1 AS iteration, 1.0 + range AS objective FROM range(2000)")
	big := read(t, db, options(), "big")
	text := page(t, big, big)
	for _, want := range []string{"20 of 1000 clusters are shown.", "20 of 5000 features are shown.", "20 of 1000 starts are shown.",
		`href="#run-1"`,
		"Fits side by side"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := len(text); n > 400_000 { // two reports of 20 clusters and features each
		t.Errorf("the page has %d bytes", n)
	}
}

func TestPairsAreCountedAsKeptAndBroken(t *testing.T) {
	text := page(t, reports()["made"])
	for _, want := range []string{"<title>must, kept: 0</title>", "<title>must, broken: 1</title>", "<title>cannot, kept: 0</title>",
		"Limits that all centers keep", "Broken pairs"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
