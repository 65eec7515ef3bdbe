package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// TestWeightsOfSKMDoNotDependOnTheUnitOfTheRelation is what sparcl does not meet,
// whose bisection has absolute tolerances.
func TestWeightsOfSKMDoNotDependOnTheUnitOfTheRelation(t *testing.T) {
	t.Parallel()
	wine := rowsOf(t, absolute(t, "../../examples/wine.csv"))
	bounds := []string{"1.3"} // with one weight, some and nearly all in a campaign
	if clustertest.Campaign {
		bounds = []string{"1", "1.3", "2.5"}
	}
	for _, bound := range bounds {
		var want map[string]float64
		for _, unit := range []string{"1", "1e-4", "1e6"} {
			// Columns of standard deviation 0.3 to 3, so that several have a weight.
			relation := fmt.Sprintf("SELECT id, %[1]s * alcohol AS alcohol, %[1]s * flavanoids AS flavanoids, %[1]s * od280_od315 AS od, "+
				"%[1]s * malic_acid AS acid, %[1]s * proline / 100 AS proline, %[1]s * color_intensity AS color, %[1]s * ash AS ash %[2]s", unit, wine)
			got := fitAndRead(t, relation, "--id", "id", "-k", "3", "-a", "skm", "--l1-bound", bound, "--scale", "none", "--seed", "1")
			if want == nil {
				want = got.weight
				continue
			}
			if diff := cmp.Diff(want, got.weight, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("l1_bound %s, data × %s: %s", bound, unit, diff)
			}
		}
	}
}

// TestTheCommandOfTheDocumentsGivesTable1OfThePaper compares with Chavent et al.
// (2020): columns by the norms of their weights, and means and frequencies. Three
// of the published numbers are cut off instead of rounded (1.85, 16.4, 1.03).
func TestTheCommandOfTheDocumentsGivesTable1OfThePaper(t *testing.T) {
	t.Parallel()
	d := fitted(t, absolute(t, "../../examples/heart.csv"), "--id", "id", "--exclude", "HD", "--categorical",
		"sex,cp,fbs,restecg,exang,slope,thal",
		"-a", "groupskm", "-k", "2", "--lambda", "0.0527", "--seed", "1", "--init-space", "raw")
	features := records(t, d, "features")
	slices.SortStableFunc(features, func(a, b map[string]any) int { return int(a["rank"].(int64) - b["rank"].(int64)) })
	var order []string
	for _, f := range features {
		if name := f["feature"].(string); f["selected"].(bool) && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	equal(t, []string{"maxhr", "oldpeak", "slope", "exang", "age", "numv"}, order, "the columns by rank")
	sizes := records(t, d, "clusters")
	second := int64(0) // the cluster of 164, which the paper has second
	if sizes[1]["size"] == int64(164) {
		second = 1
	}
	if sizes[second]["size"] != int64(164) || sizes[1-second]["size"] != int64(106) {
		t.Errorf("clusters %v", sizes)
	}
	published := map[string][2]float64{
		"maxhr": {127.1, 164.2}, "oldpeak": {1.85, 0.53}, "age": {58.2, 52.0}, "numv": {1.03, 0.43},
		"slope=1": {15.1, 69.5}, "slope=2": {73.6, 26.8}, "slope=3": {11.3, 3.7}, "exang=0": {41.5, 83.5}, "exang=1": {58.5, 16.4},
	}
	compared := 0
	for _, c := range records(t, d, "centers") {
		name, value := c["feature"].(string), c["center"].(float64)
		if c["category"] != nil {
			name, value = name+"="+c["category"].(string), 100*c["frequency"].(float64)
		}
		want, there := published[name]
		if !there {
			continue
		}
		compared++
		w, unit := want[0], 0.1
		if c["cluster"] == second {
			w = want[1]
		}
		if name == "oldpeak" || name == "numv" {
			unit = 0.01
		}
		if !(math.Abs(value-w) <= unit/2+1e-9 || value >= w && value < w+unit) {
			t.Errorf("%s of cluster %v: %v, published %v", name, c["cluster"], value, w)
		}
	}
	if compared != 18 {
		t.Errorf("%d numbers were compared, want 18", compared)
	}
}

func TestClustersWithoutRowsAreToldWithWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// Of the two columns the one of two values is selected: 2 of 5 clusters.
	halves := "SELECT i AS id, i % 9 AS x, 1000 * (i % 2) AS half FROM range(60) t(i)"
	for want, flags := range map[string][]string{
		"note: 3 of 5 clusters have no rows: most likely there are fewer different rows, in the selected features, than clusters; choose a " +
			"smaller k, or select more features\n": {"-a", "skm", "--l1-bound", "1", "--scale", "none"},
		"note: 3 of 5 clusters have no rows; choose a smaller k, or give them rows with --empty reseed\n": {"-a", "skfr", "--sparsity", "1",
			"--scale", "none",
			"--start", "SELECT i AS id, i % 2 AS cluster FROM range(60) t(i)"},
		"": {"-a", "kmeans"},
	} {
		if o := succeed(t, dir, append([]string{"fit", halves, "--id", "id", "-k", "5"}, flags...)...); !strings.HasPrefix(o.stderr, want) ||
			want == "" && strings.Contains(o.stderr, "no rows") {
			t.Errorf("%v: %s", flags, o.stderr)
		}
	}
}

// TestInputThatIsHardForWeights ends in an error that names the cause, or in a
// result without NaN.
func TestInputThatIsHardForWeights(t *testing.T) {
	t.Parallel()
	const wine = "(SELECT i AS id, i // 60 + i % 7 / 10 AS alcohol, i * i % 13 AS ash, 9 - i // 60 + i % 5 / 10 AS flavanoids, i // 60 AS " +
		"class FROM range(1, 179) t(i))"
	skm := []string{"-a", "skm", "--l1-bound", "1.2", "-k", "3"}
	group := []string{"-a", "groupskm", "--lambda", "0.1", "-k", "3"}
	cases := map[string]struct {
		relation string
		flags    []string
		want     string // the error; empty: a fit
	}{
		"negative lambda": {"FROM " + wine, []string{"--exclude", "class", "-a", "groupskm", "--lambda", "-1", "-k", "3"},
			"error[bad-parameter]: lambda is \"-1\"; it must be at least 0\n  where: --lambda\n"},
		"weights of groups that have none": {"FROM " + wine, []string{"--exclude", "class", "-a", "groupskm", "--lambda", "1", "--group-penalty",
			"weights", "-k", "3"},
			"error[group-weight-missing]: group_penalty is weights, but no group has a weight\n  where: --group-penalty\n  hint:  give a weight " +
				"with every group of --groups, or use --group-penalty sqrt_size\n"},
		"a group of constants": {fmt.Sprintf("SELECT id, alcohol, ash, flavanoids, 1 AS one, 2 AS two FROM %s", wine),
			append([]string{"--groups", "SELECT unnest(['one', 'two']) AS feature, 'same' AS feature_group"}, group...), ""},
		"a category of one level": {fmt.Sprintf("SELECT id, alcohol, ash, 'x' AS kind FROM %s", wine), group, ""},
		"fewer rows in selected columns than k": {fmt.Sprintf("SELECT id, alcohol, (id > 90)::DOUBLE AS half, (id > 90)::DOUBLE * 2 AS again "+
			"FROM %s", wine), append([]string{"--scale", "raw"}, skm...), ""},
		"fewer levels in selected columns than k": {fmt.Sprintf("SELECT id, ash, CASE WHEN id > 90 THEN 'a' ELSE 'b' END AS kind, id > 90 AS "+
			"flag FROM %s", wine), append([]string{"--seed", "2"}, group...), ""},
		"cells of 1e100": {fmt.Sprintf("SELECT id, alcohol * 1e100 AS alcohol, ash * 1e100 AS ash FROM %s", wine),
			append([]string{"--scale", "raw"}, skm...), ""},
		"a column without a cell": {fmt.Sprintf("SELECT id, alcohol, ash, NULL::DOUBLE AS nothing FROM %s", wine), skm, ""},
		"a single column": {fmt.Sprintf("SELECT id, alcohol FROM %s", wine),
			[]string{"-a", "skm", "--l1-bound", "1", "-k", "3"}, ""},
	}
	// Outside a campaign these are left out: the others have all that they have.
	like := []string{"a category of one level", "fewer levels in selected columns than k", "a single column"}
	for name, c := range cases {
		if !clustertest.Campaign && slices.Contains(like, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			args := append([]string{c.relation, "--id", "id"}, c.flags...)
			if c.want != "" {
				if o := sqlcluster(t, t.TempDir(), append([]string{"fit"}, args...)...); o.code == 0 || o.stderr != c.want {
					t.Errorf("exit code %d, %q, want %q", o.code, o.stderr, c.want)
				}
				return
			}
			d := fitted(t, args...)
			run := records(t, d, "fit")[0]
			var squares float64
			for _, f := range records(t, d, "features") {
				w, there := f["weight"].(float64)
				if gain, known := f["gain"].(float64); !there || !known || gain < 0 {
					t.Errorf("feature %v has weight %v and gain %v", f["feature"], f["weight"], f["gain"])
				}
				squares += w * w
			}
			if math.Abs(squares-1) > 1e-9 || run["converged"] != true {
				t.Errorf("‖w‖² = %v, stop %v", squares, run["stop_reason"])
			}
		})
	}
}
