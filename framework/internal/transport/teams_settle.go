package transport

import "slices"

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
