package main

import (
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// groupsOf returns the groups of the rows of a table of features that are
// selected. A group of which a part is selected fails the test.
func groupsOf(t *testing.T, features []map[string]any) []string {
	t.Helper()
	selected, size := map[string]int{}, map[string]int{}
	for _, f := range features {
		group := f["feature_group"].(string)
		if size[group]++; f["selected"].(bool) {
			selected[group]++
		}
	}
	var groups []string
	for group, n := range selected {
		if groups = append(groups, group); n != size[group] {
			t.Errorf("%d of %d features of %s are selected", n, size[group], group)
		}
	}
	slices.Sort(groups)
	return groups
}

func TestSkfrSelectsWholeGroups(t *testing.T) {
	t.Parallel()
	heart := absolute(t, "../../examples/heart.csv")
	signs := "SELECT unnest(['age', 'chol', 'cp']) AS feature, 'signs' AS feature_group"
	for name, flags := range map[string][]string{
		"global":  nil,
		"local":   {"--scope", "local"},
		"medians": {"--loss", "l1"},
		"limits":  {"--constraints", "SELECT 'box' AS kind, 'maxhr' AS feature, 140 AS lo, 160 AS hi"},
		"named":   {"--groups", signs, "--constraints", "SELECT 'box' AS kind, 'chol' AS feature, 260 AS lo"},
	} {
		if !clustertest.Campaign && name != "local" && name != "named" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := fitted(t, slices.Concat([]string{heart, "--restarts", "2", "-a", "skfr", "--sparsity", "4"}, heartFlags, flags)...)
			byCluster := map[any][]map[string]any{}
			for _, f := range records(t, d, "features") {
				byCluster[f["cluster"]] = append(byCluster[f["cluster"]], f)
			}
			for cluster, features := range byCluster {
				groups := groupsOf(t, features)
				if len(groups) != 4 {
					t.Errorf("cluster %v: %v are selected", cluster, groups)
				}
				if name == "named" && !slices.Contains(groups, "signs") { // the limit excludes the mean of chol, 249.7
					t.Errorf("%v are selected, without the group that has a limit", groups)
				}
			}
			if want := map[bool]int{true: 2, false: 1}[name == "local"]; len(byCluster) != want {
				t.Errorf("features of %d clusters", len(byCluster))
			}
		})
	}
}

func TestADeclaredSparsitySelectsTheGroupsThatSkfrDoes(t *testing.T) {
	t.Parallel()
	heart := absolute(t, "../../examples/heart.csv")
	declared := fitted(t, slices.Concat([]string{heart, "--restarts", "2", "-a", "kmeans", "--empty", "origin", "--constraints",
		"SELECT 'sparsity' AS kind, 5 AS value"}, heartFlags)...)
	asked := fitted(t, slices.Concat([]string{heart, "--restarts", "2", "-a", "skfr", "--sparsity", "5"}, heartFlags)...)
	for _, table := range []string{"assignments", "features"} {
		equal(t, records(t, asked, table), records(t, declared, table), "%s", table)
	}
	if groups := groupsOf(t, records(t, asked, "features")); len(groups) != 5 {
		t.Errorf("%v are selected", groups)
	}
}

func TestAPathOverGroupsHasAPointForEachNumberOfThem(t *testing.T) {
	t.Parallel()
	dir, heart := t.TempDir(), absolute(t, "../../examples/heart.csv")
	succeed(t, dir, slices.Concat([]string{"path", heart, "-a", "skfr", "--restarts", "1", "--db", "out.duckdb", "--into", "ours", "-q"},
		heartFlags)...)
	d := opened(t, dir, "out.duckdb")
	points := tableRows(t, d, "ours", "path")
	if len(points) != 13 { // columns
		t.Errorf("%d points", len(points))
	}
	of := make([][]map[string]any, len(points))
	for _, f := range tableRows(t, d, "ours", "path_features") {
		i := f["point"].(int64)
		of[i] = append(of[i], f)
	}
	for i, point := range points {
		if groups := groupsOf(t, of[i]); point["value"] != float64(13-i) || len(groups) != 13-i {
			t.Errorf("sparsity %v selects %v", point["value"], groups)
		}
	}
	if o := sqlcluster(t, dir, slices.Concat([]string{"fit", heart, "-a", "skfr", "--sparsity", "14"}, heartFlags)...); o.code == 0 {
		t.Error("14 of 13 groups can be selected")
	}
}
