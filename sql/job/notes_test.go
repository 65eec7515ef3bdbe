package job

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

func TestOneNoteNamesAllColumnsThatLookLikeKeys(t *testing.T) {
	unique, repeated := input.KeyLike{Name: "id", Unique: true, Named: true}, input.KeyLike{Name: "shop id", Named: true}
	number, second := input.KeyLike{Name: "column0", Unique: true}, input.KeyLike{Name: "uuid", Unique: true, Named: true}
	for name, c := range map[string]struct {
		like  []input.KeyLike
		named bool
		want  string
	}{
		"none": {nil, false, ""},
		"a key": {[]input.KeyLike{unique}, false, "column id looks like a key, and rows are clustered by it: id = id makes it the row key; " +
			"exclude = id leaves it out"},
		"a second": {[]input.KeyLike{unique}, true, "column id looks like a key, and rows are clustered by it: exclude = id leaves it out"},
		"no key": {[]input.KeyLike{repeated}, false, "column shop id looks like a key, and rows are clustered by it: exclude = shop id " +
			"leaves it out"},
		"several": {[]input.KeyLike{repeated, unique}, false,
			"columns shop id, id look like keys, and rows are clustered by them: id = id makes one the row key; exclude = shop id,id leaves them " +
				"out"},
		"the best name": {[]input.KeyLike{number, unique, second}, false,
			"columns column0, id, uuid look like keys, and rows are clustered by them: id = id makes one the row key; exclude = column0,id,uuid " +
				"leaves them out"},
		"names that are no plain items": {[]input.KeyLike{{Name: "makes it the a,b"}, {Name: "x*", Unique: true}}, false,
			"columns makes it the a,b, x* look like keys, and rows are clustered by them: id = x* makes one the row key; " +
				`exclude = "makes it the a,b","x*" leaves them out`},
	} {
		b := &Job{Table: &input.Table{KeyLike: c.like}}
		if c.named {
			b.Settings.ID = "key"
		}
		b.noteKeys()
		if got := framework.Say(strings.Join(b.Notes, "\n"), nil); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestClustersOfOneRowAreNamed(t *testing.T) {
	for want, sizes := range map[string][]int{
		"":                           {2, 0, 3},
		"cluster 1 has only one row": {2, 1},
		"2 clusters have only one row each: 3, 5":                                       {2, 2, 2, 1, 0, 1},
		"13 clusters have only one row each: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...": slices.Repeat([]int{1}, 13),
	} {
		var clusters []result.Cluster
		for j, n := range sizes {
			clusters = append(clusters, result.Cluster{Cluster: j, Size: n})
		}
		if got := singles(clusters); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestClustersThatAreCategoriesAreCalledSo(t *testing.T) {
	// Two columns: plan has three categories, in turns; size has two and is missing in row 0.
	features := []matrix.Feature{
		{Name: "x", Scale: 1},
		{Name: "plan=a", Source: "plan", Category: "a", Location: 0.5, Scale: 2}, {Name: "plan=b", Source: "plan", Category: "b", Scale: 1},
		{Name: "plan=c", Source: "plan", Category: "c", Scale: 1},
		{Name: "size=s", Source: "size", Category: "s", Scale: 1}, {Name: "size=t", Source: "size", Category: "t", Scale: 1},
	}
	const rows = 30
	x := framework.NewMatrix(rows, len(features))
	recipe := matrix.Recipe{Features: features}
	for i := range rows {
		row := x.Row(i)
		row[1+i%3], row[4+i%2] = 1, 1
		if i == 0 {
			row[4] = 0
		}
		for l := range row {
			row[l] = recipe.Fitted(l, row[l])
		}
	}
	b := &Job{Recipe: recipe, Data: matrix.FromMatrix(x, nil, 0), Problem: framework.Problem{N: rows}}
	defer b.Close()
	labels := func(of func(i int) int) []int32 {
		all := make([]int32, rows)
		for i := range all {
			all[i] = int32(of(i))
		}
		return all
	}
	for name, c := range map[string]struct {
		of   func(i int) int
		want string
	}{
		"the categories": {func(i int) int { return (i + 1) % 3 },
			"the clusters are just the categories of column plan; exclude = plan shows what the other columns tell"},
		"groups of them": {func(i int) int { return i % 3 / 2 },
			"each cluster is just some of the categories of column plan; exclude = plan shows what the other columns tell"},
		"all but one row": {func(i int) int { return i % 29 % 3 }, ""},
		"one cluster":     {func(int) int { return 1 }, ""},
		"a missing cell": {func(i int) int { return min(i, 1) * (1 + i%2) },
			"the clusters are just the categories of column size; exclude = size shows what the other columns tell"},
		"no cluster": {func(int) int { return -1 }, ""},
	} {
		if got := framework.Say(b.categoriesNote(&Fitted{Result: &fit.Result{Labels: labels(c.of)}}), nil); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
