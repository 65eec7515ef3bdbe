package tune

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawClasses draws classes of some rows, −1 for none.
func drawClasses(t *rapid.T) []int32 {
	return rapid.SliceOfN(rapid.Int32Range(-1, 3), 1, 60).Draw(t, "classes")
}

// sizes counts the rows of each fold that a function is true for.
func sizes(fold []int32, folds int, of func(i int) bool) []int {
	n := make([]int, folds)
	for i, f := range fold {
		if f >= 0 && of(i) {
			n[f]++
		}
	}
	return n
}

func TestFoldsPartitionTheLabelledRowsEvenlyInAllAndByClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes, folds := drawClasses(t), rapid.IntRange(1, 8).Draw(t, "folds")
		fold := Deal(classes, folds, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 3).Draw(t, "repeat"))
		for i, f := range fold {
			if (classes[i] < 0) != (f == -1) || f < -1 || int(f) >= folds {
				t.Fatalf("row %d of class %d is in fold %d", i, classes[i], f)
			}
		}
		for class := int32(-1); class <= 3; class++ { // −1: all of them
			n := sizes(fold, folds, func(i int) bool { return class < 0 || classes[i] == class })
			if slices.Max(n)-slices.Min(n) > 1 {
				t.Fatalf("class %d: folds of %v rows", class, n)
			}
		}
	})
}

func TestFoldsDoNotDependOnTheNumbersOfClassesButOnSeedAndRepetition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := drawClasses(t)
		number := rapid.Permutation([]int32{0, 1, 2, 3}).Draw(t, "number")
		other := slices.Clone(classes)
		for i, c := range classes {
			if c >= 0 {
				other[i] = number[c]
			}
		}
		must.Equal(t, Deal(classes, 3, 7, 1), Deal(other, 3, 7, 1))
	})
	classes := make([]int32, 40) // 40!/(20!)² ways to deal them to two folds
	for _, other := range [][]int32{Deal(classes, 2, 8, 0), Deal(classes, 2, 7, 1)} {
		if slices.Equal(Deal(classes, 2, 7, 0), other) {
			t.Error("another seed or repetition deals the rows as before")
		}
	}
}

func TestClassesThatFoldsCannotScoreAreFaults(t *testing.T) {
	rows := func(n ...int) (classes []int32) {
		for c, count := range n {
			classes = append(classes, slices.Repeat([]int32{int32(c)}, count)...)
		}
		return append(classes, -1, -1)
	}
	for name, test := range map[string]struct {
		classes []int32
		folds   int
		want    string
	}{
		"one fold":                         {rows(5, 5), 1, "bad-flag"},
		"no class":                         {rows(), 2, "one-class"},
		"one class":                        {rows(9), 3, "one-class"},
		"fewer labelled rows than folds":   {rows(2, 2), 5, "too-few-labels"},
		"a fold with one row of each":      {rows(5, 5), 3, "fold-without-pairs"},
		"just enough":                      {rows(6, 1), 3, ""},
		"small classes beside a large one": {rows(1, 1, 20), 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := CheckFolds(test.classes, test.folds); err != nil {
				got = framework.AsFault(err).Code
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestWhereFoldsAreAcceptedEveryFoldHasTwoRowsOfOneClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes, folds := drawClasses(t), rapid.IntRange(2, 8).Draw(t, "folds")
		if CheckFolds(classes, folds) != nil {
			return
		}
		fold := Deal(classes, folds, rapid.Uint64().Draw(t, "seed"), 0)
		for held := range folds {
			most := 0
			for class := range int32(4) {
				most = max(most, sizes(fold, folds, func(i int) bool { return classes[i] == class })[held])
			}
			if most < 2 {
				t.Fatalf("fold %d has no two rows of one class: %v", held, fold)
			}
		}
	})
}

func TestLinksAreThePairsOfTheClassesThatAreNotHeldOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := drawClasses(t)
		fold := Deal(classes, 3, 1, 0)
		held := rapid.IntRange(0, 2).Draw(t, "held")
		share := rapid.SampledFrom([]float64{1, 0.5, 0.01}).Draw(t, "share")
		seed := rapid.Uint64().Draw(t, "seed")
		links := func(classes []int32) []framework.Link {
			return must.Get(pairsOfClasses(classes, fold, held, share, framework.Rand(seed, "pairs")))(t)
		}
		var all []framework.Link // by brute force
		for a := range classes {
			for b := a + 1; b < len(classes); b++ {
				if classes[a] >= 0 && classes[b] >= 0 && fold[a] != int32(held) && fold[b] != int32(held) {
					all = append(all, framework.Link{A: int32(a), B: int32(b), Cannot: classes[a] != classes[b], Weight: 1})
				}
			}
		}
		got := links(classes)
		want := len(all)
		if share < 1 && want > 0 {
			want = max(1, int(math.Round(share*float64(want))))
		}
		if share == 1 {
			if diff := cmp.Diff(all, got); len(all) > 0 && diff != "" {
				t.Fatal(diff)
			}
		}
		for i, l := range got {
			if !slices.Contains(all, l) || i > 0 && got[i-1] == l {
				t.Fatalf("link %v is none of %v, or there twice", l, all)
			}
		}
		if len(got) != want {
			t.Fatalf("%d links of %d, want %d", len(got), len(all), want)
		}
		// Whatever the classes of the rows held out are.
		other := slices.Clone(classes)
		for i := range other {
			if fold[i] == int32(held) {
				other[i] = rapid.Int32Range(0, 9).Draw(t, "class")
			}
		}
		if diff := cmp.Diff(got, links(other)); diff != "" {
			t.Fatalf("the classes of held-out rows matter: %s", diff)
		}
		if kept := without(all, fold, held); len(kept) != len(all) {
			t.Fatalf("%d of %d links are kept", len(kept), len(all))
		}
	})
}

func TestEveryPairIsDrawnEquallyOften(t *testing.T) {
	const all, n, draws = 10, 3, 20000
	r := framework.Rand(1, "test")
	var count [all]int
	for range draws {
		for _, t := range drawn(n, all, r) {
			count[t]++
		}
	}
	// Binomial: mean 6000, deviation √(20000·0.3·0.7) = 65; the seed is fixed.
	for t1, c := range count {
		if math.Abs(float64(c)-6000) > 5*65 {
			t.Errorf("number %d is drawn %d times of 6000", t1, c)
		}
	}
}

func TestTooManyPairsAreAFaultWithAShareThatHelps(t *testing.T) {
	const rows = 3500 // 6 123 250 pairs
	_, err := pairsOfClasses(make([]int32, rows), nil, 0, 1, nil)
	if f := framework.AsFault(err); f == nil || f.Code != "too-many-pairs" || f.Render(nil).Hint != "share = 0.4 takes a part of them" {
		t.Errorf("%v", err)
	}
	if n, err := shareOf(rows, rows*(rows-1)/2, 0.4); err != nil || n != 2449300 {
		t.Errorf("%d pairs, %v", n, err)
	}
}

func TestTheScoreIsTheFOfTheHeldOutRowsAlone(t *testing.T) {
	classes := []int32{0, 0, 0, 1, 1, 0, 1, -1}
	fold := []int32{0, 0, 0, 0, 0, 1, 1, -1}
	for name, test := range map[string]struct {
		labels []int32
		want   float64
	}{
		"perfect":                 {[]int32{1, 1, 1, 0, 0, 0, 0, 0}, 1},
		"one cluster":             {[]int32{0, 0, 0, 0, 0, 1, 2, 3}, 8.0 / 14},            // TP 4, FP 6, FN 0
		"a row of another class":  {[]int32{0, 0, 1, 1, 1, 1, 1, 1}, 2 * 2 / (2*2 + 4.0)}, // TP 2, FP 2, FN 2
		"rows without a cluster":  {[]int32{-1, -1, -1, -1, -1, 0, 0, 0}, 0},
		"some without a cluster":  {[]int32{0, 0, -1, -1, -1, 0, 0, 0}, 2 * 1 / (2*1 + 3.0)}, // TP 1, FN 3
		"labels of other numbers": {[]int32{7, 7, 7, 3, 3, 3, 7, 3}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ByF.heldOut(classes, test.labels, fold, 0); math.Abs(got-test.want) > 1e-15 {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
