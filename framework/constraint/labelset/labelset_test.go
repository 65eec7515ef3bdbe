package labelset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/labelset"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// rows shortens declarations of tests: "kind cluster feature lo hi", - for NULL.
func declared(t must.T, table framework.LabelTable, lines ...string) framework.LabelSet {
	var sets []framework.LabelSet
	var numbers [][]int
	for n, line := range lines {
		var kind, cluster, feature, lo, hi string
		must.Get(fmt.Sscan(line, &kind, &cluster, &feature, &lo, &hi))(t)
		r := framework.ConstraintRow{Kind: kind}
		if cluster != "-" {
			r.Cluster = new(int)
			must.Get(fmt.Sscan(cluster, r.Cluster))(t)
		}
		if feature != "-" {
			r.Feature = &feature
		}
		for text, to := range map[*string]**float64{&lo: &r.Lo, &hi: &r.Hi} {
			if *text != "-" {
				*to = new(float64)
				must.Get(fmt.Sscan(*text, *to))(t)
			}
		}
		sets = append(sets, must.Get(kindOf(t, kind).Make([]framework.ConstraintRow{r}, table))(t))
		numbers = append(numbers, []int{n})
	}
	return must.Get(labelset.Together(sets, numbers))(t)
}

func kindOf(t must.T, name string) framework.LabelKind {
	for _, k := range labelset.Kinds() {
		if k.Describe().Kind == name {
			return k
		}
	}
	t.Fatal("no kind ", name)
	return nil
}

// brute calls see for all labels in lexicographic order.
func brute(n, k int, see func(labels []int32)) {
	labels := make([]int32, n)
	for {
		see(labels)
		i := n - 1
		for ; i >= 0 && int(labels[i]) == k-1; i-- {
			labels[i] = 0
		}
		if i < 0 {
			return
		}
		labels[i]++
	}
}

// drawLines draws a declaration for the table of examples.
func drawLines(t *rapid.T, kinds []string) []string {
	var lines []string
	cluster := rapid.SampledFrom([]string{"-", "-", "0", "1", "2"})
	for range rapid.IntRange(1, 3).Draw(t, "rows") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		j := cluster.Draw(t, "cluster")
		switch kind {
		case "size":
			lo := rapid.IntRange(0, 4).Draw(t, "lo")
			lines = append(lines, fmt.Sprintf("size %s - %d %d", j, lo, lo+rapid.IntRange(0, 4).Draw(t, "room")))
		case "share":
			lines = append(lines, fmt.Sprintf("share %s - %g %g", j, rapid.SampledFrom([]float64{0, 0.1, 0.3, 1.0 / 3}).Draw(t, "lo"),
				rapid.SampledFrom([]float64{0.3, 0.4, 0.5, 1}).Draw(t, "hi")))
		case "unique_per":
			lines = append(lines, fmt.Sprintf("unique_per %s %s - %d", j, rapid.SampledFrom([]string{"f4", "f4", "f5", "f3"}).Draw(t, "column"),
				rapid.IntRange(1, 3).Draw(t, "hi")))
		case "capacity":
			lines = append(lines, fmt.Sprintf("capacity %s f2 %g %g", j, rapid.SampledFrom([]float64{0, 2.5, 4}).Draw(t, "lo"),
				rapid.SampledFrom([]float64{5, 5.5, 6, 9}).Draw(t, "hi")))
		case "balance":
			lines = append(lines, fmt.Sprintf("balance %s %s %g %g", j, rapid.SampledFrom([]string{"f3", "f4"}).Draw(t, "column"),
				rapid.SampledFrom([]float64{0, 0.2, 0.25}).Draw(t, "lo"), rapid.SampledFrom([]float64{0.5, 0.6, 0.75, 1}).Draw(t, "hi")))
		}
	}
	return lines
}

// drawCosts draws whole costs, or those of rows with weights. Some may be forbidden.
func drawCosts(t *rapid.T, n, k int) (at framework.LabelCosts, whole bool) {
	at = framework.LabelCosts{Costs: framework.NewMatrix(n, k)}
	seed := rapid.Uint64().Draw(t, "costs")
	whole = seed%3 > 0
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		weight := []float64{0, 0.3, 1, 7}[random.IntN(4)]
		for j := range k {
			v := &at.Costs.Row(i)[j]
			if *v = float64(random.IntN(6)); !whole {
				*v = (*v + random.Float64()) * weight
			}
			if seed%7 == 0 && random.IntN(5) == 0 {
				*v = math.Inf(1)
			}
		}
	}
	return at, whole
}

// judge compares a projection with all labels of the first n rows of the examples' table.
func judge(t *rapid.T, lines []string, n int) {
	table := framework.ExampleTable()
	table.N = n
	for i := range table.Columns {
		table.Columns[i].Numbers, table.Columns[i].Codes = table.Columns[i].Numbers[:n], table.Columns[i].Codes[:n]
	}
	set := declared(t, table, lines...)
	at, whole := drawCosts(t, table.N, table.K)
	var best []int32
	least, some := math.Inf(1), false
	brute(table.N, table.K, func(labels []int32) {
		if set.Violation(labels) > 0 {
			return
		}
		some = true
		if total := at.Total(labels); total < least {
			best, least = slices.Clone(labels), total
		}
	})
	feasible := set.Feasible(t.Context())
	if some != (feasible == nil) {
		t.Fatalf("there are labels: %v, and Feasible says %v", some, feasible)
	}
	labels := slices.Repeat([]int32{-1}, table.N)
	at.Prices = []float64{3}
	point, err := set.Project(t.Context(), labels, at)
	if best == nil {
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data || labels[0] != -1 {
			t.Fatalf("no labels obey, and Project returns %v and %v", labels, err)
		}
		return
	}
	must.Do(t, err)
	if rounding := 1e-9 * least; !whole && math.Abs(point.Cost-least) <= rounding && math.Abs(point.Bound-least) <= rounding &&
		set.Violation(labels) == 0 {
		return
	}
	must.Equal(t, best, labels)
	if point.Cost != least || point.Bound != least {
		t.Fatalf("cost %g, bound %g, want %g", point.Cost, point.Bound, least)
	}
	checkPrices(t, set, lines, at, labels, point)
}

// checkPrices solves again with a looser limit.
func checkPrices(t *rapid.T, set framework.LabelSet, lines []string, at framework.LabelCosts, labels []int32, point framework.LabelPoint) {
	for _, l := range set.Limits(labels, point.Prices) {
		if l.Price != l.Price || len(lines) > 1 || !strings.HasPrefix(lines[0], "size") {
			continue
		}
		saved := 0.0
		for _, by := range [][2]float64{{-1, 0}, {0, 1}} {
			least := math.Inf(1)
			brute(len(labels), 3, func(other []int32) {
				for _, o := range set.Limits(other, nil) {
					if o.Cluster == l.Cluster {
						o.Lo, o.Hi = o.Lo+by[0], o.Hi+by[1]
					}
					if o.Slack() < 0 {
						return
					}
				}
				least = min(least, at.Total(other))
			})
			saved = max(saved, point.Cost-least)
		}
		if l.Price != saved {
			t.Fatalf("the price of cluster %d is %g; one row more or fewer saves %g", l.Cluster, l.Price, saved)
		}
	}
}

func TestFlowsAreTheLowestLabelsOfLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		judge(t, drawLines(t, []string{"size", "share", "unique_per", "size"}), rapid.SampledFrom([]int{1, 2, 5, 6, 7, 7, 8}).Draw(t, "rows"))
	})
}

func TestFewRowsAreLabelledAsWellAsCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		judge(t, drawLines(t, []string{"size", "unique_per", "capacity", "balance", "capacity", "balance"}), 7)
	})
}

// table has n rows with columns: w, weights from 1 to 20; g, of three values; s, of values of three rows
// each.
func table(seed uint64, n, k int) framework.LabelTable {
	random := rand.New(rand.NewPCG(seed, 1))
	w, s := framework.LabelColumn{Name: "w"}, framework.LabelColumn{Name: "s"}
	g := framework.LabelColumn{Name: "g", Values: []string{"a", "b", "c"}}
	for i := range n {
		w.Numbers = append(w.Numbers, float64(1+random.IntN(200))/10)
		g.Codes = append(g.Codes, int32(min(random.IntN(4), 2)))
		s.Codes = append(s.Codes, int32(i/3))
		if i%3 == 0 {
			s.Values = append(s.Values, fmt.Sprint(i/3))
		}
	}
	return framework.LabelTable{N: n, K: k, Columns: []framework.LabelColumn{w, g, s}}
}

// blobs returns squared distances of points of the plane to k centers.
func blobs(seed uint64, n, k int) framework.LabelCosts {
	random := rand.New(rand.NewPCG(seed, 2))
	centers := make([][2]float64, k)
	for j := range centers {
		centers[j] = [2]float64{3 * random.NormFloat64(), 3 * random.NormFloat64()}
	}
	at := framework.LabelCosts{Costs: framework.NewMatrix(n, k), Threads: 2}
	for i := range n {
		c := centers[random.IntN(k)]
		x, y := c[0]+random.NormFloat64(), c[1]+random.NormFloat64()
		for j, o := range centers {
			at.Costs.Row(i)[j] = (x-o[0])*(x-o[0]) + (y-o[1])*(y-o[1])
		}
	}
	return at
}

func TestLabelsObeyAndTheGapIsReported(t *testing.T) {
	const n, k = 450, 5
	for name, lines := range map[string][]string{
		"capacity":          {"capacity - w - 925"},
		"two-sided":         {"capacity - w 850 925"},
		"balance":           {"balance - g 0.2 0.6"},
		"sizes too":         {"capacity - w - 950", "size - - 75 -"},
		"two columns":       {"unique_per - s - -", "unique_per - g - 55"},
		"unique and a load": {"unique_per - s - -", "capacity - w - 950"},
		"everything":        {"unique_per - s - -", "capacity - w - 975", "balance - g 0.15 0.6", "size - - 75 105"},
	} {
		for seed := range uint64(2) {
			set, at := declared(t, table(seed, n, k), lines...), blobs(seed, n, k)
			labels := slices.Repeat([]int32{-1}, n)
			point, err := set.Project(t.Context(), labels, at)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if v := set.Violation(labels); v != 0 {
				t.Errorf("%s: off by %g", name, v)
			}
			for _, l := range set.Limits(labels, nil) {
				if l.Slack() < 0 {
					t.Errorf("%s: %v", name, l)
				}
			}
			gap := (point.Cost - point.Bound) / point.Cost
			if gap < 0 || point.Cost != at.Total(labels) {
				t.Errorf("%s: cost %g below the bound %g", name, point.Cost, point.Bound)
			}
			t.Logf("%s: gap %.2g", name, gap)
			again := slices.Clone(labels)
			better := must.Get(set.Project(t.Context(), again, at))(t)
			if better.Cost > point.Cost {
				t.Errorf("%s: from labels that cost %g to %g", name, point.Cost, better.Cost)
			}
		}
	}
}

func TestContradictionsNameTheRowsThatAreNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"too many": {[]string{"size - - 4 -", "share - - - 0.9", "unique_per - f4 - -"}, []string{"size, each cluster: at least 4 rows"}},
		"two sizes": {[]string{"size 0 - 5 -", "size 1 - 5 -", "size 2 - - 3"},
			[]string{"size, cluster 0: at least 5 rows", "size, cluster 1: at least 5 rows"}},
		"unique": {[]string{"unique_per - f3 - 1", "size 2 - - 8", "size - - 1 -"},
			[]string{"unique_per, each cluster: at most 1 of one value of f3"}},
		"sizes and unique": {[]string{"size 0 - 4 -", "unique_per 0 f4 - 1", "size 1 - - 8"},
			[]string{"size, cluster 0: at least 4 rows", "unique_per, cluster 0: at most 1 of one value of f4"}},
	} {
		f := must.Fault(t, declared(t, framework.ExampleTable(), c.lines...).Feasible(t.Context()), "infeasible-labels")
		if !slices.Equal(f.Details, c.want) {
			t.Errorf("%s: %q", name, f.Details)
		}
	}
}

func TestSharesAreThoseOfTheDecimals(t *testing.T) {
	// 0.1 · 30 is 3.0000000000000004 and 0.07 · 100 is 7.000000000000001 in float64.
	for _, c := range []struct {
		n            int
		lo, hi       string
		want, wantHi float64
	}{{30, "0.1", "0.1", 3, 3}, {100, "0.07", "0.07", 7, 7}, {10, "0.31", "0.39", 4, 3}, {3, "0.3333333333333333", "1", 1, 3}} {
		set := declared(t, framework.LabelTable{N: c.n, K: 1}, fmt.Sprintf("share 0 - %s %s", c.lo, c.hi))
		l := set.Limits(make([]int32, c.n), nil)[0]
		if l.Lo != c.want || l.Hi != c.wantHi {
			t.Errorf("%s to %s of %d: %g to %g", c.lo, c.hi, c.n, l.Lo, l.Hi)
		}
	}
	// Three times 0.1 is 0.30000000000000004 in float64, and obeys 0.3.
	tenths := framework.LabelTable{N: 3, K: 1, Columns: []framework.LabelColumn{{Name: "w", Numbers: []float64{0.1, 0.1, 0.1}}}}
	must.Equal(t, 0.0, declared(t, tenths, "capacity - w 0.3 0.3").Violation(make([]int32, 3)))
}

func TestBadRowsAreRefused(t *testing.T) {
	one, minus, half := 1.0, -1.0, 0.5
	inf := math.Inf(1)
	feature, missing := "f1", "f9"
	for name, c := range map[string]struct {
		row  framework.ConstraintRow
		want string
	}{
		"size of nothing": {framework.ConstraintRow{Kind: "size"}, "needs lo or hi"},
		"half a row":      {framework.ConstraintRow{Kind: "size", Lo: &half}, "whole numbers"},
		"share":           {framework.ConstraintRow{Kind: "share", Lo: &minus}, "from 0 to 1"},
		"infinite lo":     {framework.ConstraintRow{Kind: "size", Lo: &inf}, "nothing obeys"},
		"no column":       {framework.ConstraintRow{Kind: "capacity", Hi: &one}, "needs a feature"},
		"another column":  {framework.ConstraintRow{Kind: "unique_per", Feature: &missing}, "not there"},
		"half of unique":  {framework.ConstraintRow{Kind: "unique_per", Feature: &feature, Hi: &half}, "whole number"},
		"balance":         {framework.ConstraintRow{Kind: "balance", Feature: &feature, Lo: &minus}, "from 0 to 1"},
	} {
		_, err := kindOf(t, c.row.Kind).Make([]framework.ConstraintRow{c.row}, framework.ExampleTable())
		if f := framework.AsFault(err); f == nil || !strings.Contains(f.Summary, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDescriptionsAreSound(t *testing.T) {
	for _, k := range labelset.Kinds() {
		must.Do(t, k.Describe().Check())
		for _, rows := range k.Describe().Examples() {
			set := must.Get(k.Make(rows, framework.ExampleTable()))(t)
			must.Do(t, set.Feasible(t.Context()))
			broken, random := 0.0, rand.New(rand.NewPCG(1, 1))
			for range 50 {
				labels := make([]int32, 9)
				for i := range labels {
					labels[i] = random.Int32N(framework.ExampleClusters)
				}
				broken = max(broken, set.Violation(labels))
			}
			must.Equal(t, true, broken > 0)
		}
	}
}

func TestACancelledProjectionEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"size - - 10 -", "capacity - w - 2500"} {
		labels := slices.Repeat([]int32{-1}, 900)
		_, err := declared(t, table(1, 900, 5), line).Project(ctx, labels, blobs(1, 900, 5))
		if !errors.Is(err, context.Canceled) || labels[0] != -1 {
			t.Error(line, err)
		}
	}
}
