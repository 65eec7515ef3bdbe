package links

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// Steps limits the search for clusters that keep all hard links, and Reduce that
// for a few links that contradict each other.
const (
	Steps  = 200_000_000
	Reduce = 1_000_000_000
)

// Feasible returns whether k clusters can keep all hard links of n rows, and if
// so, a cluster for each unit of the graph.
func Feasible(all []framework.Link, n, k int) (*Graph, []int32, Answer) {
	g := NewGraph(all, n)
	steps := Steps
	clusters := slices.Repeat([]int32{-1}, len(g.Units))
	return g, clusters, g.Colour(clusters, nil, k, &steps)
}

// Check returns a graph of links and clusters that keep its hard links, as
// Feasible does. It returns a Fault (infeasible-links) with a set of links that
// cannot all be kept, each of which is needed for that; or one
// (undecided-links) when the limit of steps is reached. row names a row.
func Check(all []framework.Link, n, k int, row func(i int32) string) (*Graph, []int32, error) {
	g, clusters, answer := Feasible(all, n, k)
	switch answer {
	case Yes:
		return g, clusters, nil
	case Undecided:
		return nil, nil, framework.Faultf(framework.Data, "undecided-links",
			"it is not known whether %s can keep all hard pairs: the search stopped after %d steps", words.Plural(k, "cluster"), Steps).
			WithHint("give more clusters, or give some of the pairs a weight, so that they may be broken")
	}
	conflict, irreducible := Conflict(all, n, k)
	which := words.Agreed(len(conflict), "this hard pair cannot", fmt.Sprintf("these %d hard pairs cannot all", len(conflict)))
	f := framework.Faultf(framework.Data, "infeasible-links", "%s be kept with %s", which, words.Plural(k, "cluster")).
		WithHint("drop one of them or give it a weight, so that it may be broken")
	if !irreducible {
		f.Summary += "; some of them may not be to blame"
	}
	const most = 20
	for i, l := range conflict {
		if i == most {
			f.Details = append(f.Details, fmt.Sprintf("and %d more", len(conflict)-most))
			break
		}
		f.Details = append(f.Details, fmt.Sprintf("%s and %s: %s", row(l.A), row(l.B), l.Kind()))
	}
	return nil, nil, f
}

// Conflict returns hard links that k clusters cannot keep together, where there
// are some, and whether each of them is needed for that: without any one of
// them, the others can be kept. It is false if the limit of steps came first.
func Conflict(all []framework.Link, n, k int) (conflict []framework.Link, irreducible bool) {
	hard := slices.DeleteFunc(slices.Clone(all), func(l framework.Link) bool { return !l.Hard() })
	p := joined(hard, n, true)
	for _, l := range hard {
		if l.Cannot && p.Root(l.A) == p.Root(l.B) {
			hard = chain(hard, l)
			break
		}
	}
	steps := Reduce
	irreducible = true
	conflicts := func(some []framework.Link) bool {
		g := NewGraph(some, n)
		each := min(steps, Steps)
		left := each
		answer := g.Colour(slices.Repeat([]int32{-1}, len(g.Units)), nil, k, &left)
		steps -= each - left + len(some)
		if answer == Undecided {
			irreducible = false
		}
		return answer == No
	}
	conflict = hard
	for size := max(1, len(conflict)/2); ; size = max(1, size/2) {
		before := len(conflict)
		for from := 0; from < len(conflict); {
			rest := slices.Concat(conflict[:from], conflict[min(from+size, len(conflict)):])
			if conflicts(rest) {
				conflict = rest
			} else {
				from += size
			}
		}
		if size == 1 && len(conflict) == before {
			return conflict, irreducible
		}
	}
}

// chain returns a hard cannot-link within a unit and the fewest must-links that
// join its rows.
func chain(hard []framework.Link, cannot framework.Link) []framework.Link {
	conflict := []framework.Link{cannot}
	way := shortest(neighbours(hard, framework.Link.Hard), cannot.A, cannot.B)
	for t := 1; t < len(way); t++ {
		conflict = append(conflict, framework.Link{A: way[t-1], B: way[t], Weight: cannot.Weight})
	}
	return conflict
}
