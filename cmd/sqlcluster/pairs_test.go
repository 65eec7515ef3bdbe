package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/score"
)

// pairsReference holds runs of the reference, see its README.
const pairsReference = "../../plugins/pcskm/testdata/reference/"

func TestPCSKMByTheCommandFindsTheLabelsAndWeightsOfTheReference(t *testing.T) {
	for folder, init := range map[string]string{
		"fisheriris__both05__dkmpp": "dkm++", "ionosphere__both01__seeding": "seeding", "mwm_ttchst__none__robin": "robin",
		"digits389_d1__both05__maximin": "maximin", "mwm_ttscst__both10__dkmpp": "dkm++", "fisheriris__cl05__dkmpp": "dkm++",
	} {
		t.Run(folder, func(t *testing.T) {
			dir := absolute(t, pairsReference+folder)
			header, labels := csvLines(t, filepath.Join(dir, "labels.csv"))
			_, weights := csvLines(t, filepath.Join(dir, "weights.csv"))
			k := map[string]string{"fisheriris": "3", "ionosphere": "2", "mwm_ttchst": "3", "digits389_d1": "3", "mwm_ttscst": "3"}[strings.Split(folder, "__")[0]]
			pairs := fmt.Sprintf("SELECT a::BIGINT + 1 AS a, b::BIGINT + 1 AS b, 'must' AS kind FROM '%[1]s/must_link.csv' UNION ALL SELECT a::BIGINT + 1, b::BIGINT + 1, 'cannot' FROM '%[1]s/cannot_link.csv'", dir)
			args := []string{absolute(t, pairsReference+"_data/"+strings.Split(folder, "__")[0]+"/X.csv"), "-a", "pcskm", "-k", k, "--init", init,
				"--scale", "raw", "--box", "origin", "--duplicates", "add", "--empty", "fail"}
			if !strings.Contains(folder, "none") {
				args = append(args, "--pairs", pairs)
			}
			for at, name := range header[1 : len(header)-1] {
				bound := strings.TrimPrefix(name, "s=")
				db := fitted(t, append(args, "--l1-bound", bound)...)
				got := show(t, db, "assignments")
				if len(got) != len(labels) {
					t.Fatalf("%d labels, want %d", len(got), len(labels))
				}
				for i, line := range labels {
					if fmt.Sprint(got[i][1]) != line[at+1] {
						t.Fatalf("l1_bound %s: row %d is in cluster %v, and %s in the reference", bound, i+1, got[i][1], line[at+1])
					}
				}
				for l, f := range show(t, db, "features") {
					want, err := strconv.ParseFloat(weights[l][at+1], 64)
					if err != nil {
						t.Fatal(err)
					}
					if w := f[5].(float64); math.Abs(w-want) > 1e-4 {
						t.Errorf("l1_bound %s: the weight of %v is %v, and %v in the reference", bound, f[0], w, want)
					}
				}
			}
		})
	}
}

func TestViolationsAreThePairsThatTheClustersBreak(t *testing.T) {
	// Every row together with the one after it: three clusters must break some.
	pairs := "SELECT id AS a, id + 1 AS b, 'must' AS kind, 0.001 AS weight FROM '" + absolute(t, "../../examples/wine.csv") + "' WHERE id < 178"
	db := fitted(t, absolute(t, "../../examples/wine.csv"), "--id", "id", "--exclude", "class", "-a", "pckm", "-k", "3", "--pairs", pairs)
	cluster := map[string]string{}
	for _, row := range show(t, db, "assignments") {
		cluster[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
	}
	want := 0
	for id := 1; id < 178; id++ {
		if cluster[fmt.Sprint(id)] != cluster[fmt.Sprint(id+1)] {
			want++
		}
	}
	broken := show(t, db, "violations")
	if len(broken) != want || want == 0 || want == 177 {
		t.Errorf("%d violations instead of %d", len(broken), want)
	}
	for _, v := range broken {
		if cluster[fmt.Sprint(v[0])] == cluster[fmt.Sprint(v[1])] || v[2] != "must" || v[3] != 0.001 || !(v[4].(float64) > 0) {
			t.Errorf("violation %v of clusters %s and %s", v, cluster[fmt.Sprint(v[0])], cluster[fmt.Sprint(v[1])])
		}
	}
}

func TestScoresAreThoseOfTheClassesInTheColumn(t *testing.T) {
	dir, wine := t.TempDir(), absolute(t, "../../examples/wine.csv")
	succeed(t, dir, "fit", wine, "--id", "id", "--exclude", "class", "-k", "3", "--db", "out.duckdb", "--into", "keyed", "-q")
	succeed(t, dir, "fit", wine, "--exclude", "class,id", "-k", "3", "--db", "out.duckdb", "--into", "numbered", "-q")
	_, lines := csvLines(t, wine)
	for _, test := range []struct {
		what  string
		args  []string
		known func(i int) bool
	}{
		{"a number", []string{"keyed", "--truth", "class"}, func(int) bool { return true }},
		{"rows without a key", []string{"numbered", "--truth", "class"}, func(int) bool { return true }},
		{"text, NULL for some, in another order", []string{"keyed", "SELECT CASE WHEN id % 3 > 0 THEN 'class ' || class END AS c, * EXCLUDE (class) FROM '" + wine + "' ORDER BY id DESC", "--truth", "c"}, func(i int) bool { return (i+1)%3 > 0 }},
	} {
		t.Run(test.what, func(t *testing.T) {
			text := succeed(t, dir, append([]string{"score", "--db", "out.duckdb", "-o", "csv"}, test.args...)...).stdout
			got := map[string]string{}
			for _, line := range strings.Split(text, "\n") {
				if name, rest, ok := strings.Cut(line, ","); ok {
					got[name], _, _ = strings.Cut(rest, ",")
				}
			}
			assigned := succeed(t, dir, "show", test.args[0], "assignments", "--db", "out.duckdb", "-o", "csv").stdout
			var labels, classes []int32
			for i, line := range strings.Split(strings.TrimSpace(assigned), "\n")[1:] {
				label, err := strconv.Atoi(strings.Split(line, ",")[1])
				if err != nil {
					t.Fatal(err)
				}
				class, err := strconv.Atoi(lines[i][len(lines[i])-1])
				if err != nil {
					t.Fatal(err)
				}
				if !test.known(i) {
					class = -1
				}
				labels, classes = append(labels, int32(label)), append(classes, int32(class))
			}
			want := score.NewTable(classes, labels)
			for name, value := range map[string]float64{"pairwise_f": want.PairwiseF(), "ari": want.ARI(), "nmi_max": want.NMI(score.Max), "purity": want.Purity()} {
				if v, err := strconv.ParseFloat(got[name], 64); err != nil || math.Abs(v-value) > 1e-12 {
					t.Errorf("%s is %s instead of %v", name, got[name], value)
				}
			}
			if s, err := strconv.ParseFloat(got["silhouette"], 64); err != nil || !(s > 0.1 && s < 1) {
				t.Errorf("silhouette %s of three clear clusters", got["silhouette"])
			}
		})
	}
}
