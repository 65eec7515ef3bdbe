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

// Renew says that all bounds have ended, so that the filter may be made anew, of another
// number of centers too. Before that, it keeps its origin and its groups.
func (c *Centers) Renew() {
	c.filter.k, c.filter.origin, c.filter.groups.order = 0, c.filter.origin[:0], nil
}

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

// make groups centers: it divides them into halves, and these, until groupSize are left. All threads take
// part in the first division; later ones are made side by side.
func (g *groups) make(c *Centers) {
	n := (c.K + groupSize - 1) / groupSize
	g.order, g.of = make([]int32, n*groupSize), make([]int32, c.K)
	g.drift, g.reach = make([]float64, n), make([]float32, n)
	for i := range g.order {
		g.order[i] = int32(i)
	}
	share := c.Share
	if share == nil {
		share = byOne
	}
	all := division{
		c: c, some: g.order[:c.K], x: make([]float64, c.K*c.S), value: make([]float64, 4*c.K),
		half: [2][]int32{make([]int32, c.K), make([]int32, c.K)},
	}
	for parts := all.divide(c.Rows, share); len(parts) > 0; {
		halves := make([][]division, len(parts))
		share(len(parts), func(i int) { halves[i] = parts[i].divide(nil, byOne) })
		parts = slices.Concat(halves...)
	}
	for i := c.K; i < len(g.order); i++ {
		g.order[i] = -1
	}
	for i, j := range g.order[:c.K] {
		g.of[j] = int32(i / groupSize)
	}
}

// byOne is Centers.Share without others.
func byOne(n int, work func(i int)) {
	for i := range n {
		work(i)
	}
}

// A division divides some centers into two halves that are far from each other.
type division struct {
	c     *Centers
	some  []int32    // which ascend
	x     []float64  // room for these,
	value []float64  // for four numbers of each,
	half  [2][]int32 // and for the label of each in either half: 0, and −1 in the other one
}

// divide puts the centers first that are nearer to one of two points than to the other. The
// points are two centers, and then the means of both halves. It returns the
// halves that are to be divided. x are the centers, one after the other; nil: they are to be copied.
func (d division) divide(x []float64, share func(n int, work func(i int))) []division {
	n := len(d.some)
	if n <= groupSize {
		return nil
	}
	s, first := d.c.S, ((n+groupSize-1)/groupSize+1)/2*groupSize
	if x == nil {
		x = d.x
		for i, j := range d.some {
			copy(x[i*s:(i+1)*s], d.c.Rows[int(j)*s:])
		}
	}
	row := func(i int) []float64 { return x[i*s : (i+1)*s] }
	a := d.farthest(x, row(0), share)
	points := slices.Concat(row(a), row(d.farthest(x, row(a), share)))
	d.split(d.measure(x, points, share), first)
	for range groupRounds - 1 {
		share(2, func(i int) { d.mean(points[i*s:(i+1)*s], x, i) })
		d.split(d.measure(x, points, share), first)
	}
	all := slices.Clone(d.some)
	at := [2]int{0, first}
	for i, j := range all {
		to := &at[-d.half[0][i]]
		d.some[*to] = j
		*to++
	}
	return []division{d.part(0, first), d.part(first, n)}
}

func (d division) part(from, end int) division {
	return division{
		d.c, d.some[from:end], d.x[from*d.c.S : end*d.c.S], d.value[4*from : 4*end],
		[2][]int32{d.half[0][from:end], d.half[1][from:end]},
	}
}

// measure returns the distances of centers to some points.
func (d division) measure(x, points []float64, share func(n int, work func(i int))) []float64 {
	const some = 64 // at a time
	s, n := d.c.S, len(d.some)
	c := Centers{K: len(points) / s, S: s, Rows: points}
	c.Pack()
	to := d.value[:n*c.K]
	share((n+some-1)/some, func(i int) {
		from, end := i*some, min((i+1)*some, n)
		Distances(to[from*c.K:end*c.K], Measure{}, x[from*s:end*s], &c)
	})
	return to
}

// farthest returns which center is farthest from a point, the first of equals.
func (d division) farthest(x, from []float64, share func(n int, work func(i int))) (found int) {
	most := math.Inf(-1)
	for i, q := range d.measure(x, from, share) {
		if q > most {
			most, found = q, i
		}
	}
	return found
}

// split labels the centers by their distances to two points: so many are in the first half, the first
// ones of those that are alike.
func (d division) split(between []float64, first int) {
	n := len(d.some)
	lead, sorted := d.value[2*n:3*n], d.value[3*n:4*n]
	for i := range lead {
		lead[i] = between[2*i] - between[2*i+1]
	}
	copy(sorted, lead)
	slices.Sort(sorted)
	last, alike := sorted[first-1], 0
	for i := first - 1; i >= 0 && cmp.Compare(sorted[i], last) == 0; i-- {
		alike++
	}
	for i, v := range lead {
		order := cmp.Compare(v, last)
		if order == 0 {
			if alike--; alike < 0 {
				order = 1
			}
		}
		d.half[0][i], d.half[1][i] = 0, -1
		if order > 0 {
			d.half[0][i], d.half[1][i] = -1, 0
		}
	}
}

// mean writes the mean of a half to a point.
func (d division) mean(point, x []float64, half int) {
	clear(point)
	rows := Sums{Sum: point, Mass: []float64{0}}
	rows.Move(x, nil, d.half[half], nil)
	for l := range point {
		point[l] /= rows.Mass[0]
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
