package means

import (
	"math"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// sparse is what Centers have for sparse rows. Centers are less the base of their
// columns, as the entries of rows are: with x and c less the base, over the columns that
// tell centers apart,
//
//	D² = R² + q,   R² = Σ w x²,   q = Σ w c² − 2 Σ w x c
//
// and only q, whose second sum is over the entries of the row, differs between centers.
// A missing cell takes its w c² away. The row goes to the center of least q; where rounding
// may have exchanged the two least, to that of the least distance as Distances computes it,
// the lowest of equals.
//
// # Error
//
// Let m be the entries of the row, u = 2⁻⁵³, and C ≥ √Σ w c² for all centers. Each of
// the m roundings of the chain of q is of a number of at most (C+R)² + 2CR ≤ 2(C+R)² and a
// little; the constant Σ w c² has an error of 2u·C², the factors of the entries add
// 2u·2RC, and what missing cells take away 3u·C². So q is right to within
//
//	E = (2m + 16) u (C+R)²
//
// # Bound
//
// With the two least q₁ ≤ q₂, of center a the first, D_j² − D_a² ≥ q₂ − q₁ − 2E for every
// other j, and so, with d ≥ √(R² + q + E),
//
//	D_j − D_a ≥ g = (q₂ − q₁ − 2E) / (d₁ + d₂)
//
// As long as centers have moved by less than g − √(2E) (the sum of drifts, as with dense
// rows), δ = D′_j − D′_a > √(2E), and D′_j² − D′_a² ≥ δ² > 2E: the computed q′_a is below
// all others, and a look would find a. E is the same as long as C is: a center longer than
// reach ends the era.
type sparse struct {
	base  []float64
	table kernel.Table
	place []int32 // by column: its place among the columns, −1 for none; nil: they are all columns
	reach float64 // C of this era

	once  sync.Once      // of exact
	exact []kernel.Exact // Σ w c² of each center
	whole framework.Matrix
}

// slack is more than the relative rounding of the bounds' own arithmetic.
const slack = 1e-9

// prepareSparse takes the base from the packed rows and makes them ready. It reports whether
// bounds of before still hold: same says so of the distance.
func (c *Centers) prepareSparse(d Distance, same bool) bool {
	s, near := &c.sparse, &c.near
	if s.base = d.Base; !same {
		s.locate(c.columns, len(d.Base))
	}
	for j := range near.K {
		row := near.Rows[j*near.S : (j+1)*near.S]
		for t, l := range c.columns {
			row[t] -= s.base[l]
		}
	}
	s.table.Make(near.Rows, near.K, near.S, c.measure.Weights, c.measure.Observed)
	longest := 0.0
	for _, v := range s.table.Square[:near.K] {
		longest = max(longest, math.Sqrt(v)*(1+slack))
	}
	if same && longest <= s.reach {
		return true
	}
	if s.reach = 2 * longest; same {
		c.renew()
	}
	return false
}

// locate fills place for the columns of p.
func (s *sparse) locate(columns []int, p int) {
	if len(columns) == p {
		s.place = nil
		return
	}
	s.place = slices.Grow(s.place[:0], p)[:p]
	for l := range s.place {
		s.place[l] = -1
	}
	for t, l := range columns {
		s.place[l] = int32(t)
	}
}

// entriesOf returns the rows of a block as the kernels take them.
func entriesOf(rows *framework.Sparse) kernel.Entries {
	return kernel.Entries{Start: rows.Start, Column: rows.Column, Offset: rows.Offset}
}

// keepEntries returns the entries of the block in the informative columns if the panel keeps them, and none
// otherwise: rows are then packed when they are looked at. A copy pays only from the second assignment by the same
// columns on, and not in runs of one iteration.
func (p *Panel) keepEntries(b framework.Block, c *Centers, room *sums) kernel.Entries {
	now := choice{c, c.choice}
	if c.sparse.place == nil || p.entriesIn != now {
		p.room.left.Add(p.entriesBytes)
		p.entries, p.entriesBytes, p.entriesIn, p.noRoom = kernel.Entries{}, 0, now, false
		if c.sparse.place == nil {
			return entriesOf(b.Sparse)
		}
		return kernel.Entries{}
	}
	if p.entries.Start != nil || p.noRoom || p.room.brief.Load() {
		return p.entries
	}
	found := &room.packed
	c.pack(found, b, room.first(b.X.Rows))
	bytes := int64(len(found.Column))*12 + int64(b.X.Rows+1)*8
	if p.room.left.Add(-bytes) < 0 {
		p.room.left.Add(bytes)
		p.noRoom = true
		return kernel.Entries{}
	}
	p.entries, p.entriesBytes = kernel.Entries{Start: slices.Clone(found.Start), Column: slices.Clone(found.Column), Offset: slices.Clone(found.Offset)}, bytes
	return p.entries
}

// pack writes the entries of some rows of the block in the informative columns.
func (c *Centers) pack(to *kernel.Entries, b framework.Block, rows []int32) {
	most, place := 0, c.sparse.place
	for _, i := range rows {
		most += int(b.Sparse.Start[i+1] - b.Sparse.Start[i])
	}
	at := slices.Grow(to.Column[:0], most)[:most]
	x := slices.Grow(to.Offset[:0], most)[:most]
	n := 0
	to.Start = append(to.Start[:0], 0)
	for _, i := range rows {
		columns, offsets := b.Sparse.Row(int(i))
		for e, l := range columns {
			t := place[l]
			at[n], x[n] = t, offsets[e]
			n += int(uint32(^t) >> 31) // the next one overwrites an entry of place −1
		}
		to.Start = append(to.Start, int64(n))
	}
	to.Column, to.Offset = at[:n], x[:n]
}

// someSums is how many sums are computed at a time: they stay in a first cache.
const someSums = 2048

// sums is room for the sums of some rows, of one worker.
type sums struct {
	rows      []int32 // numbers in the block
	q, square []float64

	packed kernel.Entries // in informative columns, that no panel keeps
	order  []int32        // 0, 1, 2, …
}

var spareSums = sync.Pool{New: func() any { return new(sums) }}

// takeSums returns room for the sums of at most so many rows at a time.
func takeSums(wide int) (*sums, int) {
	room := spareSums.Get().(*sums)
	n := max(1, someSums/max(1, wide))
	room.q = slices.Grow(room.q[:0], n*wide)[:n*wide]
	room.square = slices.Grow(room.square[:0], n)[:n]
	room.rows = slices.Grow(room.rows[:0], n)[:0]
	return room, n
}

// first returns the numbers of the first n rows.
func (s *sums) first(n int) []int32 {
	for i := len(s.order); i < n; i++ {
		s.order = append(s.order, int32(i))
	}
	return s.order[:n]
}

// products computes the sums of the rows. It returns entries in the informative columns, and the numbers of the rows
// in them: those of kept, which are of the whole block, or else of the rows alone.
func (c *Centers) products(room *sums, b framework.Block, kept kernel.Entries) (x kernel.Entries, rows []int32) {
	if x, rows = kept, room.rows; x.Start == nil {
		c.pack(&room.packed, b, room.rows)
		x, rows = room.packed, room.first(len(room.rows))
	}
	c.sparse.table.Products(room.q, room.square, x, rows)
	return x, rows
}

// assignSparse is Assign of sparse rows.
func (c *Centers) assignSparse(b framework.Block, p *Panel, all bool) {
	t := &c.sparse.table
	room, most := takeSums(t.Wide())
	defer spareSums.Put(room)
	kept := p.keepEntries(b, c, room)
	look := func() {
		x, rows := c.products(room, b, kept)
		for n, i := range room.rows {
			columns, offsets := x.Row(int(rows[n]))
			q := room.q[n*t.Wide():][:t.K]
			label, gap := c.nearestOf(q, room.square[n], len(columns))
			if gap < 0 {
				label = c.exactNearest(q, room.square[n], columns, offsets)
			}
			p.bound.Label[i], p.bound.Gap[i] = label, gap
		}
		room.rows = room.rows[:0]
	}
	for i, label := range p.bound.Label {
		if !all && float64(p.bound.Gap[i]) > c.drift[label] {
			continue
		}
		if room.rows = append(room.rows, int32(i)); len(room.rows) == most {
			look()
		}
	}
	look()
}

// nearestOf returns the label of a row with the sums q and so many entries, and its gap.
func (c *Centers) nearestOf(q []float64, square float64, entries int) (int32, float32) {
	label, best, second := int32(0), math.Inf(1), math.Inf(1)
	for j, v := range q {
		switch {
		case v < best:
			label, best, second = int32(j), v, best
		case v < second:
			second = v
		}
	}
	r, e := c.errorOf(square, entries)
	most := func(q float64) float64 { return math.Sqrt(max(0, r*r+q+e)) }
	gap := (second-best-2*e)/((most(best)+most(second))*(1+slack))*(1-slack) - math.Sqrt(2*e)*(1+slack)
	if !(gap > minGap) || math.IsInf(second, 1) {
		return label, -1
	}
	return label, float32(min((gap+c.drift[label])*(1-0x1p-22), maxGap))
}

// exactNearest returns the label of a row whose two least q may be in the wrong order: that of
// the least exact distance among those that can be the least.
func (c *Centers) exactNearest(q []float64, square float64, columns []int32, offsets []float64) (label int32) {
	_, e := c.errorOf(square, len(columns))
	best, _ := leastTwo(q)
	least := math.Inf(1)
	for j, v := range q {
		if v > best+2*e {
			continue
		}
		center := c.near.Rows[j*c.near.S : (j+1)*c.near.S]
		if d := exactDistance(columns, offsets, center, c.measure.Weights, c.sparse.table.Exact[j]); d < least {
			label, least = int32(j), d
		}
	}
	return label
}

const (
	minGap = 1e-30 // below, float32 loses its precision
	maxGap = 3e38
)

// errorOf returns R of a row with so many entries and that square of R, rounded up, and E:
// see sparse.
func (c *Centers) errorOf(square float64, entries int) (length, bound float64) {
	length = math.Sqrt(square) * (1 + slack)
	both := c.sparse.reach + length
	return length, float64(2*entries+16) * 0x1p-53 * both * both * (1 + slack)
}

// wholeSparse makes the centers over all features ready for exactDistance.
func (c *Centers) wholeSparse() *sparse {
	s := &c.sparse
	s.once.Do(func() {
		s.exact = slices.Grow(s.exact[:0], c.source.Rows)[:c.source.Rows]
		if s.whole.Rows != c.source.Rows || s.whole.Cols != c.source.Cols {
			s.whole = framework.NewMatrix(c.source.Rows, c.source.Cols)
		}
		for j := range c.source.Rows {
			row := s.whole.Row(j)
			var sum kernel.Exact
			for l, v := range c.source.Row(j) {
				row[l] = v - s.base[l]
				w := 1.0
				if c.d.Weights != nil {
					w = c.d.Weights[l]
				}
				sum.AddProduct(float64(w*row[l]), row[l])
			}
			s.exact[j] = sum
		}
	})
	return s
}

// exactDistance returns the squared distance of a row to a center less the base, whose
// Σ w c² is rest: what
// the entries are off by, and the length of the center in the other columns. That is
// subtracted in twice the digits, so that nothing of it is left where the center has
// nothing there.
func exactDistance(columns []int32, offsets, center, weights []float64, rest kernel.Exact) float64 {
	var d float64
	for e, l := range columns {
		v, w := center[l], 1.0
		if weights != nil {
			w = weights[l]
		}
		rest.AddProduct(-float64(w*v), v)
		if t := offsets[e] - v; t == t {
			d += float64(float64(w*t) * t)
		}
	}
	return d + max(0, rest.Value())
}

// distance returns the squared distance of a row to center j over all features.
func (s *sparse) distance(c *Centers, columns []int32, offsets []float64, j int) float64 {
	return exactDistance(columns, offsets, s.whole.Row(j), c.d.Weights, s.exact[j])
}

// distancesSparse is Distances of sparse rows.
func (c *Centers) distancesSparse(dst framework.Matrix, b framework.Block) {
	s := c.wholeSparse()
	for i := range b.X.Rows {
		columns, offsets := b.Sparse.Row(i)
		for j := range dst.Row(i) {
			dst.Row(i)[j] = s.distance(c, columns, offsets, j)
		}
	}
}

// measureSparse is Measure of sparse rows. Centers whose q is larger than the second
// least by more than what is rounded are neither the nearest nor the second.
func (c *Centers) measureSparse(b framework.Block, labels []int32, to []framework.Measured) {
	s := c.wholeSparse()
	t := &s.table
	var kept kernel.Entries
	if s.place == nil {
		kept = entriesOf(b.Sparse)
	}
	room, most := takeSums(t.Wide())
	defer spareSums.Put(room)
	d := make([]float64, t.K)
	for first := 0; first < len(labels); first += most {
		room.rows = room.rows[:0]
		for i := first; i < min(first+most, len(labels)); i++ {
			room.rows = append(room.rows, int32(i))
		}
		x, rows := c.products(room, b, kept)
		for n, i := range room.rows {
			q := room.q[n*t.Wide():][:t.K]
			best, second := leastTwo(q)
			_, e := c.errorOf(room.square[n], int(x.Start[rows[n]+1]-x.Start[rows[n]]))
			columns, offsets := b.Sparse.Row(int(i))
			for j, v := range q {
				d[j] = math.Inf(1)
				if !(v > second+4*e) || !(best < math.Inf(1)) || int32(j) == labels[i] {
					d[j] = s.distance(c, columns, offsets, j)
				}
			}
			to[i] = framework.Between(d, int(labels[i]))
		}
	}
}

// leastTwo returns the two least of some numbers.
func leastTwo(q []float64) (best, second float64) {
	best, second = math.Inf(1), math.Inf(1)
	for _, v := range q {
		switch {
		case v < best:
			best, second = v, best
		case v < second:
			second = v
		}
	}
	return best, second
}
