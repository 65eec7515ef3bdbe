package skfr_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// grouped is an algorithm whose problems have groups: of gives that of each of p
// columns, numbered in the order of their first columns.
type grouped struct {
	framework.Algorithm
	of func(p int) []int
}

func (g grouped) put(p framework.Problem) framework.Problem {
	p.Columns, p.Groups = slices.Clone(p.Columns), nil
	for l, of := range g.of(p.P) {
		p.Columns[l].Group = of
		for of >= len(p.Groups) {
			p.Groups = append(p.Groups, framework.Group{Weight: math.NaN()})
		}
	}
	return p
}

func (g grouped) New(p framework.Problem) (framework.Clusterer, error) {
	p = g.put(p)
	if err := p.CheckGroups(); err != nil {
		return nil, err
	}
	return g.Algorithm.New(p)
}

// everyOther puts columns 0, 2, 4, … into one group and the others into another.
func everyOther(p int) []int {
	group := make([]int, p)
	for l := range group {
		group[l] = l % 2
	}
	return group
}

// drawGroups draws the groups of p columns.
func drawGroups(t *rapid.T, p int) []int {
	group, n := make([]int, p), 0
	for l := range group {
		if group[l] = rapid.IntRange(0, n).Draw(t, "group"); group[l] == n {
			n++
		}
	}
	return group
}

// sparsities are the ways to select groups.
func sparsities() map[string]map[string]string {
	return map[string]map[string]string{
		"global":          {},
		"global/observed": {"missing": "observed"},
		"global/kpod":     {"missing": "kpod"},
		"global/l1":       {"loss": "l1", "missing": "observed"},
		"local":           {"scope": "local"},
		"local/observed":  {"scope": "local", "missing": "observed"},
		"local/l1":        {"scope": "local", "loss": "l1", "missing": "observed"},
	}
}

// eachSparsity checks a law for the ways to select groups.
func eachSparsity(t *testing.T, law func(t *rapid.T, params map[string]string)) {
	for name, params := range sparsities() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, params) })
		})
	}
}

// with returns the parameters and one more.
func with(params map[string]string, name, value string) map[string]string {
	all := maps.Clone(params)
	all[name] = value
	return all
}

func TestGroupsOfOneFeatureChangeNoBits(t *testing.T) {
	alone := func(p int) []int {
		group := make([]int, p)
		for l := range group {
			group[l] = l
		}
		return group
	}
	eachSparsity(t, func(t *rapid.T, params map[string]string) {
		b := drawBlocks(t, 12, 3, params["missing"] != "")
		start := drawLabels(t, 12, 3)
		params = with(params, "sparsity", "2")
		single := b.run(t, skfr.SKFR{}, 3, params, start, nil)
		groups := b.run(t, grouped{skfr.SKFR{}, alone}, 3, params, start, nil)
		must.Equal(t, single.Result, groups.Result, same)
	})
}

func TestFeaturesOfZerosInTheGroupsChangeNoBits(t *testing.T) {
	// Of the columns a, 0, b, 0, c, 0 the groups are a and 0, b and 0, c and 0:
	// what is selected of groups is what is selected of a, b and c.
	eachSparsity(t, func(t *rapid.T, params map[string]string) {
		b := drawBlocks(t, 12, 3, params["missing"] != "")
		start := drawLabels(t, 12, 3)
		params = with(params, "sparsity", "2")
		wide := b
		wide.X = framework.NewMatrix(b.X.Rows, 6)
		for i, v := range b.X.Data {
			wide.X.Data[2*i] = v
		}
		want := b.run(t, skfr.SKFR{}, 3, params, start, nil)
		got := wide.run(t, grouped{skfr.SKFR{}, func(int) []int { return []int{0, 0, 1, 1, 2, 2} }}, 3, params, start, nil)
		must.Equal(t, want.Labels, got.Labels)
		must.Equal(t, want.Trace, got.Trace, cmpopts.IgnoreFields(fit.Iteration{}, "Selected"))
		for i, v := range want.Model.Centers.Data {
			if got.Model.Centers.Data[2*i] != v {
				t.Fatalf("centers %v, and %v with features of zeros", want.Model.Centers.Data, got.Model.Centers.Data)
			}
		}
		for i, v := range want.Model.Selected {
			if got.Model.Selected[2*i] != v || got.Model.Selected[2*i+1] != v {
				t.Fatalf("%v are selected, and %v with features of zeros", want.Model.Selected, got.Model.Selected)
			}
		}
	})
}

func TestAllGroupsOnCompleteDataIsKMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k, p := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k"), rapid.IntRange(2, 5).Draw(t, "p")
		b := drawBlocks(t, n, p, false)
		start := drawLabels(t, n, k)
		plain := b.run(t, skfr.KMeans{}, k, nil, start, nil)
		for _, scope := range []string{"global", "local"} {
			all := b.run(t, grouped{skfr.SKFR{}, everyOther}, k, map[string]string{"sparsity": "2", "scope": scope}, start, nil)
			if diff := cmp.Diff(plain.Labels, all.Labels); diff != "" || !cmp.Equal(plain.Model.Centers, all.Model.Centers) {
				t.Fatalf("scope=%s: labels %s, centers %v and %v", scope, diff, plain.Model.Centers, all.Model.Centers)
			}
		}
	})
}

func TestGroupsChangeNoBitsOfKMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t, 12, 4, true)
		start := drawLabels(t, 12, 3)
		plain := b.run(t, skfr.KMeans{}, 3, nil, start, nil)
		groups := b.run(t, grouped{skfr.KMeans{}, everyOther}, 3, nil, start, nil)
		must.Equal(t, plain.Result, groups.Result, same)
		features := func(f clustertest.Fitted) []framework.Feature {
			return f.Clusterer.(framework.Selector).Features(f.Model)
		}
		must.Equal(t, features(plain), features(groups), cmpopts.EquateNaNs())
	})
}

func TestTheOrderOfGroupsChangesNoPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, p, k = 20, 6, 3
		group, order := drawGroups(t, p), rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "order")
		b, start := drawBlocks(t, n, p, false), drawLabels(t, n, k)
		noise := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range b.X.Data {
			b.X.Data[i] += noise.Float64() - 0.5 // there are no ties
		}
		other, renamed, number := b, make([]int, p), map[int]int{}
		other.X = framework.NewMatrix(n, p)
		for l, from := range order {
			if _, seen := number[group[from]]; !seen {
				number[group[from]] = len(number)
			}
			renamed[l] = number[group[from]]
			for i := range n {
				other.X.Row(i)[l] = b.X.Row(i)[from]
			}
		}
		for _, scope := range []string{"global", "local"} {
			params := map[string]string{"sparsity": "1", "scope": scope}
			want := b.run(t, grouped{skfr.SKFR{}, func(int) []int { return group }}, k, params, start, nil)
			got := other.run(t, grouped{skfr.SKFR{}, func(int) []int { return renamed }}, k, params, start, nil)
			if diff := cmp.Diff(want.Labels, got.Labels); diff != "" {
				t.Fatalf("scope=%s, groups %v and %v: %s", scope, group, renamed, diff)
			}
			for i, s := range got.Model.Selected {
				if s != want.Model.Selected[i/p*p+order[i%p]] {
					t.Fatalf("scope=%s: %v are selected, and %v in the order %v", scope, want.Model.Selected, got.Model.Selected, order)
				}
			}
		}
	})
}

func TestADeclaredSparsityOfGroupsIsThatOfTheAlgorithm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t, 12, 3, false)
		start := drawLabels(t, 12, 3)
		v := variants()["groups"]
		asked := b.run(t, v.algorithm, 3, v.params, start, nil)
		plain := variant{algorithm: grouped{skfr.KMeans{}, everyOther}, empty: framework.Origin}
		declared := must.Get(b.restricted(t, plain, 3, []framework.ConstraintRow{row("sparsity", "", "", null, null, null, 1)}, start))(t)
		if diff := cmp.Diff(asked.Labels, declared.Labels); diff != "" || !cmp.Equal(asked.Model.Centers, declared.Model.Centers) {
			t.Errorf("labels %s, centers %v and %v", diff, asked.Model.Centers, declared.Model.Centers)
		}
	})
}

func TestGroupsAreRankedByTheSumOfTheirGains(t *testing.T) {
	b := blocks{clustertest.Rows{Size: 2, X: framework.Matrix{Rows: 4, Cols: 4, Data: []float64{
		2, 3, 2, 0,
		2, 3, 2, 0,
		-2, -3, -2, 0,
		-2, -3, -2, 0,
	}}}}
	start := fit.Start{Labels: []int32{0, 0, 1, 1}}
	res := b.run(t, grouped{skfr.SKFR{}, func(int) []int { return []int{0, 1, 0, 1} }}, 2, map[string]string{"sparsity": "2"}, start, nil)
	first := b.run(t, grouped{skfr.SKFR{}, func(int) []int { return []int{0, 1, 0, 2} }}, 2, map[string]string{"sparsity": "1"}, start, nil)
	// Gains by hand: 4·2², 4·3², 4·2², 0. Groups {0, 2} and {1, 3} have 32 and 36,
	// groups {0, 2}, {1} and {3} have 32, 36 and 0.
	want := []framework.Feature{
		{Column: 0, Cluster: -1, Gain: 16, Rank: 3, Weight: math.NaN(), Selected: true},
		{Column: 1, Cluster: -1, Gain: 36, Rank: 1, Weight: math.NaN(), Selected: true},
		{Column: 2, Cluster: -1, Gain: 16, Rank: 4, Weight: math.NaN(), Selected: true},
		{Column: 3, Cluster: -1, Gain: 0, Rank: 2, Weight: math.NaN(), Selected: true},
	}
	must.Equal(t, want, res.Clusterer.(framework.Selector).Features(res.Model), cmpopts.EquateNaNs())
	for l, rank := range []int{2, 1, 3, 4} {
		want[l].Rank, want[l].Selected = rank, l == 1
	}
	must.Equal(t, want, first.Clusterer.(framework.Selector).Features(first.Model), cmpopts.EquateNaNs())
}

func TestAPathOfGroupsGoesFromAllOfThemToOne(t *testing.T) {
	b := blocks{clustertest.Rows{Size: 2, X: framework.NewMatrix(4, 9)}}
	res := b.run(t, grouped{skfr.SKFR{}, func(int) []int { return []int{0, 0, 1, 2, 2, 3, 4, 5, 5} }}, 2,
		map[string]string{"sparsity": "6"}, fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
	grid := res.Clusterer.(framework.Pather).Grid
	// 6 groups: 6^(1 − i/3) is 6, 3.3, 1.8, 1.
	for n, want := range map[int][]float64{20: {6, 5, 4, 3, 2, 1}, 4: {6, 3, 2, 1}} {
		if diff := cmp.Diff(want, grid(res.Model, n)); diff != "" {
			t.Errorf("%d points: %s", n, diff)
		}
	}
}

func TestASparsityAboveTheGroupsIsRefused(t *testing.T) {
	values := must.Get(skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": "3"}))(t)
	_, err := grouped{skfr.SKFR{}, everyOther}.New(framework.Problem{N: 5, P: 4, K: 2, Columns: make([]framework.Column, 4), Params: values})
	want := framework.Faultf(framework.Data, "sparsity-out-of-range",
		"sparsity is 3, but there are 2 groups of features").At("sparsity").WithHint("choose a sparsity from 1 to 2")
	must.Equal(t, want, err)
}
