package links

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// mostDerived bounds the links that there may be with those that Close adds. As
// many fit a message to a plugin.
const mostDerived = 3_000_000

// Close returns the merged links of n rows and all that follow from them: rows
// that must-links join by way of others belong together, and rows of two such
// parts belong apart if a cannot-link joins the parts. A derived must-link has
// the smallest weight of its part's must-links, a derived cannot-link the
// largest of the cannot-links between the two parts.
//
// It returns a Fault (contradicting-links) if a cannot-link is within a part,
// see Contradictions, and one (too-many-pairs) if there would be more than 3 million.
func Close(merged []framework.Link, n int) ([]framework.Link, error) {
	if all := Contradictions(merged, n, 1); len(all) > 0 {
		return nil, all[0].fault()
	}
	p := joined(merged, n, false)
	members, least := make(map[int32][]int32), make(map[int32]float64)
	between := make(map[[2]int32]float64)
	seen := make(map[[3]int32]bool, len(merged))
	linked := make(map[int32]bool, len(merged))
	for _, l := range merged {
		a, b := p.Root(l.A), p.Root(l.B)
		kind := int32(0)
		if l.Cannot {
			kind = 1
			between[[2]int32{min(a, b), max(a, b)}] = math.Max(between[[2]int32{min(a, b), max(a, b)}], l.Weight)
		} else if w, ok := least[a]; !ok || l.Weight < w {
			least[a] = l.Weight
		}
		seen[[3]int32{l.A, l.B, kind}] = true
		for _, i := range []int32{l.A, l.B} {
			if !linked[i] {
				linked[i] = true
				members[p.Root(i)] = append(members[p.Root(i)], i)
			}
		}
	}
	if err := checkDerived(members, between); err != nil {
		return nil, err
	}
	closed := slices.Clone(merged)
	add := func(i, j int32, cannot bool, weight float64) {
		kind := int32(0)
		if cannot {
			kind = 1
		}
		if i, j = min(i, j), max(i, j); !seen[[3]int32{i, j, kind}] {
			closed = append(closed, framework.Link{A: i, B: j, Cannot: cannot, Weight: weight})
		}
	}
	for root, rows := range members {
		for t, i := range rows {
			for _, j := range rows[:t] {
				add(i, j, false, least[root])
			}
		}
	}
	for ends, weight := range between {
		for _, i := range members[ends[0]] {
			for _, j := range members[ends[1]] {
				add(i, j, true, weight)
			}
		}
	}
	slices.SortFunc(closed, compare)
	return closed, nil
}

// Derived returns the links that follow from the given ones, as Close adds them
// to the merged ones; see Merge for add. Given and derived ones together have the
// same closure, and no derived one is given.
func Derived(given []framework.Link, n int, add bool) ([]framework.Link, error) {
	merged, _ := Merge(given, add)
	closed, err := Close(merged, n)
	if err != nil {
		return nil, err
	}
	// Merged links are in the closure, and in the same order.
	return slices.DeleteFunc(closed, func(l framework.Link) bool {
		if len(merged) == 0 || l != merged[0] {
			return false
		}
		merged = merged[1:]
		return true
	}), nil
}

func checkDerived(members map[int32][]int32, between map[[2]int32]float64) error {
	count := 0.0
	for _, rows := range members {
		count += float64(len(rows)) * float64(len(rows)-1) / 2
	}
	for ends := range between {
		count += float64(len(members[ends[0]])) * float64(len(members[ends[1]]))
	}
	if count > mostDerived {
		return framework.Faultf(framework.Data, "too-many-pairs",
			"with the pairs that follow from them there would be %.0f pairs; at most %d are allowed", count, mostDerived).
			At("closure").
			WithHint("leave out %s, or make the must pairs hard (weight NULL): their rows then move as one", framework.Setting("closure"))
	}
	return nil
}
