package suggest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestNoQuestionIsAskedTwiceOrWhereTheAnswerFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 14).Draw(t, "n")
		rows := drawTable(t, n)
		classes := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "classes")
		o := Options{K: rapid.IntRange(2, 4).Draw(t, "k"), Count: rapid.IntRange(1, 12).Draw(t, "count"), Seed: 3,
			Method: rapid.SampledFrom(Methods()).Draw(t, "method"), Threads: 1}
		for range rapid.IntRange(0, 8).Draw(t, "links") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a != b {
				o.Links = append(o.Links, framework.Link{A: int32(a), B: int32(b), Cannot: classes[a] != classes[b], Weight: 1})
			}
		}
		known := relations(n, o.Links)
		got := pairsOf(t, rows, o)
		if len(got) > o.Count {
			t.Fatalf("%d pairs of %d", len(got), o.Count)
		}
		seen, about := map[[2]int]bool{}, map[int]int{}
		for _, p := range got {
			both := [2]int{min(p.A, p.B), max(p.A, p.B)}
			if known[p.A][p.B] != 0 || seen[both] {
				t.Fatalf("pair %+v is known, or asked twice, of %+v", p, got)
			}
			seen[both] = true
			about[p.A]++
		}
		for a, questions := range about {
			if questions > max(o.K, 3)-1 {
				t.Fatalf("%d questions about row %d", questions, a)
			}
		}
		// Neither the order of links nor threads, nor blocks, matter.
		other := o
		other.Links, other.Threads = slices.Clone(o.Links), 3
		slices.Reverse(other.Links)
		for i, l := range other.Links {
			other.Links[i].A, other.Links[i].B = l.B, l.A
		}
		rows.Size = n
		must.Equal(t, got, pairsOf(t, rows, other))
	})
}

func TestWhoAnswersUntilNothingIsAskedKnowsTheClassOfEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "n")
		rows := drawTable(t, n)
		k := rapid.IntRange(2, 3).Draw(t, "k")
		classes := rapid.SliceOfN(rapid.IntRange(0, k-1), n, n).Draw(t, "classes")
		o := Options{K: k, Count: rapid.IntRange(1, 7).Draw(t, "count"),
			Method: rapid.SampledFrom(Methods()).Draw(t, "method"), Threads: 1, Seed: 1}
		rounds := 0
		for ; rounds <= n*k; rounds++ {
			asked := pairsOf(t, rows, o)
			if len(asked) == 0 {
				break
			}
			o.Links = append(o.Links, answered(classes, asked)...)
		}
		if rounds > n*k || len(o.Links) > n*k {
			t.Fatalf("%d rounds, %d answers", rounds, len(o.Links))
		}
		known := relations(n, o.Links)
		different := slices.Compact(slices.Sorted(slices.Values(classes)))
		for i := range n {
			for j := range n {
				// A row is in the part of its class, or apart from those of all others.
				if classes[i] == classes[j] && known[i][j] != 1 &&
					!apartFromAllOthers(known, classes, different, i) && !apartFromAllOthers(known, classes, different, j) {
					t.Fatalf("rows %d and %d of class %d: %v", i, j, classes[i], o.Links)
				}
				if known[i][j] == 1 && classes[i] != classes[j] || known[i][j] == -1 && classes[i] == classes[j] {
					t.Fatalf("rows %d and %d: %d is wrong", i, j, known[i][j])
				}
			}
		}
	})
}

// apartFromAllOthers reports whether row i is known to be apart from some row of
// each class but its own.
func apartFromAllOthers(known [][]int, classes, different []int, i int) bool {
	for _, c := range different {
		if c == classes[i] {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(upTo(len(classes))), func(j int) bool { return classes[j] == c && known[i][j] == -1 }) {
			return false
		}
	}
	return true
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// farthestFirst is the traversal by brute force.
func farthestFirst(d clustertest.Rows, chosen []int, count int) []int {
	for range count {
		best, most := -1, -1.0
		for i := range d.Len() {
			near := math.Inf(1)
			for _, c := range chosen {
				near = min(near, square(d, i, c))
			}
			if !slices.Contains(chosen, i) && near > most {
				best, most = i, near
			}
		}
		chosen = append(chosen, best)
	}
	return chosen
}

func square(d clustertest.Rows, i, j int) float64 {
	sum := 0.0
	for l, v := range d.X.Row(i) {
		sum += (v - d.X.Row(j)[l]) * (v - d.X.Row(j)[l])
	}
	return sum
}

func TestWithoutLinksRowsComeFarthestFirstFromTheOutermostAndMeetTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 15).Draw(t, "n")
		rows := drawTable(t, n)
		k := rapid.IntRange(2, 4).Draw(t, "k")
		got := pairsOf(t, rows, Options{K: k, Count: 1000, Method: rapid.SampledFrom(Methods()).Draw(t, "method"), Threads: 2, Seed: 1})
		var mean [2]float64
		for i := range n {
			for l, v := range rows.X.Row(i) {
				mean[l] += v
			}
		}
		first, most := 0, -1.0
		for i := range n {
			// Times n, so that no rounding decides between equals.
			far := 0.0
			for l, v := range rows.X.Row(i) {
				far += (v*float64(n) - mean[l]) * (v*float64(n) - mean[l])
			}
			if far > most {
				first, most = i, far
			}
		}
		if got[0].B != first && square(rows, got[0].B, first) > 0 {
			// Another row as far from the mean, which was rounded.
			far := 0.0
			for l, v := range rows.X.Row(got[0].B) {
				far += (v*float64(n) - mean[l]) * (v*float64(n) - mean[l])
			}
			if far < most*(1-1e-12) {
				t.Fatalf("the first row is %d instead of %d", got[0].B, first)
			}
		}
		order := farthestFirst(rows, []int{got[0].B}, n-1)
		at := 0
		for place, a := range order[1:] {
			// With the nearest of those before it, k − 1 at most: the first one, which
			// is a neighbourhood, and then what may be one.
			before := slices.Clone(order[1 : place+1])
			slices.SortStableFunc(before, func(i, j int) int { return cmp.Compare(square(rows, a, i), square(rows, a, j)) })
			for rank, b := range append([]int{order[0]}, before...)[:min(k-1, place+1)] {
				want := Pair{A: a, B: b, Reason: Farthest, Known: rank == 0}
				if want.Rank = rank; got[at] != want {
					t.Fatalf("question %d is %+v, want %+v", at, got[at], want)
				}
				at++
			}
		}
		if at != len(got) {
			t.Fatalf("%d questions, want %d", len(got), at)
		}
	})
}

// corners are k groups of rows around points that are far apart.
func corners(t *rapid.T, k, each int) (clustertest.Rows, []int) {
	d := clustertest.Rows{X: framework.NewMatrix(k*each, 2), Size: 4}
	classes := rapid.Permutation(slices.Repeat([]int{0, 1, 2, 3}[:k], each)).Draw(t, "classes")
	for i, c := range classes {
		d.X.Row(i)[0] = float64(c%2)*100 + float64(rapid.IntRange(0, 9).Draw(t, "x"))
		d.X.Row(i)[1] = float64(c/2)*100 + float64(rapid.IntRange(0, 9).Draw(t, "y"))
	}
	return d, classes
}

func TestTheFirstRowsOfWellSeparatedClassesAreOneOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 4).Draw(t, "k")
		rows, classes := corners(t, k, 5)
		o := Options{K: k, Count: 1, Method: rapid.SampledFrom(Methods()).Draw(t, "method"), Threads: 1}
		for range k * (k - 1) / 2 { // one question at a time: no must before all classes are there
			asked := pairsOf(t, rows, o)
			if classes[asked[0].A] == classes[asked[0].B] {
				t.Fatalf("%+v are of one class; known: %+v", asked, o.Links)
			}
			o.Links = append(o.Links, answered(classes, asked)...)
		}
		// From now on the first question about a row is a must.
		for range 3 {
			asked := pairsOf(t, rows, o)
			if classes[asked[0].A] != classes[asked[0].B] || asked[0].Rank != 0 || !asked[0].Known {
				t.Fatalf("%+v are of different classes", asked)
			}
			o.Links = append(o.Links, answered(classes, asked)...)
		}
	})
}

func TestMinMaxTakesTheFarthestRowAndConsolidateARandomOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, classes := corners(t, 2, 8)
		a, b := slices.Index(classes, 0), slices.Index(classes, 1)
		o := Options{K: 2, Count: 14, Threads: 1,
			Links: []framework.Link{{A: int32(a), B: int32(b), Cannot: true, Weight: 1}}, Seed: rapid.Uint64().Draw(t, "seed")}
		o.Method = MinMax
		for i, p := range pairsOf(t, rows, o) {
			if want := farthestFirst(rows, []int{a, b}, 14)[i+2]; p.A != want || p.Reason != Farthest {
				t.Fatalf("question %d is %+v, want one about row %d", i, p, want)
			}
		}
		o.Method = Consolidate
		about := []int{a, b}
		for _, p := range pairsOf(t, rows, o) {
			if p.Reason != Random || classes[p.A] != classes[p.B] {
				t.Fatalf("%+v", p)
			}
			about = append(about, p.A)
		}
		if slices.Sort(about); !slices.Equal(about, slices.Collect(upTo(16))) {
			t.Fatalf("not every row is asked about: %v", about)
		}
	})
}

func TestWhatIsOpenIsAskedFirst(t *testing.T) {
	rows := clustertest.Rows{X: framework.Matrix{Rows: 7, Cols: 1, Data: []float64{0, 1, 10, 11, 20, 21, 5}}, Size: 3}
	links := []framework.Link{
		{A: 0, B: 1, Weight: 1}, {A: 2, B: 3, Weight: 1}, {A: 4, B: 5, Weight: 1}, // three units of two rows
		{A: 1, B: 2, Cannot: true, Weight: 2}, // of which the last is open
	}
	got := must.Get(Pairs(t.Context(), rows, Options{K: 3, Count: 3, Method: MinMax, Links: links, Threads: 1}))(t)
	// By hand. Rows 4 and 5 are as near to their mean 20.5, so 4 is asked about: the
	// unit of 10 and 11 is nearer than that of 0 and 1. Row 6, at 5, is 4 from row 1
	// and 5 from row 2.
	want := []Pair{
		{A: 4, B: 3, Reason: Open, Known: true}, {A: 4, B: 1, Reason: Open, Rank: 1, Known: true},
		{A: 6, B: 1, Reason: Farthest, Known: true},
	}
	must.Equal(t, want, got)
}

func TestMissingCellsAreLeftOutOfDistances(t *testing.T) {
	nan := math.NaN()
	rows := clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 0, nan, 9, 2, nan}}, Size: 2}
	got := must.Get(Pairs(t.Context(), rows, Options{K: 2, Count: 9, Method: MinMax, Threads: 1}))(t)
	// By hand: the means are 1 and 4.5; rows are 1 + 20.25, 20.25 and 1 from them.
	want := []Pair{{A: 1, B: 0, Reason: Farthest, Known: true}, {A: 2, B: 0, Reason: Farthest, Known: true}}
	must.Equal(t, want, got)
}

func TestWhatCannotBeAskedIsAFault(t *testing.T) {
	rows := clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{0, 1, 2}}, Size: 2}
	link := func(a, b int32, cannot bool) framework.Link {
		return framework.Link{A: a, B: b, Cannot: cannot, Weight: 1}
	}
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"method":      {Options{K: 2, Count: 1, Method: "min-max"}, "bad-flag"},
		"unknown row": {Options{K: 2, Count: 1, Method: MinMax, Links: []framework.Link{link(0, 3, true)}}, "bad-link"},
		"contradiction": {Options{K: 2, Count: 1, Method: MinMax,
			Links: []framework.Link{link(0, 1, false), link(1, 2, false), link(0, 2, true)}}, "contradicting-links"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Pairs(t.Context(), rows, test.o)
			must.Fault(t, err, test.want)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pairs(ctx, rows, Options{K: 2, Count: 1, Method: MinMax, Threads: 1}); err == nil {
		t.Error("a context that is done stops nothing")
	}
}

func TestSparseRowsAreAskedAboutAsDenseOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dense := drawTable(t, rapid.IntRange(4, 30).Draw(t, "n"))
		sparse := dense.Sparse([]float64{3, 0})
		o := Options{K: 3, Count: 20, Method: rapid.SampledFrom(Methods()).Draw(t, "method"), Seed: 1, Threads: 1}
		if rapid.Bool().Draw(t, "linked") {
			o.Links = []framework.Link{{A: 0, B: 1, Weight: 1}, {A: 1, B: 3, Cannot: true, Weight: 1}}
		} else {
			o.Links = []framework.Link{{A: 0, B: 2, Cannot: true, Weight: 1}}
		}
		must.Equal(t, pairsOf(t, dense, o), pairsOf(t, sparse, o))
	})
}
