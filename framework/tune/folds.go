package tune

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// mostPairs bounds the pairs that are made of classes for one fit.
const mostPairs = 5_000_000

// Deal returns the fold 0..folds−1 of each row, and −1 for a row without class
// (a class of −1). The rows of each class are shuffled and dealt to the folds in
// turn, one class after the other: the folds differ by at most one row, and so
// do their rows of any one class. It depends on the rows in their order, on which
// of them share a class, on the seed and on the number of the repetition.
func Deal(classes []int32, folds int, seed uint64, repeat int) []int32 {
	fold := slices.Repeat([]int32{-1}, len(classes))
	at := 0
	for c, rows := range byClass(classes) {
		shuffled := slices.Clone(rows)
		framework.Rand(seed, "folds", uint64(repeat), uint64(c)).Shuffle(len(rows), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		for _, i := range shuffled {
			fold[i] = int32(at % folds)
			at++
		}
	}
	return fold
}

// byClass returns the rows of each class, the class of the lowest row first.
func byClass(classes []int32) [][]int32 {
	place := make(map[int32]int)
	var all [][]int32
	for i, c := range classes {
		if c < 0 {
			continue
		}
		at, ok := place[c]
		if !ok {
			at = len(all)
			place[c] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], int32(i))
	}
	return all
}

// CheckFolds returns a Fault if classes (−1: none) cannot be dealt to so many
// folds: for less than two folds (bad-flag), for fewer labelled rows than folds
// (too-few-labels), for less than two classes (one-class), and if a fold may get
// no two rows of one class, so that nothing could be together in it
// (fold-without-pairs).
func CheckFolds(classes []int32, folds int) error {
	if folds < 2 {
		return framework.Faultf(framework.Usage, "bad-flag", "%s is %d; it must be at least 2", framework.Setting("folds"), folds).At("folds")
	}
	labelled, largest := 0, 0
	all := byClass(classes)
	for _, rows := range all {
		labelled += len(rows)
		largest = max(largest, len(rows))
	}
	if len(all) < 2 {
		return framework.Faultf(framework.Data, "one-class", "at least 2 classes are needed, and %s %d",
			words.Counted(labelled, "labelled row has", "labelled rows have"), len(all)).At("truth")
	}
	if labelled < folds {
		return framework.Faultf(framework.Data, "too-few-labels", "%d folds need at least as many labelled rows; there are %d", folds, labelled).
			At("folds").WithHint("label more rows, or ask for fewer folds")
	}
	if largest/folds < 2 {
		f := framework.Faultf(framework.Data, "fold-without-pairs",
			"a fold could have no two rows of one class, and so no score: the largest class has %s, for %d folds",
			words.Plural(largest, "row"), folds).
			At("folds").WithHint("label more rows")
		if most := largest / 2; most >= 2 {
			f.Hint = framework.SettingTo("folds", most) + " is possible"
		}
		return f
	}
	return nil
}

// pairsOfClasses returns links of weight 1 between rows that have a class and
// are not in the fold held: must-links within a class, cannot-links between two.
// fold may be nil: no row is held out. Of all such pairs a part, share, is drawn
// at random from r, one at least; all of them if share is 1. They come by A,
// then B.
func pairsOfClasses(classes, fold []int32, held int, share float64, r *rand.Rand) ([]framework.Link, error) {
	rows := make([]int32, 0, len(classes))
	for i, c := range classes {
		if c >= 0 && (fold == nil || fold[i] != int32(held)) {
			rows = append(rows, int32(i))
		}
	}
	all := len(rows) * (len(rows) - 1) / 2
	if all == 0 {
		return nil, nil
	}
	n, err := shareOf(len(rows), all, share)
	if err != nil {
		return nil, err
	}
	links := make([]framework.Link, 0, n)
	// Pair number t is that of place b and a lower place a, where b(b−1)/2 is
	// the number of pairs of the places before b.
	b := 1
	for _, t := range drawn(n, all, r) {
		for (b+1)*b/2 <= t {
			b++
		}
		i, j := rows[t-b*(b-1)/2], rows[b]
		links = append(links, framework.Link{A: i, B: j, Cannot: classes[i] != classes[j], Weight: 1})
	}
	slices.SortFunc(links, func(x, y framework.Link) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return links, nil
}

// shareOf returns how many pairs are a share of all those of some rows.
func shareOf(rows, all int, share float64) (int, error) {
	n := min(max(1, int(math.Round(share*float64(all)))), all)
	if n > mostPairs {
		return 0, framework.Faultf(framework.Data, "too-many-pairs",
			"%d rows with a class make %d pairs; at most %d are allowed", rows, n, mostPairs).
			At("share").WithHint("%s takes a part of them", framework.SettingTo("share", fmt.Sprintf("%.1g", float64(mostPairs)/float64(all)/2)))
	}
	return n, nil
}

// drawn returns n different numbers below all, ascending: each set of them is as
// likely as any other.
//
// Source: Floyd's algorithm F2 in Bentley and Floyd (1987), Communications of
// the ACM 30(9), https://doi.org/10.1145/30401.315746.
func drawn(n, all int, r *rand.Rand) []int {
	numbers := make([]int, 0, n)
	if n == all {
		for t := range all {
			numbers = append(numbers, t)
		}
		return numbers
	}
	taken := make(map[int]bool, n)
	for last := all - n; last < all; last++ {
		t := r.IntN(last + 1)
		if taken[t] {
			t = last
		}
		taken[t] = true
		numbers = append(numbers, t)
	}
	slices.Sort(numbers)
	return numbers
}

// without returns the links that have no row in the fold held.
func without(links []framework.Link, fold []int32, held int) []framework.Link {
	kept := make([]framework.Link, 0, len(links))
	for _, l := range links {
		if fold[l.A] != int32(held) && fold[l.B] != int32(held) {
			kept = append(kept, l)
		}
	}
	return kept
}

// By says what compares the labels of held-out rows with their classes.
type By string

// All of them are 1 where labels and classes are the same.
const (
	ByF   By = "f"   // pairwise F
	ByARI By = "ari" // adjusted Rand index
	ByNMI By = "nmi" // mutual information divided by the mean of the entropies
)

// heldOut returns the score of the rows of one fold. A row without label (−1) is
// together with no other.
func (by By) heldOut(classes, labels, fold []int32, held int) float64 {
	var class, label []int32
	for i, f := range fold {
		if f != int32(held) {
			continue
		}
		j := labels[i]
		if j < 0 {
			j = -2 - int32(i)
		}
		class, label = append(class, classes[i]), append(label, j)
	}
	t := score.NewTable(class, label)
	switch by {
	case ByARI:
		return t.ARI()
	case ByNMI:
		return t.NMI(score.Arithmetic)
	}
	return t.PairwiseF()
}
