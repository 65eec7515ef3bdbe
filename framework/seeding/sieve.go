package seeding

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

const (
	sieved    = 64      // points of a sieve
	fewSieved = 4       // fewer points are not worth one
	sumsRoom  = 2 << 10 // sums that are computed together, to stay in the nearest cache
)

// A sieve tells which of some points may be the nearest of a sparse row, in one pass over
// the row's entries for all points. It changes no result: what it leaves is measured.
//
// With x of the row and c of a point less the base, D² = R² + q, where R² = Σ w x² and
// q = Σ w c² − 2 Σ w x c, whose second sum is over the columns in which any of the points
// has an entry. For a row of m entries, u = 2⁻⁵³, and no point longer than C, sums of
// kernel.Table are right to within (2m + 16)u(C+R)², R² to within (m + 2)u R², and what a
// kernel.Ruler measures to within (m + 4)u D². All that is less than
//
//	E = (4m + 32) u (C+R)²
//
// so that a point is out if R² + q > min(d, least R² + q) + 2E, with d the squared distance
// to the nearest point so far. A number that overflows leaves all points.
type sieve struct {
	place  []int32 // by column: its place in the table, −1 for none
	table  kernel.Table
	reach  float64   // C
	space  []float64 // by column
	missed []bool    // by point: it has missing cells, which a table has not
}

// newSieve returns the sieve of points of p features.
func newSieve(points []entries, p int, space []float64) *sieve {
	s := &sieve{place: slices.Repeat([]int32{-1}, p), space: space, missed: make([]bool, len(points))}
	var used []int32
	for _, c := range points {
		for _, l := range c.columns {
			if s.place[l] < 0 {
				s.place[l] = 0
				used = append(used, l)
			}
		}
	}
	var weights []float64
	slices.Sort(used)
	for t, l := range used {
		s.place[l] = int32(t)
		if space != nil {
			weights = append(weights, space[l])
		}
	}
	centers := framework.NewMatrix(len(points), len(used))
	for j, c := range points {
		for e, l := range c.columns {
			if v := c.offsets[e]; v != v {
				s.missed[j] = true
			} else if space == nil || space[l] != 0 {
				centers.Row(j)[s.place[l]] = v
			}
		}
	}
	s.table.Make(centers.Data, centers.Rows, centers.Cols, weights, true)
	for _, v := range s.table.Square[:centers.Rows] {
		s.reach = max(s.reach, math.Sqrt(v))
	}
	return s
}

// sieves reports whether the sieve knows point t.
func (s *sieve) sieves(t int) bool { return !s.missed[t] }

// A sifting is the memory of one worker.
type sifting struct {
	left [sieved][]int32 // by point: the rows of the block that it may be the nearest of

	packed kernel.Entries // of the block, in the columns of the table
	rows   []int32
	sums   []float64
	norms  []float64 // of the packed entries, which are not all of a row
}

// through sifts a block, whose rows are at the given squared distances to the nearest
// point so far.
func (w *sifting) through(s *sieve, b framework.Block, square []float64) {
	for t := range w.left {
		w.left[t] = w.left[t][:0]
	}
	w.pack(s, b)
	step := max(1, sumsRoom/max(1, s.table.Wide()))
	w.sums = slices.Grow(w.sums[:0], step*s.table.Wide())[:step*s.table.Wide()]
	w.norms = slices.Grow(w.norms[:0], step)[:step]
	for first := 0; first < b.X.Rows; first += step {
		w.rows = w.rows[:0]
		for r := first; r < min(first+step, b.X.Rows); r++ {
			w.rows = append(w.rows, int32(r))
		}
		s.table.Products(w.sums, w.norms, w.packed, w.rows)
		for t, r := range w.rows {
			q := w.sums[t*s.table.Wide():][:s.table.K]
			most := s.most(b, int(r), slices.Min(q), square[r])
			for j, v := range q {
				if !(v > most) {
					w.left[j] = append(w.left[j], r)
				}
			}
		}
	}
}

// most returns the largest q of points that may be the nearest of a row.
func (s *sieve) most(b framework.Block, r int, least, square float64) float64 {
	columns, offsets := b.Sparse.Row(r)
	length := 0.0
	for e, v := range offsets {
		switch {
		case v != v:
		case s.space == nil:
			length += float64(v * v)
		case s.space[columns[e]] != 0:
			length += float64(float64(s.space[columns[e]]*v) * v)
		}
	}
	const slack = 1 + 1e-9 // more than the relative rounding of the bound's own arithmetic
	both := s.reach + math.Sqrt(length)
	e := float64(4*len(offsets)+32) * 0x1p-53 * both * both * slack
	return min(square-length, least) + 2*e
}

// pack takes the entries of a block in the columns of the table.
func (w *sifting) pack(s *sieve, b framework.Block) {
	x := &w.packed
	x.Start, x.Column, x.Offset = append(x.Start[:0], 0), x.Column[:0], x.Offset[:0]
	for r := range b.X.Rows {
		columns, offsets := b.Sparse.Row(r)
		for e, l := range columns {
			if t := s.place[l]; t >= 0 {
				x.Column, x.Offset = append(x.Column, t), append(x.Offset, offsets[e])
			}
		}
		x.Start = append(x.Start, int64(len(x.Column)))
	}
}
