package kernel

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// groups are centers that are near each other, with which a filter of many centers
// saves most of its sums: of a row that is looked at, it looks at the group of the row's
// label first, and then only at groups that may have a nearer center (Ding et al.,
// Yinyang k-means, ICML 2015; Elkan, ICML 2003, for groups of one).
//
// For each row and group, Bound.Lower has a lower bound of the distance to the nearest
// center of the group but the label, plus what drift the group had then: the sum of the
// longest ways that a center of the group has gone since the groups were made. So by
// the triangle inequality no center of the group is nearer now than
//
//	L = Lower − drift
//
// The best center so far is at most U away. With the numbers of filter, and A = 2⁻¹⁴⁰ s
// for what underflows, U and the distance M from which Lower is made are
//
//	U² = ν (1 + ρ) + A + 2σ + T + 2⁻²⁰ (ν + C²)
//	M² = ν (1 − ρ) − A + 2σ − T − 2⁻²⁰ (ν + C²)
//
// since 2S is off from 2σ by 2E ≤ T; the last term is for rounding, as in filter. With
// ε = (s+4)·2⁻⁵³, no center of a group with U (1 + 4ε) < L has a distance in double
// precision that is as small as that to the best one, since both are off by a share of ε
// at most. A row is certain if it is so by the groups that were looked at, as without
// groups. Its gap is then the smaller one of theirs, and of L − U − 4ε (L + U) for the
// nearest of the others.
//
// What else is rounded is rounded to the safe side, by factors of 1 ± 2⁻²² and more.
// The bounds of a row that is uncertain include its best center, so that they hold
// whatever its label is. A bound of 0 says nothing.
type groups struct {
	on    bool
	order []int32   // centers, groupSize for each group; −1 in the last group: none
	of    []int32   // the group of each center
	drift []float64 // of each group
	reach []float32 // the same, rounded up
	whole whole
}

const (
	groupSize       = 16
	groupedCenters  = 128  // so many centers are looked at in groups
	groupedFeatures = 32   // of so many features,
	groupedMost     = 4096 // and at most so many, for the sake of room
	groupRounds     = 3    // of finding the direction in which centers are divided
)

// Groups returns the number of groups, for each of which Bound.Lower has a number for
// each row, and 0 if there are none.
func (c *Centers) Groups() int {
	if !c.filter.on || !c.filter.groups.on {
		return 0
	}
	return len(c.filter.groups.drift)
}

// Renew says that all bounds have ended, so that the filter may be made anew. Before
// that, it keeps its origin and its groups.
func (c *Centers) Renew() { c.filter.origin, c.filter.groups.order = c.filter.origin[:0], nil }

// Moved adds how far each center has moved, not rounded down, to the drift of its
// group. It is called after Filter.
func (c *Centers) Moved(moved []float64) {
	g := &c.filter.groups
	if g.order == nil {
		return
	}
	order := g.order
	for i := range g.drift {
		most := 0.0
		for _, j := range order[i*groupSize : (i+1)*groupSize] {
			if j >= 0 {
				most = max(most, moved[j]) // NaN stays
			}
		}
		g.drift[i] = math.Nextafter(g.drift[i]+most, math.Inf(1))
		g.reach[i] = float32(g.drift[i] * (1 + 0x1p-22))
		if !(g.drift[i] < filteredLength) {
			c.filter.on, g.order = false, nil // bounds say nothing any more
		}
	}
}

func grouped(c *Centers) bool {
	return c.K >= groupedCenters && c.K < 1<<24-groupSize && c.S >= groupedFeatures && c.S <= groupedMost
}

// prepare makes groups for the filter of c if there are none, and reports whether there
// can be.
func (g *groups) prepare(c *Centers) bool {
	if !grouped(c) {
		return false
	}
	if g.order == nil {
		g.make(c)
	}
	return true
}

// make groups centers: it divides them into halves, and these, until groupSize are left.
func (g *groups) make(c *Centers) {
	n := (c.K + groupSize - 1) / groupSize
	g.order, g.of = make([]int32, n*groupSize), make([]int32, c.K)
	g.drift, g.reach = make([]float64, n), make([]float32, n)
	for i := range g.order {
		g.order[i] = int32(i)
	}
	all := division{c: c, some: g.order[:c.K], x: make([]float64, c.K*c.S), distance: make([]float64, 2*c.K), value: make([]float64, c.K)}
	share := c.Share
	if share == nil {
		share = func(n int, work func(i int)) {
			for i := range n {
				work(i)
			}
		}
	}
	for parts := []division{all}; len(parts) > 0; {
		halves := make([][]division, len(parts))
		share(len(parts), func(i int) { halves[i] = parts[i].divide() })
		parts = slices.Concat(halves...)
	}
	for i := c.K; i < len(g.order); i++ {
		g.order[i] = -1
	}
	for i, j := range g.order[:c.K] {
		g.of[j] = int32(i / groupSize)
	}
}

// A division divides some centers into two halves that are far from each other.
type division struct {
	c        *Centers
	some     []int32
	x        []float64 // room for these,
	distance []float64 // their distances to one or two points, and,
	value    []float64 // by center, by how much they are nearer to one of two points
}

// divide sorts the centers: those that are nearer to one of two points than to the other
// come first. The points are two centers, and then the means of both halves. It returns the
// halves that are to be divided.
func (d division) divide() []division {
	n := len(d.some)
	if n <= groupSize {
		return nil
	}
	s, half := d.c.S, ((n+groupSize-1)/groupSize+1)/2*groupSize
	all := slices.Clone(d.some)
	for i, j := range all {
		copy(d.x[i*s:(i+1)*s], d.row(j))
	}
	a := d.farthest(all, all[0])
	points := slices.Concat(d.row(a), d.row(d.farthest(all, a)))
	for range groupRounds {
		between := d.measure(points, n)
		for i, j := range all {
			d.value[j] = between[2*i] - between[2*i+1]
		}
		slices.SortFunc(d.some, func(a, b int32) int { return cmp.Or(cmp.Compare(d.value[a], d.value[b]), cmp.Compare(a, b)) })
		d.mean(points[:s], d.some[:half])
		d.mean(points[s:], d.some[half:])
	}
	return []division{
		{d.c, d.some[:half], d.x[:half*s], d.distance[:2*half], d.value},
		{d.c, d.some[half:], d.x[half*s:], d.distance[2*half:], d.value},
	}
}

func (d division) row(j int32) []float64 { return d.c.Rows[int(j)*d.c.S : (int(j)+1)*d.c.S] }

// measure returns the distances of the first n of x to some points.
func (d division) measure(points []float64, n int) []float64 {
	c := Centers{K: len(points) / d.c.S, S: d.c.S, Rows: points}
	c.Pack()
	to := d.distance[:n*c.K]
	Distances(to, Measure{}, d.x, &c)
	return to
}

// farthest returns which of the centers in x is farthest from one of them.
func (d division) farthest(all []int32, from int32) int32 {
	most, found := math.Inf(-1), from
	for i, q := range d.measure(d.row(from), len(all)) {
		if q > most {
			most, found = q, all[i]
		}
	}
	return found
}

// mean writes the mean of some centers to a point.
func (d division) mean(point []float64, some []int32) {
	clear(point)
	for _, j := range some {
		Add(point, d.row(j))
	}
	for l := range point {
		point[l] /= float64(len(some))
	}
}

// A visit is the room for rows that are looked at.
type visit struct {
	x            []float32 // rows, and behind them a panel of slabRows
	heads, lists []int32   // of groups; of groups and rows
	rows         int
}

var visits = sync.Pool{New: func() any { return new(visit) }}

const (
	visitRows  = 512     // at most, as in C
	visitCells = 1 << 17 // together: half a megabyte, of which a group looks at a few at a time
	visitLists = 1 << 20 // groups of all rows, at most, but for slabRows
)

// newVisit returns room for rows of c, to be put back.
func newVisit(c *Centers) *visit {
	v, groups := visits.Get().(*visit), len(c.filter.groups.drift)
	v.rows = max(slabRows, min(visitRows, visitCells/c.S, visitLists/groups))
	cells, lists := (v.rows+slabRows)*c.S, v.rows*groups+2 // two short cells have the room of one, and so have those of a last vector
	v.x = slices.Grow(v.x[:0], cells)[:cells]
	v.heads = slices.Grow(v.heads[:0], groups)[:groups]
	v.lists = slices.Grow(v.lists[:0], lists)[:lists]
	return v
}
