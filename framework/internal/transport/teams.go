package transport

import (
	"math"
	"slices"
)

// teams are the groups of a problem, and each row without a group as a team of its own. A
// move takes a row of a team away from one cluster and gives another cluster one. Where Most rows
// of the team are in a cluster already, it passes a row on: the move is a chain of rows.
//
// So the graph of clusters stays as it is, but its arcs are the cheapest chains of teams. A
// team whose rows have moved gets a new version, and its old chains are dropped when they
// are met.
type teams[N number[N]] struct {
	s       *solver[N]
	rows    []int32 // of each team, one after the other
	first   []int32 // of each team, and the end
	group   []int32 // of each team, −1: it is a single row
	version []int32
	heaps   []chainHeap[N] // k × k
	beyond  []N            // the shortest chain that is missing
	missing []bool         // one is
	room    *closure[N]
}

// A chain is a way for a team from a cluster to another, and its length.
type chain[N number[N]] struct {
	length  N
	team    int32
	version int32
}

func newTeams[N number[N]](s *solver[N]) *teams[N] {
	t := &teams[N]{s: s, room: newClosure[N](s.k)}
	groups := int32(0)
	for _, g := range s.Group {
		groups = max(groups, g+1)
	}
	count := make([]int32, groups+1)
	for _, g := range s.Group {
		count[g+1]++
	}
	name := make([]int32, groups)
	for g, n := range count[1:] {
		if n > 0 {
			name[g] = int32(len(t.group))
			t.group = append(t.group, int32(g))
			t.first = append(t.first, n)
		}
	}
	single := int32(len(t.group))
	for range count[0] {
		t.group = append(t.group, -1)
		t.first = append(t.first, 1)
	}
	total := int32(0)
	for i, n := range t.first {
		t.first[i] = total
		total += n
	}
	next := slices.Clone(t.first)
	t.first = append(t.first, total)
	t.rows = make([]int32, total)
	for i, g := range s.Group {
		team := single
		if g >= 0 {
			team = name[g]
		} else {
			single++
		}
		t.rows[next[team]] = int32(i)
		next[team]++
	}
	t.version = make([]int32, len(t.group))
	t.heaps, t.beyond, t.missing = make([]chainHeap[N], s.k*s.k), make([]N, s.k*s.k), make([]bool, s.k*s.k)
	return t
}

func (t *teams[N]) len() int            { return len(t.group) }
func (t *teams[N]) of(team int) []int32 { return t.rows[t.first[team]:t.first[team+1]] }

// most returns how many rows of a team cluster j may have.
func (t *teams[N]) most(team, j int) int {
	if t.group[team] < 0 {
		return 2 // its one row never fills a cluster
	}
	return t.s.Most[j]
}

// A closure has what one team can do: its rows in each cluster, and its shortest chains.
type closure[N number[N]] struct {
	k       int
	count   []int
	most    []int
	best    []entry // k × k: the row whose move is cheapest; row −1: none
	length  []N     // of chains, where before is not −1
	before  []int32 // k × k: the cluster before the last of a chain, −1: there is none
	through []int   // clusters that pass rows on
}

func newClosure[N number[N]](k int) *closure[N] {
	return &closure[N]{k: k, count: make([]int, k), most: make([]int, k), best: make([]entry, k*k),
		length: make([]N, k*k), before: make([]int32, k*k)}
}

// full reports whether a cluster can take no further row of the team.
func (c *closure[N]) full(j int) bool { return c.count[j] >= c.most[j] }

// close finds the shortest chains of a team by Floyd's and Warshall's method. It needs no
// prices: no cycle of moves is shorter than 0.
func (t *teams[N]) close(c *closure[N], team int) {
	k, s := c.k, t.s
	clear(c.count)
	for _, i := range t.of(team) {
		c.count[s.labels[i]]++
	}
	c.through = c.through[:0]
	for j := range k {
		c.most[j] = t.most(team, j)
		if c.count[j] == 0 {
			continue
		}
		if c.full(j) {
			c.through = append(c.through, j)
		}
		for b := range k {
			c.best[j*k+b] = nothing
		}
	}
	for _, i := range t.of(team) {
		a := int(s.labels[i])
		row := s.Costs[int(i)*k : (int(i)+1)*k]
		best := c.best[a*k : a*k+k]
		for b, cost := range row {
			if b == a || cost > largest || cost-row[a] > best[b].key {
				continue
			}
			if e := move(row[a], cost, i); e.less(best[b]) {
				best[b] = e
			}
		}
	}
	for a := range k {
		if c.count[a] == 0 {
			continue
		}
		for b := range k {
			pair := a*k + b
			c.before[pair] = -1
			if e := c.best[pair]; e.row >= 0 {
				c.before[pair] = int32(a)
				c.length[pair] = s.moving(int(e.row), a, b)
			}
		}
	}
	for _, via := range c.through {
		for a := range k {
			if c.count[a] == 0 || a == via || c.before[a*k+via] < 0 {
				continue
			}
			for b := range k {
				if b == a || b == via || c.before[via*k+b] < 0 {
					continue
				}
				d := c.length[a*k+via].plus(c.length[via*k+b])
				if c.before[a*k+b] < 0 || d.less(c.length[a*k+b]) {
					c.length[a*k+b], c.before[a*k+b] = d, c.before[via*k+b]
				}
			}
		}
	}
}

// moves calls do for each pair of clusters that the team has a chain for.
func (c *closure[N]) moves(do func(pair int)) {
	for a := range c.k {
		if c.count[a] == 0 {
			continue
		}
		for b := range c.k {
			if b != a && !c.full(b) && c.before[a*c.k+b] >= 0 {
				do(a*c.k + b)
			}
		}
	}
}

// nodes returns the clusters of the chain from a to b, the last first.
func (c *closure[N]) nodes(a, b int) []int {
	all := []int{b}
	for b != a {
		b = int(c.before[a*c.k+b])
		all = append(all, b)
	}
	return all
}

// apply moves the rows of a chain, and leaves sizes as they are.
func (t *teams[N]) apply(c *closure[N], a, b int) {
	nodes := c.nodes(a, b)
	for i := 1; i < len(nodes); i++ {
		t.s.labels[c.best[nodes[i]*c.k+nodes[i-1]].row] = int32(nodes[i-1])
	}
}

// spread moves rows of teams that have too many in a cluster, each time by the chain that
// is cheapest at the prices.
func (t *teams[N]) spread() error {
	s, c, k := t.s, t.room, t.s.k
	counts := make([]int, k)
	for team := range t.len() {
		over := false
		clear(counts)
		for _, i := range t.of(team) {
			j := s.labels[i]
			counts[j]++
			over = over || counts[j] > t.most(team, int(j))
		}
		for over {
			t.close(c, team)
			a := 0
			for a < k && c.count[a] <= c.most[a] {
				a++
			}
			if a == k {
				break
			}
			to := -1
			var least N
			for b := range k {
				if c.full(b) || b == a || c.before[a*k+b] < 0 {
					continue
				}
				if d := c.length[a*k+b].plus(s.price[b]); to < 0 || d.less(least) {
					to, least = b, d
				}
			}
			if to < 0 {
				return t.crowded(c, team, a)
			}
			t.apply(c, a, to)
			s.size[a]--
			s.size[to]++
		}
	}
	return nil
}

// crowded returns why a team has too many rows: those that the chains from a cluster reach
// must be in clusters that are full.
func (t *teams[N]) crowded(c *closure[N], team, a int) error {
	e := &Infeasible{Grouped: true, Group: t.group[team]}
	for b := range c.k {
		if b == a || c.before[a*c.k+b] >= 0 {
			e.Clusters = append(e.Clusters, b)
			e.Rows += c.count[b]
			e.Bound += max(c.most[b], 0)
		}
	}
	return e
}

// collect is solver.collect.
func (t *teams[N]) collect(limit float64, most int) error {
	s, k := t.s, t.s.k
	price, _ := s.floats()
	clear(t.missing)
	for pair := range t.heaps {
		t.heaps[pair] = t.heaps[pair][:0]
	}
	type part struct {
		pair int
		chain[N]
	}
	const size = 512
	parts := make([][]part, (t.len()+size-1)/size)
	type missed struct {
		length []N
		some   []bool
	}
	left := make([]missed, s.threads)
	rooms := make([]*closure[N], s.threads)
	err := chunks(s.ctx, s.threads, len(parts)*chunk, func(worker, p, _, _ int) error {
		if rooms[worker] == nil {
			rooms[worker] = newClosure[N](k)
			left[worker] = missed{make([]N, k*k), make([]bool, k*k)}
		}
		c, l := rooms[worker], left[worker]
		for team := p * size; team < min(t.len(), (p+1)*size); team++ {
			t.close(c, team)
			c.moves(func(pair int) {
				d := c.length[pair]
				if limit < 0 || d.float(s.unit)+price[pair%k]-price[pair/k] > limit {
					if !l.some[pair] || d.less(l.length[pair]) {
						l.length[pair], l.some[pair] = d, true
					}
					return
				}
				parts[p] = append(parts[p], part{pair, chain[N]{d, int32(team), t.version[team]}})
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range left {
		for pair, some := range l.some {
			if some && (!t.missing[pair] || l.length[pair].less(t.beyond[pair])) {
				t.beyond[pair], t.missing[pair] = l.length[pair], true
			}
		}
	}
	for _, p := range parts {
		for _, one := range p {
			t.heaps[one.pair] = append(t.heaps[one.pair], one.chain)
		}
	}
	for _, h := range t.heaps {
		h.init()
	}
	for a := range k {
		t.refresh(a)
	}
	s.round()
	return nil
}

// refresh is solver.refresh.
func (t *teams[N]) refresh(a int) {
	s := t.s
	for pair := a * s.k; pair < (a+1)*s.k; pair++ {
		h := &t.heaps[pair]
		for len(*h) > 0 && (*h)[0].version != t.version[(*h)[0].team] {
			h.pop()
		}
		switch {
		case len(*h) > 0 && !(t.missing[pair] && t.beyond[pair].less((*h)[0].length)):
			s.from[pair], s.length[pair] = (*h)[0].team, (*h)[0].length
			s.short[pair] = s.length[pair].float(s.unit)
		case t.missing[pair]:
			s.from[pair], s.length[pair] = missing, t.beyond[pair]
			s.short[pair] = s.length[pair].float(s.unit)
		default:
			s.from[pair], s.short[pair] = none, math.Inf(1)
		}
	}
}

// take moves the rows of a step's chain. All clusters where the team has rows get
// new arcs.
func (t *teams[N]) take(step step[N]) {
	team, c, s := int(step.row), t.room, t.s
	t.close(c, team)
	for j, n := range c.count {
		s.dirty[j] = s.dirty[j] || n > 0
	}
	t.apply(c, step.a, step.b)
	t.version[team]++
	t.close(c, team)
	c.moves(func(pair int) {
		if d := c.length[pair]; !t.missing[pair] || d.less(t.beyond[pair]) {
			t.heaps[pair].push(chain[N]{d, step.row, t.version[team]})
		}
	})
}

// shorten makes a way that a team is twice in pass each full cluster of it once. Where its
// chains meet in one, what lies between is a cycle that costs nothing, and the team has a
// chain from the beginning of the first to the end of the second. Both could need
// the same row there. A cluster that is not full is the end of one chain and the beginning of
// the other, which need different rows.
func (t *teams[N]) shorten() {
	for t.shortenOnce() {
	}
}

func (t *teams[N]) shortenOnce() bool {
	s := t.s
	for i, late := range s.steps { // the last step of the way first
		for h := len(s.steps) - 1; h > i; h-- {
			early := s.steps[h]
			if late.a == s.k || late.b == s.k || early.a == s.k || early.b == s.k || late.row != early.row {
				continue
			}
			t.close(t.room, int(late.row))
			first := t.room.nodes(early.a, early.b)
			meet := func(j int) bool { return t.room.full(j) && slices.Contains(first, j) }
			if !slices.ContainsFunc(t.room.nodes(late.a, late.b), meet) {
				continue
			}
			s.steps[i] = step[N]{a: early.a, b: late.b, row: late.row, length: t.room.length[early.a*s.k+late.b]}
			s.steps = slices.Delete(s.steps, i+1, h+1)
			return true
		}
	}
	return false
}
