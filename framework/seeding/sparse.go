package seeding

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// isSparse reports whether blocks are sparse.
func isSparse(rows framework.Rows) bool { return rows.Blocks() > 0 && rows.Block(0).Sparse != nil }

// entries are a point as those of a sparse row: its cells less the base, in the columns
// in which they are not 0.
type entries struct {
	columns []int32
	offsets []float64
}

// entriesOf returns the entries of row i.
func entriesOf(rows framework.Rows, i int) (e entries) {
	b, at := framework.Locate(rows, i)
	e.columns, e.offsets = b.Sparse.Row(at)
	return e
}

// entriesFrom returns the entries of a point.
func entriesFrom(cells, base []float64) (e entries) {
	for l, v := range cells {
		if v -= base[l]; v != 0 {
			e.columns, e.offsets = append(e.columns, int32(l)), append(e.offsets, v)
		}
	}
	return e
}

// measureEntries is measure of sparse rows. A block is measured from one point after the
// other: its entries stay in the cache. Where there are many points, a sieve says which of
// them are worth it.
func (f *field) measureEntries(points []entries, first int) error {
	for len(points) > 0 {
		some := points[:min(sieved, len(points))]
		var s *sieve
		if len(some) >= fewSieved {
			s = newSieve(some, f.rows.Block(0).X.Cols, f.space)
		}
		err := parallel.Each(f.ctx, len(f.work), f.rows.Blocks(), func(worker, i int) {
			b, w := f.rows.Block(i), &f.work[worker]
			if w.ruler == nil {
				w.ruler = kernel.NewRuler(b.X.Cols, f.space)
			}
			square, label := f.square[b.Row0:][:b.X.Rows], f.label[b.Row0:][:b.X.Rows]
			if first == 0 {
				f.begin(b.Row0, b.Row0+b.X.Rows)
			}
			if s != nil {
				w.sift.through(s, b, square)
			}
			for t, p := range some {
				w.ruler.Set(p.columns, p.offsets)
				nearer := func(r int) {
					if d := w.ruler.Square(b.Sparse.Row(r)); d < square[r] {
						square[r], label[r] = d, int32(first+t)
					}
				}
				if s != nil && s.sieves(t) {
					for _, r := range w.sift.left[t] {
						nearer(int(r))
					}
					continue
				}
				for r := range b.X.Rows {
					nearer(r)
				}
			}
		})
		if err != nil {
			return err
		}
		points, first = points[len(some):], first+len(some)
	}
	return nil
}

// A ruler measures rows from one point.
type ruler struct {
	point  []float64
	space  []float64
	sparse *kernel.Ruler // of sparse rows
}

// newRuler returns the ruler of a point, which it keeps.
func newRuler(rows framework.Rows, point, space []float64) ruler {
	r := ruler{point: point, space: space}
	if isSparse(rows) {
		r.sparse = kernel.NewRuler(len(point), space)
		e := entriesFrom(point, rows.Block(0).Sparse.Base)
		r.sparse.Set(e.columns, e.offsets)
	}
	return r
}

// rulersOf returns the rulers of some centers.
func rulersOf(rows framework.Rows, centers framework.Matrix, space []float64) []ruler {
	all := make([]ruler, centers.Rows)
	for j := range all {
		all[j] = newRuler(rows, centers.Row(j), space)
	}
	return all
}

// square returns the squared distance of row i of a block.
func (r ruler) square(b framework.Block, i int) float64 {
	if b.Sparse != nil {
		return r.sparse.Square(b.Sparse.Row(i))
	}
	return squareOf(b.X.Row(i), r.point, r.space)
}

// Squares returns the squared distances of the numbered rows to a point, as Square does.
func Squares(rows framework.Rows, numbers []int, point, space []float64) []float64 {
	squares := make([]float64, len(numbers))
	if len(numbers) == 0 {
		return squares
	}
	ruler := newRuler(rows, point, space)
	for t, i := range numbers {
		b, at := framework.Locate(rows, i)
		squares[t] = ruler.square(b, at)
	}
	return squares
}

// Mean returns the mean of the observed cells of the numbered rows, NaN where there is
// none: by row weight, if they are weighted. There must be a row.
func Mean(rows framework.Rows, numbers []int, weighted bool) []float64 {
	p := rows.Block(0).X.Cols
	sum, mass := make([]float64, p), make([]float64, p)
	var base []float64
	if isSparse(rows) {
		base = rows.Block(0).Sparse.Base
		sparseSums(rows, numbers, weighted, sum, mass)
	} else {
		sums(rows, numbers, weighted, sum, mass)
	}
	for l := range sum {
		if sum[l] /= mass[l]; base != nil {
			sum[l] += base[l]
		}
	}
	return sum
}

func weightOf(b framework.Block, i int, weighted bool) float64 {
	if weighted {
		return b.Weight(i)
	}
	return 1
}

// sums writes the sums of the cells of rows and the mass of the observed ones.
func sums(rows framework.Rows, numbers []int, weighted bool, sum, mass []float64) {
	for _, i := range numbers {
		b, at := framework.Locate(rows, i)
		w := weightOf(b, at, weighted)
		for l, v := range b.X.Row(at) {
			if v == v {
				sum[l], mass[l] = sum[l]+w*v, mass[l]+w
			}
		}
	}
}

// sparseSums is sums of sparse rows, of their offsets.
func sparseSums(rows framework.Rows, numbers []int, weighted bool, sum, mass []float64) {
	total, missing := 0.0, mass
	for _, i := range numbers {
		b, at := framework.Locate(rows, i)
		w := weightOf(b, at, weighted)
		total += w
		columns, offsets := b.Sparse.Row(at)
		for e, l := range columns {
			if v := offsets[e]; v == v {
				sum[l] += w * v
			} else {
				missing[l] += w
			}
		}
	}
	for l, m := range missing {
		mass[l] = total - m
	}
}

// both calls do for the columns in which one of two sparse rows has an entry, in
// ascending order, with the offsets of both.
func both(x, y entries, do func(l int32, u, v float64)) {
	i, j := 0, 0
	for i < len(x.columns) || j < len(y.columns) {
		switch {
		case j == len(y.columns) || i < len(x.columns) && x.columns[i] < y.columns[j]:
			do(x.columns[i], x.offsets[i], 0)
			i++
		case i == len(x.columns) || y.columns[j] < x.columns[i]:
			do(y.columns[j], 0, y.offsets[j])
			j++
		default:
			do(x.columns[i], x.offsets[i], y.offsets[j])
			i, j = i+1, j+1
		}
	}
}

// squareOfEntries is squareOf two sparse rows, to the last bit the same in either order.
func squareOfEntries(x, y entries, space []float64) (d float64) {
	both(x, y, func(l int32, u, v float64) {
		e := u - v
		switch {
		case e != e:
		case space == nil:
			d += float64(e * e)
		case space[l] != 0:
			d += float64(space[l] * e * e)
		}
	})
	return d
}
