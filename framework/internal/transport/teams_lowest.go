package transport

import (
	"cmp"
	"slices"
)

// A teamLowering is the graph of moves that cost nothing. Its nodes are the clusters and the pool,
// as those of a lowering, and then the places of each team: one in each cluster. A row moves
// from place to place, and a place takes what its cluster gives if it is free.
type teamLowering struct {
	lowering     // its stacks have rows without a group
	places   int // the number of the first place
	teams    []settled
	team     []int32 // of each tie: which of teams, −1: none
	seen     []int32 // of each node: the search that has seen it
	search   int32
	pool     int
	next     []int  // of each cluster and the pool: the team that a search meets next, from 1; 0: it has not been there
	goal     []bool // of each cluster: it leads to where a search goes
	closed   []bool // of each cluster and the pool, and each cluster: there is no way any more
	reached  []int32
}

func (t *teams[N]) lower(w *teamLowering, single []tie) {
	s, k := t.s, t.s.k
	type owned struct {
		tie
		team int32
	}
	var all []owned
	for _, one := range single {
		all = append(all, owned{one, -1})
	}
	for g, team := range w.teams {
		for _, one := range team.ties {
			all = append(all, owned{one, int32(g)})
		}
	}
	slices.SortFunc(all, func(a, b owned) int { return cmp.Compare(a.row, b.row) })
	ties := make([]tie, len(all))
	for i, one := range all {
		ties[i] = one.tie
		w.team = append(w.team, one.team)
		if one.team >= 0 {
			w.teams[one.team].index = append(w.teams[one.team].index, int32(i))
		}
	}
	w.lowering = lowering{k: k, labels: s.labels, size: s.size, x: s.x, free: make([]bool, k), room: make([]int, k)}
	for j := range k {
		w.room[j] = s.Hi[j] - s.Lo[j]
		w.lowering.free[j] = s.price[j] == s.price[k]
	}
	w.begin(tied{ties}, w.team)
	nodes := w.places + len(w.teams)*k
	w.from, w.seen, w.pool = make([]int32, nodes), make([]int32, nodes), k
	w.next, w.goal, w.closed = make([]int, k+1), make([]bool, k), make([]bool, (k+1)*k)
	for i := range w.ties {
		w.now = i
		if i%256 == 0 && s.ctx.Err() != nil {
			return // the caller sees it
		}
		w.lower(i)
	}
	copy(s.size, count(s.labels, k))
}

func count(labels []int32, k int) []int {
	size := make([]int, k)
	for _, j := range labels {
		size[j]++
	}
	return size
}

// node returns the node of a tie's place in cluster j.
func (w *teamLowering) node(tie, j int) int {
	if g := w.team[tie]; g >= 0 {
		return w.places + int(g)*w.k + j
	}
	return j
}

// lower is lowering.lower. If the tie keeps its label for good, what the searches have not reached
// stays out of reach: fewer and fewer rows can move, and those that have moved since are
// other labels that keep all that was fixed. So no search goes on from a cluster from which
// all ways to its goal are known to be closed.
func (w *teamLowering) lower(i int) {
	row := w.ties[i].row
	a := int(w.labels[row])
	if w.team[i] < 0 {
		w.leave(int32(i), a)
	}
	w.reached = w.reached[:0]
	to := w.node(i, a)
	for _, j := range w.ties[i].clusters {
		if int(j) >= a {
			break
		}
		failed := &w.failed[w.kind[i]*w.k+int(j)]
		if *failed {
			continue
		}
		w.goals(i, a)
		if !w.find(w.node(i, int(j)), to) {
			*failed = true
			for u := range w.places {
				if w.seen[u] == w.search {
					w.reached = append(w.reached, int32(u))
				}
			}
			continue
		}
		w.labels[row] = j
		w.shift(w.node(i, int(j)), to)
		return
	}
	for _, u := range w.reached {
		for v, goal := range w.goal {
			w.closed[int(u)*w.k+v] = w.closed[int(u)*w.k+v] || goal
		}
	}
}

// goals sets the clusters from which the rest of a way to the place of a tie in cluster a is
// one of its team.
func (w *teamLowering) goals(i, a int) {
	clear(w.goal)
	g := w.team[i]
	if g < 0 {
		w.goal[a] = true
		return
	}
	team := &w.teams[g]
	leads := make([]bool, w.k)
	leads[a] = true
	for more := true; more; {
		more = false
		for _, t := range team.index {
			if x := w.labels[w.ties[t].row]; int(t) > w.now && !leads[x] &&
				slices.ContainsFunc(w.ties[t].clusters, func(b int32) bool { return leads[b] }) {
				leads[x], more = true, true
			}
		}
	}
	for j, yes := range leads {
		w.goal[j] = yes && team.free[j] && team.count[j] > 0
	}
}

// hopeless reports whether no goal can be reached from a cluster or the pool.
func (w *teamLowering) hopeless(u int) bool {
	for v, goal := range w.goal {
		if goal && !w.closed[u*w.k+v] {
			return false
		}
	}
	return true
}

// find looks for a way between two nodes, in depth: a cluster meets many teams, and mostly one
// of the first will do.
func (w *teamLowering) find(from, to int) bool {
	w.search++
	w.seen[from] = w.search
	clear(w.next)
	stack := w.queue[:0]
	stack = append(stack, int32(from))
	defer func() { w.queue = stack }()
	found := false
	see := func(u, v int) {
		if w.seen[v] != w.search {
			w.seen[v], w.from[v] = w.search, int32(u)
			stack = append(stack, int32(v))
			found = found || v == to
		}
	}
	for len(stack) > 0 && !found {
		u := int(stack[len(stack)-1])
		if u >= w.places {
			stack = stack[:len(stack)-1]
			w.fromPlace(u, see)
			continue
		}
		before := len(stack)
		if w.next[u] == 0 {
			w.next[u] = 1
			if w.hopeless(u) {
				w.next[u] = len(w.teams) + 1
			} else {
				w.fromCluster(u, to, see)
			}
		}
		for u < w.k && w.next[u] <= len(w.teams) && len(stack) == before && !found {
			w.toPlace(w.next[u]-1, u, see)
			w.next[u]++
		}
		if len(stack) == before && !found {
			stack = stack[:before-1]
		}
	}
	return found
}

// fromCluster calls see for the clusters and the pool that a unit can go to from a cluster or the
// pool, and for the place that is looked for.
func (w *teamLowering) fromCluster(u, to int, see func(u, v int)) {
	k := w.k
	if u == w.pool {
		for j := range k {
			if w.lowering.free[j] && w.x[j] > 0 {
				see(u, j)
			}
		}
		return
	}
	if to >= w.places && (to-w.places)%k == u {
		w.toPlace((to-w.places)/k, u, see)
	}
	for j := range k {
		if w.count[u*k+j] > 0 {
			see(u, j)
		}
	}
	if w.lowering.free[u] && w.x[u] < w.room[u] {
		see(u, w.pool)
	}
}

// toPlace calls see if a unit can go from a cluster to a place of team g.
func (w *teamLowering) toPlace(g, u int, see func(u, v int)) {
	if team := &w.teams[g]; team.free[u] && team.count[u] > 0 {
		see(u, w.places+g*w.k+u)
	}
}

// fromPlace calls see for the places that rows of the team can go to, and for the cluster.
func (w *teamLowering) fromPlace(u int, see func(u, v int)) {
	g, j := (u-w.places)/w.k, (u-w.places)%w.k
	team := &w.teams[g]
	for _, t := range team.index {
		if int(t) > w.now && int(w.labels[w.ties[t].row]) == j {
			for _, b := range w.ties[t].clusters {
				if int(b) != j {
					see(u, w.places+g*w.k+int(b))
				}
			}
		}
	}
	if team.free[j] && team.count[j] < team.most[j] {
		see(u, j)
	}
}

// shift moves a unit along the way that find has found.
func (w *teamLowering) shift(from, to int) {
	k := w.k
	for v := to; v != from; {
		u := int(w.from[v])
		switch {
		case u == w.pool:
			w.x[v]--
		case v == w.pool:
			w.x[u]++
		case u < k && v < k:
			t := w.pop(&w.stack[u*k+v], u)
			w.leave(t, u)
			w.labels[w.ties[t].row] = int32(v)
			w.enter(t, v)
		case u < k:
			w.teams[(v-w.places)/k].count[u]--
		case v < k:
			w.teams[(u-w.places)/k].count[v]++
		default:
			w.pass((u-w.places)/k, (u-w.places)%k, int32((v-w.places)%k))
		}
		v = u
	}
}

// pass moves the last row of a team that may move from one place to another.
func (w *teamLowering) pass(g, a int, b int32) {
	index := w.teams[g].index
	for i := len(index) - 1; i >= 0; i-- {
		t := index[i]
		if int(t) > w.now && int(w.labels[w.ties[t].row]) == a && slices.Contains(w.ties[t].clusters, b) {
			w.labels[w.ties[t].row] = b
			return
		}
	}
}
