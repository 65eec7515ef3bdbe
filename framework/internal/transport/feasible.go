package transport

// A Source is rows of which each cluster takes at most Most.
type Source struct {
	Rows int
	Most []int
}

// Feasible reports whether rows of all sources can be given clusters so that cluster j
// has from lo[j] to hi[j] of them. It is a flow, found by Dinic's method.
func Feasible(from []Source, lo, hi []int) bool {
	k := len(lo)
	g := newNetwork(len(from) + k + 3)
	source, pool, sink := len(from)+k, len(from)+k+1, len(from)+k+2
	rows, must := 0, 0
	for s, f := range from {
		for j := range k {
			g.arc(s, len(from)+j, f.Most[j])
		}
		g.arc(source, s, f.Rows)
		rows += f.Rows
	}
	for j := range k {
		if hi[j] < lo[j] {
			return false
		}
		g.arc(len(from)+j, sink, lo[j])
		g.arc(len(from)+j, pool, hi[j]-lo[j])
		must += lo[j]
	}
	if must > rows {
		return false
	}
	g.arc(pool, sink, rows-must)
	return g.flow(source, sink) == rows
}

// A network has arcs with capacities. Arc a and a^1 are opposite.
type network struct {
	first []int // the last arc of each node, −1: none
	next  []int
	to    []int
	room  []int
	level []int
	at    []int
}

func newNetwork(nodes int) *network {
	g := &network{first: make([]int, nodes), level: make([]int, nodes), at: make([]int, nodes)}
	for v := range g.first {
		g.first[v] = -1
	}
	return g
}

func (g *network) arc(a, b, room int) {
	for _, arc := range [][3]int{{a, b, room}, {b, a, 0}} {
		g.next = append(g.next, g.first[arc[0]])
		g.first[arc[0]] = len(g.to)
		g.to = append(g.to, arc[1])
		g.room = append(g.room, arc[2])
	}
}

// flow returns the largest flow from a node to another.
func (g *network) flow(from, to int) (total int) {
	for g.reach(from, to) {
		copy(g.at, g.first)
		for {
			f := g.push(from, to, int(^uint(0)>>1))
			if f == 0 {
				break
			}
			total += f
		}
	}
	return total
}

// reach sets the levels of nodes, and reports whether the end has one.
func (g *network) reach(from, to int) bool {
	for v := range g.level {
		g.level[v] = -1
	}
	g.level[from] = 0
	queue := []int{from}
	for q := 0; q < len(queue); q++ {
		u := queue[q]
		for a := g.first[u]; a >= 0; a = g.next[a] {
			if v := g.to[a]; g.room[a] > 0 && g.level[v] < 0 {
				g.level[v] = g.level[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return g.level[to] >= 0
}

// push sends up to most along arcs that go up one level.
func (g *network) push(u, to, most int) int {
	if u == to {
		return most
	}
	for ; g.at[u] >= 0; g.at[u] = g.next[g.at[u]] {
		a := g.at[u]
		if v := g.to[a]; g.room[a] > 0 && g.level[v] == g.level[u]+1 {
			if f := g.push(v, to, min(most, g.room[a])); f > 0 {
				g.room[a] -= f
				g.room[a^1] += f
				return f
			}
		}
	}
	return 0
}
