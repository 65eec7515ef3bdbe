package transport

// way has what the search for a shortest way in the graph of clusters needs. Its
// nodes are the clusters and the pool. The pool takes rows of clusters that are above
// Lo and below Hi, at no cost.
type way[N number[N]] struct {
	dist   []N // lengths, from minus the price of the node of excess where the way begins
	state  []int8
	before []int32 // the node before, −1 at the beginning
	steps  []step[N]
}

// A step moves one unit: a row from one cluster to another, or what the pool counts.
type step[N number[N]] struct {
	a, b   int
	row    int32
	length N
}

// States of a node.
const (
	unseen = iota
	seen
	done
)

// What a search can find.
type found int

const (
	nowhere found = iota // there is no way
	arrived
	unknown // that depends on rows that are missing in the graph
)

func newWay[N number[N]](nodes int) way[N] {
	return way[N]{dist: make([]N, nodes), state: make([]int8, nodes), before: make([]int32, nodes)}
}

// shortest finds a shortest way from a node of excess to one that lacks, by Dijkstra's
// method with costs reduced by prices, and changes prices so that its arcs have
// reduced costs of 0, and no arc a lower one.
//
// dist − (minus the price where it began) is the plain length of a way. So the
// reduced length is dist + price, and the search needs no other.
func (s *solver[N]) shortest() (to int, what found) {
	var zero N
	for v := range s.state {
		s.state[v], s.before[v] = unseen, -1
		if s.excess[v] > 0 {
			s.state[v] = seen
			s.dist[v] = zero.minus(s.price[v])
		}
	}
	for {
		u := -1
		var least N
		for v, state := range s.state {
			if state != seen {
				continue
			}
			if d := s.dist[v].plus(s.price[v]); u < 0 || d.less(least) {
				u, least = v, d
			}
		}
		switch {
		case u < 0:
			return 0, nowhere
		case s.before[u] >= 0 && int(s.before[u]) < s.k && u < s.k && s.from[int(s.before[u])*s.k+u] == missing:
			return 0, unknown
		case s.excess[u] < 0:
			s.reprice(least)
			return u, arrived
		}
		s.state[u] = done
		s.leave(u)
	}
}

// reprice changes the prices after a search that ended at a reduced length. The price
// of a node that is nearer rises by what it is nearer.
func (s *solver[N]) reprice(end N) {
	for v, state := range s.state {
		if state == done {
			s.price[v] = end.minus(s.dist[v])
		}
	}
}

// leave looks at the arcs from a node.
func (s *solver[N]) leave(u int) {
	d := s.dist[u]
	if u == s.k {
		for j, x := range s.x {
			if x > 0 {
				s.reach(u, j, d)
			}
		}
		return
	}
	for b, row := range s.from[u*s.k : u*s.k+s.k] {
		if row != none && s.state[b] != done {
			s.reach(u, b, d.plus(s.length[u*s.k+b]))
		}
	}
	if s.x[u] < s.Hi[u]-s.Lo[u] {
		s.reach(u, s.k, d)
	}
}

func (s *solver[N]) reach(u, v int, d N) {
	if s.state[v] == unseen || s.state[v] == seen && d.less(s.dist[v]) {
		s.state[v], s.dist[v], s.before[v] = seen, d, int32(u)
	}
}

// augment moves units along the way that has been found, as many as its arcs have the
// same lengths for, and returns how many.
func (s *solver[N]) augment(to int) (moved int) {
	s.steps = s.steps[:0]
	start := to
	for s.before[start] >= 0 {
		a := int(s.before[start])
		s.steps = append(s.steps, s.stepOf(a, start))
		start = a
	}
	for {
		for _, t := range s.steps {
			s.take(t)
		}
		moved++
		s.excess[start]--
		s.excess[to]++
		for _, t := range s.steps {
			if t.a < s.k {
				s.refresh(t.a)
			}
		}
		if to < s.k {
			s.refresh(to)
		}
		if s.excess[start] == 0 || s.excess[to] == 0 {
			return moved
		}
		for i, t := range s.steps {
			next := s.stepOf(t.a, t.b)
			if next.row < 0 || next.length.less(t.length) || t.length.less(next.length) {
				return moved
			}
			s.steps[i] = next
		}
	}
}

// stepOf returns the step of an arc. Its row is none if there is none now.
func (s *solver[N]) stepOf(a, b int) step[N] {
	t := step[N]{a: a, b: b}
	switch {
	case a == s.k && s.x[b] == 0, b == s.k && s.x[a] == s.Hi[a]-s.Lo[a]:
		t.row = none
	case a < s.k && b < s.k:
		t.row = s.from[a*s.k+b]
		t.length = s.length[a*s.k+b]
	}
	return t
}

func (s *solver[N]) take(t step[N]) {
	switch {
	case t.a == s.k:
		s.x[t.b]--
	case t.b == s.k:
		s.x[t.a]++
	default:
		s.relabel(t.row, t.b)
		s.size[t.a]--
		s.size[t.b]++
	}
}
