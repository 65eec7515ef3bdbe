package links

import "slices"

// An Answer is what a search has found out.
type Answer int

// The answers.
const (
	Undecided Answer = iota // the limit of steps was reached
	No
	Yes
)

// Colour completes colours, one a unit, 0..k−1 or −1 for one that is to be
// found, so that no two units that are apart have the same; what is given stays.
// wish, if not nil, has colours that are taken where they can be. It writes to
// colours when the answer is Yes. steps is lowered by the work done.
//
// Units with fewer open neighbours than colours are set aside, for they can be
// coloured last. The rest is searched depth first, the unit with the fewest
// possible colours first (Brélaz 1979, https://doi.org/10.1145/359094.359101).
func (g *Graph) Colour(colours, wish []int32, k int, steps *int) Answer {
	*steps -= len(g.Units) * (k + 8) // what prepare costs
	s := &search{
		g: g, k: k, wish: wish, steps: steps, colour: slices.Clone(colours),
		taken: make([]int32, len(g.Units)*k), free: make([]int, len(g.Units)), open: make([]int, len(g.Units)),
	}
	if !s.prepare() {
		return No
	}
	last := s.setAside()
	s.fresh = !slices.ContainsFunc(s.colour, func(c int32) bool { return c >= 0 })
	if answer := s.try(0); answer != Yes {
		return answer
	}
	for _, u := range slices.Backward(last) {
		for _, c := range s.choices(u, k) {
			s.set(u, c, 1)
			break
		}
	}
	copy(colours, s.colour)
	return Yes
}

type search struct {
	g      *Graph
	k      int
	wish   []int32
	steps  *int
	colour []int32
	taken  []int32 // by unit and colour: neighbours that have it
	free   []int   // by unit: colours that no neighbour has
	open   []int   // by unit: neighbours still to be coloured, none set aside
	core   []int32 // units to be searched
	fresh  bool    // all colours are alike at the start
}

// prepare counts; it is false if what is given already conflicts.
func (s *search) prepare() bool {
	for u := range s.g.Units {
		s.free[u] = s.k
	}
	for u, c := range s.colour {
		for _, v := range s.g.Apart[u] {
			if int(v) == u || c >= 0 && s.colour[v] == c {
				return false
			}
			if c >= 0 {
				if s.taken[int(v)*s.k+int(c)]++; s.taken[int(v)*s.k+int(c)] == 1 {
					s.free[v]--
				}
			} else {
				s.open[v]++
			}
		}
	}
	return true
}

// setAside returns the units that can be coloured after all others, the first
// to be coloured last, and leaves the others in core.
func (s *search) setAside() (last []int32) {
	out := make([]bool, len(s.colour))
	var queue []int32
	check := func(u int32) {
		if s.colour[u] < 0 && !out[u] && s.open[u] < s.free[u] {
			out[u] = true
			queue = append(queue, u)
		}
	}
	for u := range s.colour {
		check(int32(u))
	}
	for at := 0; at < len(queue); at++ {
		for _, v := range s.g.Apart[queue[at]] {
			s.open[v]--
			check(v)
		}
	}
	for u, c := range s.colour {
		if c < 0 && !out[u] {
			s.core = append(s.core, int32(u))
		}
	}
	return queue
}

// try colours the units of core that have no colour yet. used is how many
// colours are in use, if all are alike.
func (s *search) try(used int) Answer {
	if *s.steps -= len(s.core) + 1; *s.steps < 0 {
		return Undecided
	}
	best := int32(-1)
	for _, u := range s.core {
		if s.colour[u] < 0 && (best < 0 || s.free[u] < s.free[best] || s.free[u] == s.free[best] && s.open[u] > s.open[best]) {
			best = u
		}
	}
	if best < 0 {
		return Yes
	}
	limit := s.k
	if s.fresh {
		limit = min(s.k, used+1) // another new colour would be the same
	}
	for _, c := range s.choices(best, limit) {
		s.set(best, c, 1)
		if answer := s.try(max(used, int(c)+1)); answer != No {
			return answer
		}
		s.set(best, c, -1)
	}
	return No
}

// choices returns the colours below limit that no neighbour has, the wish first.
func (s *search) choices(u int32, limit int) []int32 {
	var all []int32
	for c := range limit {
		if s.taken[int(u)*s.k+c] == 0 {
			all = append(all, int32(c))
		}
	}
	if s.wish != nil {
		if at := slices.Index(all, s.wish[u]); at > 0 {
			all = slices.Insert(slices.Delete(all, at, at+1), 0, s.wish[u])
		}
	}
	return all
}

// set gives a unit a colour (by = 1) or takes it away (−1).
func (s *search) set(u, c int32, by int32) {
	s.colour[u] = c
	if by < 0 {
		s.colour[u] = -1
	}
	for _, v := range s.g.Apart[u] {
		s.open[v] -= int(by)
		t := &s.taken[int(v)*s.k+int(c)]
		*t += by
		switch {
		case by > 0 && *t == 1:
			s.free[v]--
		case by < 0 && *t == 0:
			s.free[v]++
		}
	}
}
