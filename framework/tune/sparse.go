package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// someOf returns some of the rows, in the order of their numbers.
func someOf(all *framework.Sparse, numbers []int32) *framework.Sparse {
	some := &framework.Sparse{Base: all.Base, Start: make([]int64, 1, len(numbers)+1)}
	for _, i := range numbers {
		columns, offsets := all.Row(int(i))
		some.Column, some.Offset = append(some.Column, columns...), append(some.Offset, offsets...)
		some.Start = append(some.Start, int64(len(some.Column)))
	}
	return some
}

// permutedSparse is permuted of sparse rows, in time of the order of their entries: in
// each group of features, the rows that have an entry change places with random rows.
func (d *drawer) permutedSparse(random func(...uint64) *rand.Rand) dataset {
	all, n, p := d.rows.Sparse(), d.rows.Len(), d.problem.P
	byColumn, start := entriesOf(all).by(func(e *entries) []int32 { return e.column }, p)
	groups := make([][]int32, p) // columns of each
	for l, c := range d.problem.Columns {
		groups[c.Group] = append(groups[c.Group], int32(l))
	}
	moves := newMoves(n, d.rows.Weights())
	var to entries
	for g, columns := range groups {
		moves.begin()
		for _, l := range columns {
			moves.add(byColumn.row[start[l]:start[l+1]])
		}
		moves.draw(random(uint64(g)))
		for _, l := range columns {
			for e := start[l]; e < start[l+1]; e++ {
				from := byColumn.row[e]
				for i := moves.first[from]; i < moves.end[from]; i++ {
					to.add(moves.row(i), l, byColumn.offset[e])
				}
			}
		}
	}
	drawn := to.rows(all.Base, n)
	if weights := d.rows.Weights(); weights != nil {
		return d.derivedSparse(drawn, weights, nil)
	}
	s := dataset{rows: matrix.FromSparse(drawn, nil, 0), problem: d.problem} // columns are what they were
	s.problem.Links = nil
	return s
}

// entries are cells with their places.
type entries struct {
	row, column []int32
	offset      []float64
}

func (e *entries) add(row, column int32, offset float64) {
	e.row, e.column, e.offset = append(e.row, row), append(e.column, column), append(e.offset, offset)
}

// entriesOf returns those of rows.
func entriesOf(rows *framework.Sparse) *entries {
	e := &entries{row: make([]int32, len(rows.Column)), column: rows.Column, offset: rows.Offset}
	for i := range rows.Rows() {
		for at := rows.Start[i]; at < rows.Start[i+1]; at++ {
			e.row[at] = int32(i)
		}
	}
	return e
}

// by returns the entries in the order of a key below size, equal ones as they were, and
// where those of each key begin, with the end of the last.
func (e *entries) by(key func(*entries) []int32, size int) (*entries, []int64) {
	keys, start := key(e), make([]int64, size+1)
	for _, k := range keys {
		start[k+1]++
	}
	for k := range size {
		start[k+1] += start[k]
	}
	sorted := &entries{make([]int32, len(keys)), make([]int32, len(keys)), make([]float64, len(keys))}
	next := slices.Clone(start)
	for i, k := range keys {
		at := next[k]
		sorted.row[at], sorted.column[at], sorted.offset[at] = e.row[i], e.column[i], e.offset[i]
		next[k]++
	}
	return sorted, start
}

// rows returns n rows with the entries.
func (e *entries) rows(base []float64, n int) *framework.Sparse {
	e, _ = e.by(func(e *entries) []int32 { return e.column }, len(base))
	e, start := e.by(func(e *entries) []int32 { return e.row }, n)
	return &framework.Sparse{Base: base, Start: start, Column: e.column, Offset: e.offset}
}

// moves draw where the cells of some of the rows go; those of all others are alike, and
// go where there is room. With equal weights, each row goes to the place of another,
// every choice of places as likely. With others, it is mass that is moved, as places
// does, but along a circle: all rows lie there in their order, each as long as it is
// heavy, and some of them once more, in a random order from a random point on, with
// random gaps between them. A row gets the cells of the one that lies at its own middle.
type moves struct {
	some       []int32 // the rows
	first, end []int32 // by row: the places where it goes, of some
	order      []int32 // 0, 1, 2, …: with equal weights

	weight []float64 // by row; nil: all equal
	middle []float64 // of each row, along the circle
	mass   float64
	begins float64 // the random point,
	place0 int     // and the first row whose middle is behind it
}

func newMoves(n int, weights []float64) *moves {
	m := &moves{first: slices.Repeat([]int32{-1}, n), end: make([]int32, n)}
	if !differ(weights) {
		for i := range n {
			m.order = append(m.order, int32(i))
		}
		return m
	}
	m.weight, m.middle = weights, make([]float64, n)
	for i, w := range weights {
		m.middle[i] = m.mass + w/2
		m.mass += w
	}
	return m
}

// begin forgets the rows.
func (m *moves) begin() {
	for _, i := range m.some {
		m.first[i] = -1
	}
	m.some = m.some[:0]
}

// add adds rows, each of them once.
func (m *moves) add(rows []int32) {
	for _, i := range rows {
		if m.first[i] < 0 {
			m.some, m.first[i] = append(m.some, i), 0
		}
	}
}

// row returns the row at a place.
func (m *moves) row(place int32) int32 {
	if m.weight == nil {
		return place
	}
	return int32((m.place0 + int(place)) % len(m.weight))
}

// draw fills first and end in for the rows that were added.
func (m *moves) draw(random *rand.Rand) {
	if m.weight != nil {
		m.drawMass(random)
		return
	}
	chosen := make([]int, len(m.some)) // the first steps of a shuffle
	for t, i := range m.some {
		chosen[t] = t + random.IntN(len(m.order)-t)
		m.order[t], m.order[chosen[t]] = m.order[chosen[t]], m.order[t]
		m.first[i], m.end[i] = m.order[t], m.order[t]+1
	}
	for t := len(chosen) - 1; t >= 0; t-- { // taken back
		m.order[t], m.order[chosen[t]] = m.order[chosen[t]], m.order[t]
	}
}

// middleOf returns the middle of the row at a place, from the random point on.
func (m *moves) middleOf(place int) float64 {
	at := m.place0 + place
	if at < len(m.middle) {
		return m.middle[at] - m.begins
	}
	return m.middle[at-len(m.middle)] - m.begins + m.mass
}

func (m *moves) drawMass(random *rand.Rand) {
	n := len(m.middle)
	m.begins = random.Float64() * m.mass
	m.place0 = sort.SearchFloat64s(m.middle, m.begins)
	random.Shuffle(len(m.some), func(i, j int) { m.some[i], m.some[j] = m.some[j], m.some[i] })
	room := m.mass
	for _, i := range m.some {
		room -= m.weight[i]
	}
	all := len(m.some) == n
	before := make([]float64, len(m.some)) // of the gaps before each of them
	for t := range before {
		if !all {
			before[t] = random.Float64() * max(0, room)
		}
	}
	slices.Sort(before)
	next, begin := 0, 0.0 // the first place that has got nothing; the mass of the rows so far
	for t, i := range m.some {
		from, to := before[t]+begin, before[t]+begin+m.weight[i]
		if begin += m.weight[i]; all && t == len(m.some)-1 {
			to = math.Inf(1) // what rounding may leave
		}
		next = max(next, sort.Search(n, func(place int) bool { return m.middleOf(place) >= from }))
		m.first[i] = int32(next)
		for next < n && m.middleOf(next) < to {
			next++
		}
		m.end[i] = int32(next)
	}
}
