package links_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// draw draws links of n rows, of which some are hard.
func draw(t *rapid.T, n, most int) []framework.Link {
	var all []framework.Link
	for range rapid.IntRange(0, most).Draw(t, "links") {
		l := framework.Link{
			A: rapid.Int32Range(0, int32(n-1)).Draw(t, "a"), B: rapid.Int32Range(0, int32(n-1)).Draw(t, "b"),
			Cannot: rapid.IntRange(0, 2).Draw(t, "kind") > 0, Weight: rapid.SampledFrom([]float64{1, 2, math.Inf(1), math.Inf(1)}).Draw(t, "weight"),
		}
		if l.A != l.B {
			all = append(all, l)
		}
	}
	return all
}

// keepable tries all k^n labels.
func keepable(all []framework.Link, n, k int) bool {
	labels := make([]int32, n)
	for {
		if !slices.ContainsFunc(all, func(l framework.Link) bool { return l.Hard() && l.Broken(labels) }) {
			return true
		}
		at := 0
		for at < n && int(labels[at]) == k-1 {
			labels[at] = 0
			at++
		}
		if at == n {
			return false
		}
		labels[at]++
	}
}

func TestFeasibleAgreesWithTryingAllLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 7).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		all := draw(t, n, 14)
		g, clusters, answer := links.Feasible(all, n, k)
		if want := keepable(all, n, k); want != (answer == links.Yes) || answer == links.Undecided {
			t.Fatalf("answer %d; all labels tried: %v", answer, want)
		}
		if answer == links.Yes {
			kept(t, all, g, clusters, k)
		}
	})
}

// kept checks that clusters of units keep all hard links.
func kept(t *rapid.T, all []framework.Link, g *links.Graph, clusters []int32, k int) {
	t.Helper()
	labels := make([]int32, len(g.Of))
	for i, u := range g.Of {
		if u >= 0 {
			labels[i] = clusters[u]
		}
		if labels[i] < 0 || int(labels[i]) >= k {
			t.Fatalf("row %d has label %d", i, labels[i])
		}
	}
	for _, l := range all {
		if l.Hard() && l.Broken(labels) {
			t.Fatalf("labels %v break %v", labels, l)
		}
	}
}

func TestColourKeepsWhatIsGivenAndFindsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		var all []framework.Link
		for _, l := range draw(t, n, 10) {
			if l.Cannot && l.Hard() {
				all = append(all, l)
			}
		}
		g := links.NewGraph(all, n)
		given, wish := make([]int32, len(g.Units)), make([]int32, len(g.Units))
		fixed := slices.Clone(all) // the given colours as links to rows n, n+1, … that stand for the colours
		for c := range int32(k) {
			for d := range c {
				fixed = append(fixed, framework.Link{A: int32(n) + c, B: int32(n) + d, Cannot: true, Weight: math.Inf(1)})
			}
		}
		for u := range given {
			given[u] = rapid.Int32Range(-1, int32(k-1)).Draw(t, "given")
			wish[u] = rapid.Int32Range(0, int32(k-1)).Draw(t, "wish")
			if given[u] >= 0 {
				fixed = append(fixed, framework.Link{A: g.Units[u][0], B: int32(n) + given[u], Weight: math.Inf(1)})
			}
		}
		steps := links.Steps
		clusters := slices.Clone(given)
		answer := g.Colour(clusters, wish, k, &steps)
		if want := keepable(fixed, n+k, k); want != (answer == links.Yes) {
			t.Fatalf("answer %d; all labels tried: %v", answer, want)
		}
		if answer != links.Yes {
			return
		}
		kept(t, all, g, clusters, k)
		for u, c := range given {
			if c >= 0 && clusters[u] != c {
				t.Fatalf("unit %d had cluster %d, and has %d now", u, c, clusters[u])
			}
		}
	})
}

func TestEveryLinkOfAConflictIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		all := draw(t, n, 20)
		if keepable(all, n, k) {
			return
		}
		few, irreducible := links.Conflict(all, n, k)
		if !irreducible || keepable(few, n, k) {
			t.Fatalf("no conflict: %v", few)
		}
		for i := range few {
			if rest := slices.Delete(slices.Clone(few), i, i+1); !keepable(rest, n, k) {
				t.Fatalf("%v conflict even without %v", few, few[i])
			}
		}
	})
}

func TestASearchThatIsTooLongIsUndecided(t *testing.T) {
	var all []framework.Link // all of 12 rows apart
	for i := range int32(12) {
		for j := range i {
			all = append(all, framework.Link{A: i, B: j, Cannot: true, Weight: math.Inf(1)})
		}
	}
	g := links.NewGraph(all, 12)
	steps := 100
	if answer := g.Colour(slices.Repeat([]int32{-1}, 12), nil, 11, &steps); answer != links.Undecided {
		t.Errorf("answer %d", answer)
	}
	steps = links.Steps
	if answer := g.Colour(slices.Repeat([]int32{-1}, 12), nil, 11, &steps); answer != links.No {
		t.Errorf("answer %d with all steps", answer)
	}
}

func TestCheckNamesTheConflict(t *testing.T) {
	hard := math.Inf(1)
	all := []framework.Link{
		{A: 0, B: 1, Cannot: true, Weight: hard}, {A: 1, B: 2, Cannot: true, Weight: hard}, {A: 4, B: 0, Cannot: true, Weight: hard},
		{A: 2, B: 3, Weight: hard}, {A: 3, B: 0, Cannot: true, Weight: hard}, {A: 5, B: 6, Weight: 1},
	}
	_, _, err := links.Check(all, 7, 2, func(i int32) string { return fmt.Sprintf("row %d", i) })
	f := must.Fault(t, err, "infeasible-links")
	want := []string{"row 0 and row 1: cannot", "row 1 and row 2: cannot", "row 2 and row 3: must", "row 3 and row 0: cannot"}
	must.Equal(t, want, f.Details)
}

func TestAContradictionIsShownByTheShortestChain(t *testing.T) {
	all := []framework.Link{
		{A: 0, B: 1, Weight: 1}, {A: 1, B: 2, Weight: 1}, {A: 2, B: 3, Weight: 1}, {A: 1, B: 3, Weight: 1},
		{A: 3, B: 0, Cannot: true, Weight: 1}, {A: 0, B: 5, Cannot: true, Weight: 1},
	}
	got := links.Contradictions(all, 6, 10)
	must.Equal(t, []links.Contradiction{{Cannot: all[4], Chain: []int32{3, 1, 0}}}, got)
}

func TestMergeDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := draw(t, 4, 12)
		add := rapid.Bool().Draw(t, "add")
		want, place := links.Merge(all, add)
		sums := make([]float64, len(want))
		for i, l := range all {
			m := want[place[i]]
			if m.A != min(l.A, l.B) || m.B != max(l.A, l.B) || m.Cannot != l.Cannot {
				t.Fatalf("%v was merged into %v", l, m)
			}
			if add {
				sums[place[i]] += l.Weight
			} else {
				sums[place[i]] = math.Max(sums[place[i]], l.Weight)
			}
		}
		for i, m := range want {
			if m.Weight != sums[i] {
				t.Fatalf("%v should weigh %v", m, sums[i])
			}
		}
		other := slices.Clone(all)
		slices.Reverse(other)
		for i, l := range other {
			other[i].A, other[i].B = l.B, l.A
		}
		got, _ := links.Merge(other, add)
		must.Equal(t, want, got)
	})
}

func TestCloseAddsAllThatFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 6
		all, _ := links.Merge(draw(t, n, 6), false)
		closed, err := links.Close(all, n)
		if contradicts := len(links.Contradictions(all, n, 1)) > 0; contradicts != (err != nil) {
			t.Fatalf("contradiction %v, error %v", contradicts, err)
		}
		if err != nil {
			return
		}
		// By rounds: together by way of a third row, apart by way of one that is together.
		type pair struct {
			a, b   int32
			cannot bool
		}
		want := map[pair]bool{}
		put := func(a, b int32, cannot bool) bool {
			p := pair{min(a, b), max(a, b), cannot}
			added := a != b && !want[p]
			if a != b {
				want[p] = true
			}
			return added
		}
		for _, l := range all {
			put(l.A, l.B, l.Cannot)
		}
		for again := true; again; {
			again = false
			for p := range want {
				for q := range want {
					for _, x := range [][2]int32{{p.a, p.b}, {p.b, p.a}} {
						for _, y := range [][2]int32{{q.a, q.b}, {q.b, q.a}} {
							if x[1] == y[0] && !(p.cannot && q.cannot) && put(x[0], y[1], p.cannot || q.cannot) {
								again = true
							}
						}
					}
				}
			}
		}
		got := map[pair]bool{}
		for _, l := range closed {
			got[pair{l.A, l.B, l.Cannot}] = true
		}
		must.Equal(t, want, got, cmp.AllowUnexported(pair{}))
	})
}

func TestGivenAndDerivedLinksHaveTheClosureOfTheGivenOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, add := rapid.IntRange(2, 9).Draw(t, "n"), rapid.Bool().Draw(t, "add")
		given := draw(t, n, 10)
		merged, _ := links.Merge(given, add)
		want, err := links.Close(merged, n)
		derived, derivedErr := links.Derived(given, n, add)
		if (err != nil) != (derivedErr != nil) {
			t.Fatalf("closing says %v, deriving %v", err, derivedErr)
		}
		if err != nil {
			return
		}
		pairs := map[framework.Link]bool{}
		for _, l := range merged {
			pairs[framework.Link{A: l.A, B: l.B, Cannot: l.Cannot}] = true
		}
		for _, l := range derived {
			if pairs[framework.Link{A: l.A, B: l.B, Cannot: l.Cannot}] {
				t.Fatalf("%+v was given", l)
			}
		}
		all, _ := links.Merge(slices.Concat(given, derived), add)
		got := must.Get(links.Close(all, n))(t)
		if diff := cmp.Diff(want, got); diff != "" || len(got) != len(merged)+len(derived) {
			t.Fatalf("%d merged and %d derived links: %s", len(merged), len(derived), diff)
		}
	})
}
