package transport

import (
	"math"
	"slices"
)

// arcs is the graph of clusters: for each ordered pair of them the cheapest move of a
// row of the first to the second.
//
// The heap of a pair has all rows of the first cluster that cost less to move than
// the pair's beyond, and that row. What is dearer may be missing. Rows that have left
// stay in a heap until they are its first.
type arcs[N number[N]] struct {
	heaps  []heap    // k × k
	beyond []entry   // row −1: nothing is missing
	length []N       // of the arcs, where from is not none
	short  []float64 // length, rounded; +Inf: none
	from   []int32   // the row of the arc, none, or missing
}

// What arcs.from has besides rows.
const (
	none    = -1 // no row may move
	missing = -2 // the length is a lower bound
)

// collected are the rows that a goroutine has found for a pair.
type collected struct {
	rows   []entry
	beyond entry
}

func newArcs[N number[N]](k, threads int) arcs[N] {
	return arcs[N]{heaps: make([]heap, k*k), beyond: make([]entry, k*k), length: make([]N, k*k), short: make([]float64, k*k),
		from: make([]int32, k*k)}
}

// nothing is the entry beyond which nothing is missing.
var nothing = entry{math.Inf(1), 0, -1}

// rebuild collects, for each pair of clusters, the rows whose move is cheap at the
// prices: about want rows have one, and of each pair at most about cap are kept.
// Which they are changes nothing but the number of rebuilds.
func (s *solver[N]) rebuild(want, most int) error {
	return s.collect(s.quantile(want), max(want, most)+16)
}

// collect is rebuild for moves that cost at most limit at the prices. Where limit is
// below 0, only the cheapest of each pair is kept.
func (s *solver[N]) collect(limit float64, most int) error {
	if s.teams != nil {
		return s.teams.collect(limit, most)
	}
	k := s.k
	price, _ := s.floats()
	workers := make([][]collected, s.threads)
	err := chunks(s.ctx, s.threads, s.n, func(worker, _, from, to int) error {
		if workers[worker] == nil {
			w := make([]collected, k*k)
			for a := range w {
				w[a].beyond = nothing
			}
			workers[worker] = w
		}
		for i := from; i < to; i++ {
			a := int(s.labels[i])
			row := s.Costs[i*k : i*k+k]
			ca := row[a]
			within := ca + price[a] + limit
			of := workers[worker][a*k : a*k+k]
			for b, cb := range row {
				c := &of[b]
				if cb-ca > c.beyond.key || b == a || cb > largest {
					continue
				}
				if e := move(ca, cb, int32(i)); e.less(c.beyond) {
					c.add(e, limit >= 0 && cb+price[b] <= within, most)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for pair := range s.heaps {
		h, beyond := s.heaps[pair][:0], nothing
		for _, w := range workers {
			if w == nil {
				continue
			}
			h = append(h, w[pair].rows...)
			if w[pair].beyond.less(beyond) {
				beyond = w[pair].beyond
			}
		}
		if beyond.row >= 0 {
			h = append(h, beyond)
		}
		h.init()
		s.heaps[pair], s.beyond[pair] = h, beyond
	}
	for a := range k {
		s.refresh(a)
	}
	s.round()
	return nil
}

// add takes an entry that is below beyond: it keeps it, or makes it the new beyond.
func (c *collected) add(e entry, keep bool, most int) {
	if !keep {
		c.beyond = e
		return
	}
	c.rows = append(c.rows, e)
	if len(c.rows) < 2*most {
		return
	}
	slices.SortFunc(c.rows, func(a, b entry) int {
		if a.less(b) {
			return -1
		}
		return 1
	})
	if c.rows[most].less(c.beyond) {
		c.beyond = c.rows[most]
	}
	c.rows = c.rows[:most]
}

// refresh finds the arcs that leave a cluster after its rows have changed.
func (s *solver[N]) refresh(a int) {
	s.dirty[a] = false
	if s.teams != nil {
		s.teams.refresh(a)
		return
	}
	for pair := a * s.k; pair < (a+1)*s.k; pair++ {
		h := &s.heaps[pair]
		for len(*h) > 0 && s.labels[(*h)[0].row] != int32(a) {
			h.pop()
		}
		beyond := s.beyond[pair]
		switch {
		case len(*h) > 0 && !beyond.less((*h)[0]):
			row := (*h)[0].row
			s.from[pair] = row
			s.length[pair] = s.moving(int(row), a, pair-a*s.k)
			s.short[pair] = (*h)[0].key
		case beyond.row >= 0:
			s.from[pair] = missing
			s.short[pair] = beyond.key
			s.length[pair] = exact[N](beyond.key, s.unit).plus(exact[N](beyond.rest, s.unit))
		default:
			s.from[pair] = none
			s.short[pair] = math.Inf(1)
		}
	}
}

// moving returns what it costs to move a row from cluster a to cluster b.
func (s *solver[N]) moving(row, a, b int) N {
	return exact[N](s.Costs[row*s.k+b], s.unit).minus(exact[N](s.Costs[row*s.k+a], s.unit))
}

// relabel moves a row to cluster b, and puts it into the heaps of that cluster.
func (s *solver[N]) relabel(i int32, b int) {
	s.labels[i] = int32(b)
	row := s.Costs[int(i)*s.k : (int(i)+1)*s.k]
	for c, cost := range row {
		if c == b || cost > largest {
			continue
		}
		if e := move(row[b], cost, i); e.less(s.beyond[b*s.k+c]) {
			s.heaps[b*s.k+c].push(e)
		}
	}
}
