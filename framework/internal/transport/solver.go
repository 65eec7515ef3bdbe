package transport

import (
	"context"
	"math"
	"slices"
)

// A solver has the state of one problem: labels, each of which is the cheapest of its
// row at the prices, and by how much they break the bounds.
type solver[N number[N]] struct {
	Problem
	ctx     context.Context
	threads int
	unit    int
	top     float64 // the largest absolute cost
	n, k    int     // rows and clusters; node k of the graph is the pool

	price  []N // of each node
	labels []int32
	size   []int // of each cluster
	x      []int // size above Lo that the pool has taken, at most Hi − Lo
	excess []int // of each node: what has to leave it

	arcs[N]
	way[N]
	dirty []bool    // clusters whose arcs have changed
	teams *teams[N] // nil: there are no groups
	gaps  []float64 // of some rows: by how much their second cheapest cluster is dearer
}

// small is the size (rows × clusters) of a problem that is solved without looking at
// a part of its rows first.
const small = 1 << 16

func solve[N number[N]](ctx context.Context, p Problem, o Options, top float64, unit int) (*Solution, error) {
	if done, err := free[N](ctx, p, o.Threads, unit); done != nil || err != nil {
		return done, err
	}
	price := make([]N, p.Clusters+1)
	limit := 4 * float64(p.Clusters) * top
	for j := range min(len(o.Prices), p.Clusters) {
		if v := o.Prices[j]; math.Abs(v) <= limit {
			price[j] = exact[N](v, unit)
		}
	}
	s := newSolver(ctx, p, o.Threads, unit, top, price)
	if err := s.begin(o.Prices != nil); err != nil {
		return nil, err
	}
	return s.solution()
}

func newSolver[N number[N]](ctx context.Context, p Problem, threads, unit int, top float64, price []N) *solver[N] {
	n, k := p.Rows, p.Clusters
	s := &solver[N]{Problem: p, ctx: ctx, threads: threads, unit: unit, top: top, n: n, k: k, price: price,
		labels: make([]int32, n), size: make([]int, k), x: make([]int, k), excess: make([]int, k+1)}
	s.arcs = newArcs[N](k, threads)
	s.way = newWay[N](k + 1)
	s.dirty = make([]bool, k)
	if p.Group != nil {
		s.teams = newTeams(s)
	}
	return s
}

// begin finds labels that obey. Prices that are known to be good need no part of the
// rows: at most as many rows have to move as after one.
func (s *solver[N]) begin(priced bool) error {
	if priced {
		if err := s.nearest(); err != nil {
			return err
		}
		if float64(s.measure()) <= 2*math.Sqrt(float64(s.n)*float64(s.k)) {
			return s.obey()
		}
	}
	return s.descend(0)
}

// descend finds prices for a quarter of the rows, unless there are few, and then
// labels of all rows that obey.
func (s *solver[N]) descend(level uint) error {
	if s.n*s.k > small && s.n > 8*s.k {
		part := newSolver(s.ctx, s.sample(level), s.threads, s.unit, s.top, s.price)
		if err := part.descend(level + 1); err != nil && !isInfeasible(err) {
			return err // a part that has no labels has prices all the same
		}
		part.release()
	}
	if err := s.nearest(); err != nil {
		return err
	}
	return s.obey()
}

// sample returns the problem of about a quarter of the rows, drawn by their numbers.
// Its bounds are a part as large, rounded so that they are not tighter.
func (s *solver[N]) sample(level uint) Problem {
	k := s.k
	p := Problem{Clusters: k, Lo: make([]int, k), Hi: make([]int, k)}
	p.Costs = make([]float64, 0, (s.n/4+s.n/64+64)*k)
	p.Most = s.Most
	for i := range s.n {
		which := uint64(i)
		if s.Group != nil && s.Group[i] >= 0 {
			which = 1<<40 + uint64(s.Group[i]) // all rows of a group, or none
		}
		if mix(which^uint64(level)<<56)&3 == 0 {
			p.Costs = append(p.Costs, s.Costs[i*k:i*k+k]...)
			p.Rows++
			if s.Group != nil {
				p.Group = append(p.Group, s.Group[i])
			}
		}
	}
	part := float64(p.Rows) / float64(max(s.n, 1))
	for j := range k {
		p.Lo[j] = int(math.Floor(float64(s.Lo[j]) * part))
		p.Hi[j] = min(int(math.Ceil(float64(s.Hi[j])*part)), p.Rows)
	}
	return p
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// obey moves rows until the bounds are obeyed.
func (s *solver[N]) obey() error {
	todo := s.measure()
	if todo == 0 {
		return nil
	}
	want := 4*todo + 16*s.k
	if s.n*s.k <= small {
		want = s.n * s.k
	}
	if err := s.rebuild(want, todo); err != nil {
		return err
	}
	for moves := 0; ; moves++ {
		if moves%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		switch to, found := s.shortest(); {
		case found == arrived:
			todo -= s.augment(to)
			if todo == 0 {
				return nil
			}
		case found == unknown:
			want *= 4
			if err := s.rebuild(want, todo); err != nil {
				return err
			}
		default:
			return s.contradiction()
		}
	}
}

// measure sets x and excess from sizes and prices, and returns how many units have to
// move. A cluster that is dearer than the pool has to be full, a cheaper one as
// small as it may be: then no cost falls by what the pool takes.
func (s *solver[N]) measure() int {
	pool := s.n
	for j := range s.k {
		pool -= s.Lo[j]
	}
	s.excess[s.k] = -pool
	todo := 0
	for j := range s.k {
		above := s.size[j] - s.Lo[j]
		room := s.Hi[j] - s.Lo[j]
		switch s.price[j].minus(s.price[s.k]).sign() {
		case 1:
			s.x[j] = room
		case -1:
			s.x[j] = 0
		default:
			s.x[j] = min(max(above, 0), room)
		}
		s.excess[j] = above - s.x[j]
		s.excess[s.k] += s.x[j]
		todo += max(s.excess[j], 0)
	}
	return todo + max(s.excess[s.k], 0)
}

// target returns the size that a cluster has to have at its price, or the largest
// where several will do.
func (s *solver[N]) target(j int) int {
	if s.price[j].less(s.price[s.k]) {
		return s.Lo[j]
	}
	return s.Hi[j]
}

// floats returns prices as float64s, and the largest absolute one.
func (s *solver[N]) floats() (price []float64, top float64) {
	price = make([]float64, s.k)
	for j := range price {
		price[j] = s.price[j].float(s.unit)
		top = max(top, math.Abs(price[j]))
	}
	return price, top
}

// release drops what only solving needs.
func (s *solver[N]) release() { s.arcs = arcs[N]{} }

// quantile returns the value below which about a part of the gaps is: want of n.
func (s *solver[N]) quantile(want int) float64 {
	slices.Sort(s.gaps)
	at := int(float64(len(s.gaps)) * (float64(want) / float64(max(s.n, 1))))
	if at >= len(s.gaps) {
		return math.Inf(1)
	}
	return s.gaps[at]
}
