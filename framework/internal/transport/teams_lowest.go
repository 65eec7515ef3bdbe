package transport

import (
	"cmp"
	"slices"
)

// finish proves that the labels of all teams are optimal, and makes them the lowest of
// all optimal ones.
func (t *teams[N]) finish() error {
	const size = 512
	parts := make([][]settled, (t.len()+size-1)/size)
	rooms := make([]*closure[N], t.s.threads)
	err := chunks(t.s.ctx, t.s.threads, len(parts)*chunk, func(worker, p, _, _ int) error {
		if rooms[worker] == nil {
			rooms[worker] = newClosure[N](t.s.k)
		}
		for team := p * size; team < min(t.len(), (p+1)*size); team++ {
			one, ok := t.settle(rooms[worker], team)
			if !ok {
				return errBroken
			}
			if len(one.ties) > 0 {
				parts[p] = append(parts[p], one)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w := &teamLowering{places: t.s.k + 1}
	var single []tie
	for _, p := range parts {
		for _, one := range p {
			if t.group[one.team] < 0 {
				single = append(single, one.ties...)
				continue
			}
			w.teams = append(w.teams, one)
		}
	}
	t.lower(w, single)
	return nil
}

// settled is a team with rows that have several cheapest clusters.
type settled struct {
	team  int
	ties  []tie
	index []int32 // of the ties among all
	count []int   // rows of the team in each cluster
	most  []int
	free  []bool // what the team pays for a place in a cluster is the price of the cluster
}

// potentials returns twice what a place of the team in each cluster costs; some is false for clusters
// that the team may have no row in. A place in a cluster that is not full costs what the
// cluster does. That in a full one has a range of prices, of which this is the middle: at the
// end of a range a row would often look tied that is not.
func (t *teams[N]) potentials(c *closure[N]) (q []N, some []bool) {
	q, some = t.highest(c)
	k, price := c.k, t.s.price
	for j := range k {
		if !some[j] {
			continue
		}
		low := price[j]
		for a := range k {
			if a != j && c.full(j) && c.count[a] > 0 && c.before[a*k+j] >= 0 {
				if d := price[a].minus(c.length[a*k+j]); low.less(d) {
					low = d
				}
			}
		}
		q[j] = q[j].plus(low)
	}
	return q, some
}

// highest returns the upper ends of the ranges of potentials: of a full cluster, what the cheapest
// chain costs that leads to one that is not. Clusters
// without such a chain are dearer than all others have a use for.
func (t *teams[N]) highest(c *closure[N]) (q []N, some []bool) {
	k, price := c.k, t.s.price
	q, some = make([]N, k), make([]bool, k)
	var closed []int
	for j := range k {
		switch {
		case !c.full(j):
			q[j], some[j] = price[j], true
		case c.count[j] > 0:
			for b := range k {
				if b != j && !c.full(b) && c.before[j*k+b] >= 0 {
					if d := c.length[j*k+b].plus(price[b]); !some[j] || d.less(q[j]) {
						q[j], some[j] = d, true
					}
				}
			}
			if !some[j] {
				closed = append(closed, j)
			}
		}
	}
	var above N
	lift := func(d N) {
		if above.less(d) {
			above = d
		}
	}
	for _, a := range closed {
		q[a] = price[a]
		for _, b := range closed {
			if a != b && c.before[a*k+b] >= 0 {
				if d := c.length[a*k+b].plus(price[b]); d.less(q[a]) {
					q[a] = d
				}
			}
		}
		lift(price[a].minus(q[a]))
	}
	for _, b := range closed {
		for a := range k {
			if some[a] && c.count[a] > 0 && c.best[a*k+b].row >= 0 {
				lift(q[a].minus(t.s.moving(int(c.best[a*k+b].row), a, b)).minus(q[b]))
			}
		}
	}
	for _, a := range closed {
		q[a] = q[a].plus(above)
	}
	for _, a := range closed {
		some[a] = true
	}
	return q, some
}

// settle checks, exactly, that each row of a team is where it is cheapest by cost and place,
// and returns those with several such clusters.
func (t *teams[N]) settle(c *closure[N], team int) (settled, bool) {
	s, k := t.s, t.s.k
	t.close(c, team)
	q, some := t.potentials(c)
	one := settled{team: team, count: slices.Clone(c.count), most: slices.Clone(c.most), free: make([]bool, k)}
	for j := range k {
		price := s.price[j].plus(s.price[j])
		one.free[j] = some[j] && q[j] == price
		if c.count[j] > c.most[j] || c.count[j] > 0 && q[j].less(price) {
			return one, false
		}
	}
	var near []int32
	for _, i := range t.of(team) {
		a := int(s.labels[i])
		row := s.Costs[int(i)*k : (int(i)+1)*k]
		at := exact[N](row[a], s.unit)
		at = at.plus(at).plus(q[a])
		near = near[:0]
		for b, cost := range row {
			if cost > largest || !some[b] {
				continue
			}
			d := exact[N](cost, s.unit)
			switch d = d.plus(d).plus(q[b]); {
			case d.less(at):
				return one, false
			case d == at:
				near = append(near, int32(b))
			}
		}
		if len(near) > 1 {
			one.ties = append(one.ties, tie{i, slices.Clone(near)})
		}
	}
	return one, true
}

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

// lower is lowering.lower.
func (w *teamLowering) lower(i int) {
	row := w.ties[i].row
	a := int(w.labels[row])
	if w.team[i] < 0 {
		w.leave(int32(i), a)
	}
	for _, j := range w.ties[i].clusters {
		if int(j) >= a {
			return
		}
		failed := &w.failed[w.kind[i]*w.k+int(j)]
		if *failed {
			continue
		}
		if !w.find(w.node(i, int(j)), w.node(i, a)) {
			*failed = true
			continue
		}
		w.labels[row] = j
		w.shift(w.node(i, int(j)), w.node(i, a))
		return
	}
}

// find looks for a way between two nodes.
func (w *teamLowering) find(from, to int) bool {
	w.search++
	w.seen[from] = w.search
	w.queue = append(w.queue[:0], int32(from))
	for q := 0; q < len(w.queue); q++ {
		u := int(w.queue[q])
		found := false
		w.arcs(u, func(v int) {
			if w.seen[v] != w.search {
				w.seen[v], w.from[v] = w.search, int32(u)
				w.queue = append(w.queue, int32(v))
				found = found || v == to
			}
		})
		if found {
			return true
		}
	}
	return false
}

// arcs calls do for the nodes that a unit can go to from a node.
func (w *teamLowering) arcs(u int, do func(v int)) {
	k := w.k
	switch {
	case u == w.pool:
		for j := range k {
			if w.lowering.free[j] && w.x[j] > 0 {
				do(j)
			}
		}
	case u < k:
		for j := range k {
			if w.count[u*k+j] > 0 {
				do(j)
			}
		}
		if w.lowering.free[u] && w.x[u] < w.room[u] {
			do(w.pool)
		}
		for g := range w.teams {
			if team := &w.teams[g]; team.free[u] && team.count[u] > 0 {
				do(w.places + g*k + u)
			}
		}
	default:
		g, j := (u-w.places)/k, (u-w.places)%k
		team := &w.teams[g]
		for _, t := range team.index {
			if int(t) > w.now && int(w.labels[w.ties[t].row]) == j {
				for _, b := range w.ties[t].clusters {
					if int(b) != j {
						do(w.places + g*k + int(b))
					}
				}
			}
		}
		if team.free[j] && team.count[j] < team.most[j] {
			do(j)
		}
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
