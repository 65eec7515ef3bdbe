package transport

import "math"

// way has what the search for a shortest way in the graph of clusters needs. Its
// nodes are the clusters and the pool. The pool takes rows of clusters that are above
// Lo and below Hi, at no cost.
//
// What float64 decides for certain is decided there: near and key are dist and
// dist + price, rounded at each step, and margin is more than they can be off.
type way[N number[N]] struct {
	dist   []N // lengths, from minus the price of the node of excess where the way begins
	state  []int8
	before []int32 // the node before, −1 at the beginning
	steps  []step[N]

	near  []float64 // +Inf: unseen, −Inf: done
	key   []float64 // +Inf unless seen
	float []float64 // prices
	high  float64   // at least all absolute prices, and the largest difference of costs
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
	return way[N]{dist: make([]N, nodes), state: make([]int8, nodes), before: make([]int32, nodes),
		near: make([]float64, nodes), key: make([]float64, nodes), float: make([]float64, nodes)}
}

// round sets the rounded prices.
func (s *solver[N]) round() {
	s.high = 2 * s.top
	for v := range s.price {
		s.float[v] = s.price[v].float(s.unit)
		s.high = max(s.high, math.Abs(s.float[v]))
	}
}

// margin is above the rounding of lengths of some 1000 steps, and of prices.
func (s *solver[N]) margin(d float64) float64 { return 0x1p-41 * (math.Abs(d) + 2*s.high) }

// shortest finds a shortest way from a node of excess to one that lacks, by Dijkstra's
// method with costs reduced by prices, and changes prices so that its arcs have
// reduced costs of 0, and no arc a lower one.
//
// dist − (minus the price where it began) is the plain length of a way. So the
// reduced length is dist + price, and the search needs no other.
func (s *solver[N]) shortest() (to int, what found) {
	var zero N
	for v := range s.state {
		s.forget(v)
	}
	for v := range s.state {
		if s.excess[v] > 0 {
			s.put(v, -1, zero.minus(s.price[v]), -s.float[v])
			break
		}
	}
	for {
		u := s.least()
		switch {
		case u < 0:
			return 0, nowhere
		case s.before[u] >= 0 && int(s.before[u]) < s.k && u < s.k && s.from[int(s.before[u])*s.k+u] == missing:
			return 0, unknown
		case s.excess[u] < 0:
			s.reprice(s.dist[u].plus(s.price[u]))
			return u, arrived
		}
		s.leave(u)
	}
}

// forget makes a node unseen.
func (s *solver[N]) forget(v int) {
	s.state[v], s.before[v] = unseen, -1
	s.near[v], s.key[v] = math.Inf(1), math.Inf(1)
}

// put makes a node seen, at a distance.
func (s *solver[N]) put(v, before int, d N, near float64) {
	s.state[v], s.before[v] = seen, int32(before)
	s.dist[v], s.near[v], s.key[v] = d, near, near+s.float[v]
}

// least returns the seen node of least reduced length, the first of several, or −1.
func (s *solver[N]) least() int {
	u, key := -1, math.Inf(1)
	for v, d := range s.key {
		if d < key {
			u, key = v, d
		}
	}
	if u < 0 {
		return u
	}
	limit := key + s.margin(s.near[u])
	var best N
	first := true
	for v, d := range s.key {
		if d > limit {
			continue
		}
		if first {
			u, first = v, false
			continue
		}
		if best == *new(N) {
			best = s.dist[u].plus(s.price[u])
		}
		if exact := s.dist[v].plus(s.price[v]); exact.less(best) {
			u, best = v, exact
		}
	}
	return u
}

// reprice changes the prices after a search that ended at a reduced length. The price
// of a node that is nearer rises by what it is nearer.
func (s *solver[N]) reprice(end N) {
	for v, state := range s.state {
		if state == done {
			s.price[v] = end.minus(s.dist[v])
			s.float[v] = s.price[v].float(s.unit)
			s.high = max(s.high, math.Abs(s.float[v]))
		}
	}
}

// leave ends the search at a node, and looks at the arcs from there.
func (s *solver[N]) leave(u int) {
	d, near := s.dist[u], s.near[u]
	s.state[u], s.near[u], s.key[u] = done, math.Inf(-1), math.Inf(1)
	if u == s.k {
		for j, x := range s.x {
			if x > 0 {
				s.reach(u, j, d, near)
			}
		}
		return
	}
	margin := s.margin(near)
	to := s.near[:s.k]
	for b, length := range s.short[u*s.k : u*s.k+s.k][:len(to)] {
		if near+length < to[b]+margin {
			s.reach(u, b, d.plus(s.length[u*s.k+b]), near+length)
		}
	}
	if s.x[u] < s.Hi[u]-s.Lo[u] {
		s.reach(u, s.k, d, near)
	}
}

func (s *solver[N]) reach(u, v int, d N, near float64) {
	if s.state[v] == unseen || s.state[v] == seen && d.less(s.dist[v]) {
		s.put(v, u, d, near)
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
	if s.teams != nil {
		s.teams.shorten()
	}
	for {
		for _, t := range s.steps {
			s.take(t)
		}
		moved++
		s.excess[start]--
		s.excess[to]++
		for a, dirty := range s.dirty {
			if dirty {
				s.refresh(a)
			}
		}
		if s.excess[start] == 0 || s.excess[to] == 0 || s.teams != nil {
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
		s.dirty[t.a], s.dirty[t.b] = true, true
		if s.teams != nil {
			s.teams.take(t)
		} else {
			s.relabel(t.row, t.b)
		}
		s.size[t.a]--
		s.size[t.b]++
	}
}
