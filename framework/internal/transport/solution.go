package transport

import "errors"

// errBroken is a bug: the certificate of a solution does not hold.
var errBroken = errors.New("transport: the labels are not optimal at their prices")

// solution proves that the labels are optimal, takes the lowest of them, and prices
// their bounds.
func (s *solver[N]) solution() (*Solution, error) {
	if !s.obeys() {
		return nil, errBroken
	}
	if s.teams != nil {
		if err := s.teams.finish(); err != nil {
			return nil, err
		}
	} else {
		ties, moved, err := s.cheapest(s.labels)
		if err != nil {
			return nil, err
		}
		if moved > 0 {
			return nil, errBroken
		}
		s.lowest(ties)
	}
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	if err := s.collect(-1, 0); err != nil {
		return nil, err
	}
	done := &Solution{Labels: s.labels, Sizes: s.size}
	done.Prices = s.duals()
	done.Looser, done.Fewer = s.shadows()
	var total N
	for i, j := range s.labels {
		total = total.plus(exact[N](s.Costs[i*s.k+int(j)], s.unit))
	}
	done.Total = total.float(s.unit)
	return done, nil
}

// obeys reports whether all sizes are those that the prices ask for.
func (s *solver[N]) obeys() bool {
	rows := 0
	for j, size := range s.size {
		rows += size
		side := s.price[j].minus(s.price[s.k]).sign()
		if size < s.Lo[j] || size > s.Hi[j] || size-s.Lo[j] != s.x[j] || side > 0 && size < s.Hi[j] || side < 0 && size > s.Lo[j] {
			return false
		}
	}
	return rows == s.n
}

// duals returns prices that depend on the labels only: minus the length of the
// shortest way to each cluster in the graph of all moves, less that to the pool.
func (s *solver[N]) duals() []float64 {
	for v := range s.state {
		var zero N
		s.state[v], s.dist[v] = seen, zero
	}
	s.shortestWays(false)
	var zero N
	prices := make([]float64, s.k)
	for j := range prices {
		s.dist[j] = s.dist[s.k].minus(s.dist[j])
		prices[j] = zero.plus(s.dist[j]).float(s.unit)
	}
	return prices
}

// shadows returns how much the total cost falls if a bound is looser by 1. A cluster
// that may have one row more lets a unit go from it to the pool: the cost falls if
// the shortest way from the pool to the cluster is below 0. One that may have a
// row fewer lets a unit come from the pool.
func (s *solver[N]) shadows() (looser, fewer []float64) {
	looser, fewer = make([]float64, s.k), make([]float64, s.k)
	for _, back := range []bool{false, true} {
		for v := range s.state {
			s.state[v] = unseen
		}
		var zero N
		s.state[s.k], s.dist[s.k] = seen, zero
		s.shortestWays(back)
		for j := range s.k {
			if s.state[j] != done || s.dist[j].sign() >= 0 {
				continue
			}
			worth := zero.minus(s.dist[j]).float(s.unit)
			if back && s.x[j] == 0 {
				fewer[j] = worth
			}
			if !back && s.x[j] == s.Hi[j]-s.Lo[j] {
				looser[j] = worth
			}
		}
	}
	return looser, fewer
}

// shortestWays makes dist the plain lengths of the shortest ways from the nodes that
// are seen to all others, or back to them. Nodes that no way leads to stay unseen.
// It is called once or twice, and has no use for rounded lengths.
func (s *solver[N]) shortestWays(back bool) {
	for {
		u := -1
		var least N
		for v, state := range s.state {
			if state != seen {
				continue
			}
			d := s.dist[v]
			if back {
				d = d.minus(s.price[v])
			} else {
				d = d.plus(s.price[v])
			}
			if u < 0 || d.less(least) {
				u, least = v, d
			}
		}
		if u < 0 {
			return
		}
		s.state[u] = done
		for v := range s.state {
			if v == u {
				continue
			}
			from, to := u, v
			if back {
				from, to = v, u
			}
			if t := s.stepOf(from, to); t.row != none {
				s.reach(u, v, s.dist[u].plus(t.length), 0)
			}
		}
	}
}
