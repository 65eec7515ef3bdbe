package source

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/duck"
)

// take adds the rows of a chunk.
func (s *Split) take(c duck.Chunk) error {
	in, at := s.reader, 0
	next := func() duck.Vector { v := c.Column(at); at++; return v }
	first := len(s.groups)
	lead := make([]duck.Vector, len(s.by.read))
	for i := range lead {
		lead[i] = next()
	}
	s.by.place(lead, c.Rows, s.takeGroup)
	odd := func(i int) {
		if g := s.groups[first+i]; g >= 0 {
			s.odd[g] = true
		}
	}
	var key *duck.Vector
	if in.selection.key != nil {
		v := next()
		if err := in.checkKind(v); err != nil {
			return err
		}
		key = &v
		key.Nulls(c.Rows, odd)
		in.takeKeys(key, c.Rows)
	}
	if in.selection.weight != nil {
		weight := next()
		in.takeWeights(weight, key, c.Rows)
		for i, w := range in.weights[first:] {
			if weight.Null(i) || !isWeight(w) {
				odd(i)
			}
		}
	}
	cells, err := in.builder.Extend(c.Rows)
	if err != nil {
		return err
	}
	s.takeCells(cells, next, c.Rows, odd)
	in.seen += c.Rows
	if in.progress != nil {
		in.progress(in.seen)
	}
	return nil
}

// takeGroup adds the group of a row, −1 for none.
func (s *Split) takeGroup(g int) {
	if g >= len(s.odd) { // the first of a group that was not known
		s.odd = append(s.odd, make([]bool, g+1-len(s.odd))...)
	}
	s.groups = append(s.groups, g)
}

// takeCells writes columns to rows of the matrix.
func (s *Split) takeCells(cells []float64, next func() duck.Vector, rows int, odd func(i int)) {
	in := s.reader
	p := len(in.features)
	vectors, plain := make([]duck.Vector, p), make([][]float64, p)
	for l := range vectors {
		vectors[l] = next()
		plain[l] = duck.View[float64](vectors[l], rows)
	}
	finite := transpose(cells, p, 0, plain)
	var nulls [duck.ChunkRows]int // of each row
	for l, v := range vectors {
		v.Nulls(rows, func(i int) {
			cells[i*p+l] = math.NaN()
			if nulls[i]++; !in.blank || nulls[i] == p {
				odd(i)
			}
		})
		if limit := s.limits[l]; !finite || !math.IsInf(limit, 1) {
			for i, x := range plain[l] {
				if (x-x != 0 || x > limit || x < -limit) && !v.Null(i) {
					odd(i)
				}
			}
		}
	}
}

// sort puts the rows by group.
func (s *Split) sort() {
	s.from = make([]int, len(s.odd)+1)
	for _, g := range s.groups {
		if g >= 0 {
			s.from[g+1]++
		}
	}
	for g := range s.odd {
		s.from[g+1] += s.from[g]
	}
	place := slices.Clone(s.from)
	s.rows = make([]int, s.from[len(s.odd)])
	for i, g := range s.groups {
		if g >= 0 {
			s.rows[place[g]] = i
			place[g]++
		}
	}
	s.groups = nil
}
