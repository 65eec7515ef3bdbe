package kernel

import (
	"math"
	"slices"
)

// whole has the centers of groups in short whole numbers. Where the processor multiplies and
// adds pairs of these, a product takes half the time that it takes in single precision.
//
// A row x' (less the origin, in single precision, as in filter) is X/a, with whole numbers X of
// 16 bits and a number a of its own, and a center c'_j is C_j/b, rounded. In each chain of 128
// features, X and C_j are no longer than 46300, and rounding adds √128/2 at most, so that a sum
// of products is below 2³¹ by Cauchy and Schwarz, whatever happens on the way: there, sums are
// modulo 2³². It is exact, then turned into single precision, and added to those before by
//
//	σ_j = ‖c'_j‖²/2 − Σ (X·C_j)/(a b)
//
// Let y = X/a, e_j = C_j/b, δ ≥ ‖x' − y‖ and η ≥ ‖c'_j − e_j‖ for every j. Then
//
//	x'·c'_j − y·e_j = (x' − y)·c'_j + y·(c'_j − e_j)
//
// so that σ_j is off by δ C + (R + δ) η at most, beside E of filter: that has u for each of the
// roundings of a number of 128 products, of 1/(ab) and of the sum with those before,
// which are ⌈s/128⌉ + 3 and fewer than m. So T of filter becomes
//
//	T + 2 (δ (C + η) + R η)
//
// and all else is as there and in groups. δ is measured for each row, and η for each state of the
// centers. In lengths, R δ is about 10⁻⁴ R², and a hundred times what single precision loses:
// about one row in a hundred is uncertain. Its label is found by distances in double precision
// to the centers of the few groups that may have it.
//
// # Few centers
//
// Where features are in the lanes (filter.dots), rows are copied in whole numbers, so that later looks
// read a quarter of the bytes that the rows have. A lane of products has every 8th or 16th pair of features, in one chain:
// in those, of which there are 514 features at most, X and C_j are no longer than 46300, and rounding
// adds √514/2. The lanes are turned into single precision, added pairwise, and multiplied by 1/(ab), which
// are 4 + 5 roundings, and fewer than m. δ is in the copy, with R² and 1/a. All else is as above.
//
// # Rows in the lanes
//
// Of more centers, but not so many that they are in groups, rows are in the lanes (filter), and are made whole
// numbers while they are looked at. Chains are of 128 features, as in groups; 1/(ab) has three roundings, which are ⌈s/128⌉ + 5 in all
// and fewer than m. δ is measured for each row. All else is as above.
//
// # Few features
//
// In slabs, too, later looks read rows in whole numbers. There, a is of a slab: its longest row is 46300 long, or
// its largest cell is 32766, and at most 32 features are one chain, as above. Beside a slab are a and 1/a.
// A cell is rounded by ½ at most, and before that by less than 2⁻⁸, by a product and by 1/a, so that
//
//	δ = √s (½ + 2⁻⁸)/a
//
// for all rows of the slab. The squares of lengths, ν, are those of y: they are added up like products. So σ_j is
// right for y to within E + ‖y‖ η, with ‖y‖ in place of R, and the leads lose what half.go says,
// with r_i ≤ 2 C. From 2 ‖y‖ η ≤ η (ν/C + C) follows that T of filter becomes
//
//	T + η (ν/C + C) + δ min(2 C, D_i + D_j)
//
// where no root is needed; and with R ≤ ‖y‖ + δ, T needs R² ≤ ν (1 + 2⁻⁷) + 2⁹ δ². Both distances of a gap
// are those of y, and 2 δ is added to their sum, as in half.go.
//
// All of σ_j is a whole number, of units of 1/(ab): ‖c'_j‖²/2 is rounded to one, too, and the last bits of a sum are
// replaced by the number of its center, so that the smallest sum tells it. With N the largest such number, that changes
// a lead, and twice a sum, by 2 (N + 1) units at most, which are added to T, and to D² in its place: where a slab has a
// row much longer than the centers, they are more than what else is rounded. Rows that are shorter than C₀, the longest
// center when the copy was begun, are taken for as long, so that a ≤ 46300/C₀; and b is such that the longest center has
// 46300/(1 + C/2C₀). Then a sum is below 2³¹. Where C is above 32 C₀, centers would have few digits left, and copies get
// another form.
type whole struct {
	packed   []int16 // −c'; of each group or tile, pairs of features of its centers; none: not in use
	scale    float64 // b
	gone     float64 // η
	longest  float64 // C + η
	shortest float64 // C₀
	room     []int16
	lost     []float64 // squares, by center
	of       [2]int    // features and centers that there is room for
}

const (
	wholeChain    = 128    // features, as in C
	wholeLength   = 46300  // in so many features, as in C
	wholeLargest  = 32766  // cell, as in C
	wholeStride   = 32     // cells of a vector
	wholeSpan     = 0x1p40 // C is between this and its inverse
	wholeGrowth   = 32     // C is at most so many times C₀
	wholeCenters  = 256    // at most, in slabs, as in C
	wholeHeads    = 128    // numbers before the slabs of a chunk, as in C: two for each of 16 rows
	lanedFeatures = 512    // at most, of rows in the lanes, as in C
	wholeTrust    = 8      // no more than one in so many rows may be uncertain
)

// lengths has of a center, less the origin, the square of its length, the largest one of a chain, and the
// largest size of a cell; or the largest ones of several centers.
type lengths struct{ square, chain, cell float64 }

func lengthsOf(row, origin []float64) (l lengths) {
	origin = origin[:len(row)]
	for from := 0; from < len(row); from += wholeChain {
		chain := 0.0
		for i := from; i < min(from+wholeChain, len(row)); i++ {
			v := row[i] - origin[i]
			l.square += v * v
			chain += v * v
			l.cell = max(l.cell, math.Abs(v))
		}
		l.chain = max(l.chain, chain)
	}
	return l
}

const (
	wholeFeatures = 4096 // at most, of rows that are copied one by one, as in C
	wholeHead     = 8    // cells of a copied row that have what is known of it, as in C
)

// shortCells is the number of cells of a copied row of s features.
func shortCells(s int) int { return (s + wholeHead + wholeStride - 1) / wholeStride * wholeStride }

// shortSlabs is the number of floats that a copy of n rows has in slabs: of each chunk the factors of its slabs, and the slabs.
func shortSlabs(n, s int) int {
	return (n+chunk-1)/chunk*wholeHeads + (n+slabRows-1)/slabRows*slabRows*((s+1)/2)
}

// packRows packs the centers, the longest of which has the given square, one after the other, and reports
// whether it can.
func (w *whole) packRows(c *Centers, square float64) bool {
	longest := math.Sqrt(square) * (1 + 0x1p-30)
	if !(longest >= 1/wholeSpan && longest <= wholeSpan) {
		return false
	}
	origin := c.filter.origin[:c.S]
	chain, cell, lanes := 0.0, 0.0, chosen().whole
	for j := range c.K {
		var chains [wholeStride / 2]float64
		for l, v := range c.Rows[j*c.S : (j+1)*c.S] {
			v -= origin[l]
			chains[l/2%lanes] += v * v
			cell = max(cell, math.Abs(v))
		}
		chain = max(chain, slices.Max(chains[:]))
	}
	w.scale = min(wholeLength/math.Sqrt(chain), wholeLargest/cell)
	size := shortCells(c.S)
	if of := [2]int{c.S, c.K}; of != w.of { // or cells behind the last feature are not 0
		w.room, w.of = make([]int16, c.K*size), of
	}
	w.packed = w.room
	most := 0.0
	for j := range c.K {
		most = max(most, shorten(w.packed[j*size:(j+1)*size], c.Rows[j*c.S:(j+1)*c.S], origin, w.scale, 1))
	}
	w.lose(most, longest)
	return true
}

// packTiles packs the centers in the tiles of Centers, the longest of which has the given square, likewise.
func (w *whole) packTiles(c *Centers, square float64) bool {
	longest := math.Sqrt(square) * (1 + 0x1p-30)
	if !(longest >= 1/wholeSpan && longest <= wholeSpan) {
		return false
	}
	if longest > wholeGrowth*w.shortest {
		return false
	}
	origin, cell := c.filter.origin[:c.S], 0.0
	for j := range c.K {
		for l, v := range c.Rows[j*c.S : (j+1)*c.S] {
			cell = max(cell, math.Abs(v-origin[l]))
		}
	}
	w.scale = min(wholeLength/(longest*(1+longest/w.shortest/2)), wholeLargest/cell)
	w.tile(c, longest)
	return true
}

// packLanes packs the centers in the tiles of Centers, for rows that are made whole numbers one by one, likewise.
func (w *whole) packLanes(c *Centers) bool {
	origin, all := c.filter.origin[:c.S], lengths{}
	for j := range c.K {
		l := lengthsOf(c.Rows[j*c.S:(j+1)*c.S], origin)
		all = lengths{max(all.square, l.square), max(all.chain, l.chain), max(all.cell, l.cell)} // NaN stays
	}
	longest := math.Sqrt(all.square) * (1 + 0x1p-30)
	if !(longest >= 1/wholeSpan && longest <= wholeSpan) {
		return false
	}
	w.scale = min(wholeLength/math.Sqrt(all.chain), wholeLargest/all.cell)
	w.tile(c, longest)
	return true
}

// tile writes the centers in the tiles of Centers, and what they lose.
func (w *whole) tile(c *Centers, longest float64) {
	even := (c.S + 1) / 2 * 2
	if of := [2]int{c.S, c.K}; of != w.of { // or cells beside the last feature are not 0
		w.room, w.of = make([]int16, c.K*even), of
	}
	w.packed = w.room
	most := 0.0
	c.eachTile(func(first, end int) {
		for j := first; j < end; j++ {
			most = max(most, shorten(w.packed[first*even+2*(j-first):end*even], c.Rows[j*c.S:(j+1)*c.S], c.filter.origin[:c.S], w.scale, end-first))
		}
	})
	w.lose(most, longest)
}

// lose fills in what centers lose, the square of which is at most so much in whole numbers.
func (w *whole) lose(square, longest float64) {
	w.gone = math.Sqrt(square) / w.scale * (1 + 0x1p-20)
	w.longest = (longest + w.gone) * (1 + 0x1p-20)
}

// shorten writes a center, less the origin, in whole numbers, with the pairs of its features in every so many pairs
// of to. It returns the square of what they lose.
func shorten(to []int16, row, origin []float64, scale float64, every int) (lost float64) {
	const round = 0x1.8p52 // a number plus this is rounded to a whole one
	origin = origin[:len(row)]
	for l, v := range row {
		v = (origin[l] - v) * scale
		n := v + round - round
		lost += (v - n) * (v - n)
		to[l/2*2*every+l%2] = int16(n)
	}
	return lost
}

// pack packs the centers, which have these lengths, and reports whether it can.
func (w *whole) pack(c *Centers, all lengths) bool {
	f := &c.filter
	longest := math.Sqrt(all.square) * (1 + 0x1p-30)
	if !(longest >= 1/wholeSpan && longest <= wholeSpan) {
		return false
	}
	w.scale = min(wholeLength/math.Sqrt(all.chain), wholeLargest/all.cell)
	stride := (c.S + wholeStride - 1) / wholeStride * wholeStride
	if of := [2]int{c.S, c.K}; of != w.of { // or cells behind the last feature and center are not 0
		w.room, w.lost, w.of = make([]int16, len(f.groups.order)*stride), make([]float64, len(f.groups.order)), of
	}
	w.packed = w.room
	if n := len(f.groups.order); c.Shares() {
		c.Each(n, func(i int) { w.write(c, i, stride) })
	} else {
		for i := range n {
			w.write(c, i, stride)
		}
	}
	w.lose(slices.Max(w.lost), longest)
	return true
}

// write writes the center of place i, and the square of what it loses, in whole numbers.
func (w *whole) write(c *Centers, i, stride int) {
	j := int(c.filter.groups.order[i])
	if j < 0 {
		return // it is 0, and infinitely far away by half
	}
	to := w.packed[i/groupSize*groupSize*stride+2*(i%groupSize) : (i/groupSize+1)*groupSize*stride]
	w.lost[i] = shorten(to, c.Rows[j*c.S:(j+1)*c.S], c.filter.origin, w.scale, groupSize)
}
