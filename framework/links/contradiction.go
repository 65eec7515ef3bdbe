package links

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Contradiction is a cannot-link between rows that must-links join.
type Contradiction struct {
	Cannot framework.Link
	Chain  []int32 // rows from Cannot.A to Cannot.B, each joined to the next by a must-link: as few as there can be
}

// Contradictions returns up to most contradictions of links of n rows, in the
// order of the links.
func Contradictions(all []framework.Link, n, most int) []Contradiction {
	p := joined(all, n, false)
	var found []Contradiction
	var next map[int32][]int32
	for _, l := range all {
		if len(found) == most {
			break
		}
		if !l.Cannot || p.Root(l.A) != p.Root(l.B) {
			continue
		}
		if next == nil {
			next = neighbours(all, func(framework.Link) bool { return true })
		}
		found = append(found, Contradiction{Cannot: l, Chain: shortest(next, l.A, l.B)})
	}
	return found
}

// neighbours returns the rows that chosen must-links join each row to, ascending.
func neighbours(all []framework.Link, chosen func(framework.Link) bool) map[int32][]int32 {
	next := make(map[int32][]int32)
	for _, l := range all {
		if !l.Cannot && chosen(l) {
			next[l.A] = append(next[l.A], l.B)
			next[l.B] = append(next[l.B], l.A)
		}
	}
	for i := range next {
		slices.Sort(next[i])
	}
	return next
}

// shortest returns a shortest way from one row to another, which there is.
func shortest(next map[int32][]int32, from, to int32) []int32 {
	before := map[int32]int32{to: to}
	queue := []int32{to}
	for len(queue) > 0 && queue[0] != from {
		i := queue[0]
		queue = queue[1:]
		for _, j := range next[i] {
			if _, ok := before[j]; !ok {
				before[j] = i
				queue = append(queue, j)
			}
		}
	}
	way := []int32{from}
	for from != to {
		from = before[from]
		way = append(way, from)
	}
	return way
}

func (c Contradiction) fault() *framework.Fault {
	f := framework.Faultf(framework.Data, "contradicting-links",
		"rows %d and %d must be apart, but must-links join them", c.Cannot.A, c.Cannot.B)
	for t := 1; t < len(c.Chain); t++ {
		f.Details = append(f.Details, fmt.Sprintf("rows %d and %d must be together", c.Chain[t-1], c.Chain[t]))
	}
	return f
}
