package links

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Unit is rows that move as one: hard must-links join them. A row without
// such a link is a unit by itself.
type Unit []int32 // ascending

// A Graph is the units of linked rows, and which of them hard cannot-links keep
// apart.
type Graph struct {
	Units []Unit  // of rows that have a link, by their lowest rows
	Of    []int32 // by row: its unit; −1 for a row without link
	Apart [][]int32
}

// NewGraph returns the graph of links of n rows. A hard cannot-link within a unit
// joins the unit to itself.
func NewGraph(all []framework.Link, n int) *Graph {
	g := &Graph{Of: make([]int32, n)}
	linked := make([]bool, n)
	for _, l := range all {
		linked[l.A], linked[l.B] = true, true
	}
	p := joined(all, n, true)
	for i := range g.Of {
		g.Of[i] = -1
		if !linked[i] {
			continue
		}
		r := p.Root(int32(i))
		if int(r) == i {
			g.Of[i] = int32(len(g.Units))
			g.Units = append(g.Units, nil)
		}
		u := g.Of[r]
		g.Of[i] = u
		g.Units[u] = append(g.Units[u], int32(i))
	}
	g.Apart = make([][]int32, len(g.Units))
	for _, l := range all {
		if l.Cannot && l.Hard() {
			a, b := g.Of[l.A], g.Of[l.B]
			g.Apart[a] = append(g.Apart[a], b)
			g.Apart[b] = append(g.Apart[b], a)
		}
	}
	for u, others := range g.Apart {
		slices.Sort(others)
		g.Apart[u] = slices.Compact(others)
	}
	return g
}

// Free reports whether no hard link restricts any row.
func (g *Graph) Free() bool {
	for u, rows := range g.Units {
		if len(rows) > 1 || len(g.Apart[u]) > 0 {
			return false
		}
	}
	return true
}
