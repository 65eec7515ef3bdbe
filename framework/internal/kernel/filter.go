package kernel

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// A filter finds nearest centers in single precision, and is certain of most: of
// those whose label would be the same by distances in double precision, as Bound
// computes them. Only the other rows are looked at again. So it changes no label.
//
// With an origin o, x' = x − o and c' = c − o, squared distances differ by
//
//	‖x−c_j‖² − ‖x−c_i‖² = 2 (S_j − S_i),  S_j = ‖c'_j‖²/2 − x'·c'_j
//
// which takes one operation a feature in place of two. The sum σ_j that is computed
// for S_j is off by at most
//
//	E = (γ + 2u) R C + (γ + u) C²/2 + A,   γ = m·u / (1 − m·u),   u = 2⁻²⁴
//
// where R ≥ ‖x'‖ and C ≥ ‖c'_j‖. The first 2u are for cells of x' and c' that are
// rounded to single precision, and the u beside C² for ‖c'_j‖²/2. γ is for the sum:
// a chain of 64 products begins at 0, and its end is added to those before, the first
// of which is ‖c'_j‖²/2; so each term is rounded m = 64 + ⌈s/64⌉ + 1 times at most,
// and Σ |x'_l c'_jl| ≤ R C. In slabs, which have at most 64 features, one chain begins
// with ‖c'_j‖²/2. Where L features are in the lanes, pieces of 64·min(L, 8) features
// are added one after the other, each from L chains of at most 64 products, which are
// added pairwise: min(⌈s/L⌉, 64) + log₂ L + ⌈s/(64·min(L, 8))⌉ + 1 ≤ m for any s.
// A is for underflow: cells, products and sums may each lose
// 2⁻¹⁵⁰, so that A = 2⁻¹⁴⁹ (√s (R + C) + s + 2). What is of second order is in a
// factor of 1.01.
//
// Distances in double precision have a relative error of at most (s+4)·2⁻⁵³, and
// are at most (R + C)² before the root. So center i is the nearest by them, if all
// others have
//
//	σ_j − σ_i > T ≥ 2E + (s+4)·2⁻⁵³ (R + C)²
//
// T needs no root of R² = ‖x'‖², since 2 R C ≤ R² + C² (which is less than twice as much
// where rows are as long as centers): it is a number times R², plus another one. R²
// follows from the sum of squares in single precision, ν, whose share of error is at
// most ρ = 1.02 (γ + 3u), and 2⁻¹⁴⁰ s for underflow. The gap of a row that is certain is
// a lower bound of Bound's: with i the nearest center, and j the second by σ,
//
//	d_j − d_i ≥ 2 (σ_j − σ_i − T) / (D_j + D_i),   D² = R² + 2σ + T ≥ d²
//
// The bound holds for the one that is truly second, too: its S is at least σ_j − E, and
// d_j − d_i grows with S_j. All of this is computed in single precision, too: |σ| is
// at most C² + R²/2 and a little, so that 2⁻²⁰ (R² + C²) more than makes up for the
// rounding of D²; each other number is rounded to the safe side by a factor.
type filter struct {
	on        bool
	k         int       // centers, since it was renewed
	packed    []float32 // −c' by the inverse of the scale, in the tiles of Centers or in groups
	half      []float32 // ‖c'‖²/2
	origin    []float64 // the mean of the centers when it was renewed
	constants [7]float64
	together  int   // rows to look at that make a slab worth while; 0: the copy of rows has no slabs
	alone     bool  // rows that are in no slab are filtered, too
	dots      bool  // centers are packed one after the other,
	short     bool  // copies of rows are in whole numbers,
	few       whole // and so are centers: see whole.go
	groups    groups
	lengths   []lengths // of centers in groups, in their order

	// Of copies in half precision: see half.go.
	halved      bool
	scale       float64   // of copies, and of rows; 1 in single precision
	form        int       // counts the changes of copies
	reach       []float32 // nil: copies are in single precision
	between     []float64 // room for distances of centers
	least, both float32

	record *record
}

const (
	filteredCenters  = 16      // a filter takes at least so many centers: the time for a row is less for each of many
	filteredFeatures = 8       // of so many features,
	filteredFew      = 5       // or so many centers
	filteredWide     = 100     // of so many features,
	filteredSum      = 1 << 16 // and at most so many, for the sake of R
	filteredCells    = 1 << 17 // of rows and centers, at least: to make a filter takes as long as to measure half as many
	filteredLength   = 0x1p50  // C is between this and its inverse, so that nothing overflows
	slabFeatures     = 32      // rows of at most so many features are copied in slabs, of one chain of products,
	slabRows         = 32      // of at most so many rows, in all implementations
	dotCenters       = 64      // with so many centers at most, features may be in the lanes,
	dotStride        = 16      // and so many of them are whole vectors
	filterRest       = 15      // Filter does nothing so many times after most rows were uncertain
)

// A record says how many rows a filter has looked at, and of how many it was not
// certain, since it was last made.
type record struct {
	mu             sync.Mutex
	looked, unsure int
	rest           int
	halves         bool // copies may be in half precision
	whole          bool // groups, or copies of rows, may be in whole numbers
}

// Filter prepares a filter for Bound.Assign, to be called after Pack. There is none
// where it would not pay, or prove nothing. rows is how many there are; 0: many.
func (c *Centers) Filter(m Measure, rows int) {
	f := &c.filter
	few := rows > 0 && rows*c.K*c.S < filteredCells
	f.on = !few && chosen().tile > 0 && c.filters(m) && f.record.pays() && f.make(c)
}

// filters reports whether a filter is possible. The numbers of centers are floats.
func (c *Centers) filters(m Measure) bool {
	return m.Loss == Squared && !m.Observed && m.Weights == nil && (c.slabs() || c.alone()) && c.K < 1<<24 && c.S <= filteredSum
}

// alone reports whether a filter pays for rows that come one by one.
func (c *Centers) alone() bool {
	return c.K >= filteredCenters && c.S >= filteredFeatures || c.K >= filteredFew && c.S >= filteredWide
}

// slabs reports whether copies of rows are in slabs: some rows side by side, feature by
// feature, which are looked at together.
func (c *Centers) slabs() bool { return c.K > 1 && c.S > 0 && c.S <= slabFeatures && !grouped(c) }

// dots reports whether the filter has features in its lanes: to turn rows would take
// longer than to add up what the lanes have.
func (c *Centers) dots() bool { return !c.slabs() && c.K <= dotCenters && 10*c.K <= c.S }

// lanes reports whether rows are made whole numbers while they are looked at, in the lanes: products take half the time that they
// take in single precision then.
func (c *Centers) lanes() bool {
	return chosen().whole > 0 && c.K > halfCenters && c.S <= lanedFeatures && !c.slabs() && !c.dots() && !grouped(c)
}

// Narrow returns how many numbers Bound.Narrow has for n rows, and 0 if there is no use
// for it. Two cells in half precision or in whole numbers have the room of a number.
func (c *Centers) Narrow(n int) int {
	f := &c.filter
	if !f.on {
		return 0
	}
	if f.short && f.together > 0 {
		return shortSlabs(n, c.S)
	}
	if f.together > 0 {
		n = (n + slabRows - 1) / slabRows * slabRows
	}
	if f.short {
		return n * shortCells(c.S) / 2
	}
	if f.halved {
		return (n*c.S + 1) / 2
	}
	return n * c.S
}

// pays reports whether enough rows were certain.
func (r *record) pays() bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.whole && wholeTrust*r.unsure > r.looked:
		r.whole = false
	case r.halves && halfTrust*r.unsure > r.looked:
		r.halves = false
	case 2*r.unsure > r.looked:
		r.rest = filterRest
	}
	r.looked, r.unsure = 0, 0
	r.rest = max(0, r.rest-1)
	return r.rest == 0
}

// tell counts rows.
func (f *filter) tell(looked, unsure int) {
	if f.on {
		f.record.mu.Lock()
		defer f.record.mu.Unlock()
		f.record.looked, f.record.unsure = f.record.looked+looked, f.record.unsure+unsure
	}
}

// filterOf returns the filter for a measure: an empty one if there is none.
func (c *Centers) filterOf(m Measure) *filter {
	if c.filter.on && c.filters(m) {
		return &c.filter
	}
	return &noFilter
}

var noFilter filter

// make fills the filter in, and reports whether it can be certain of anything.
func (f *filter) make(c *Centers) bool {
	if f.record == nil {
		f.record = new(record)
	}
	if f.k == 0 {
		f.k = c.K
	} else if f.k != c.K {
		panic(fmt.Sprintf("kernel: a filter of %d centers has %d now, without Renew: bounds of rows do not hold any more", f.k, c.K))
	}
	s := c.S
	anew := len(f.origin) != s
	if anew {
		f.record.halves, f.record.whole = true, true
		f.origin = meanOf(f.origin, c)
		if slices.ContainsFunc(f.origin, func(v float64) bool { return math.IsNaN(v - v) }) {
			f.origin = f.origin[:0]
			return false
		}
	}
	if anew || f.halved && !f.record.halves || f.short && !f.record.whole {
		f.scaleOf(c)
		f.record.halves = f.halved || f.short && f.record.halves // or there would be nothing to go back from
	}
	longest := 0.0
	f.alone, f.together, f.dots = c.alone(), 0, c.dots()
	if c.slabs() {
		f.together = togetherFor(c.K, c.S)
	}
	if f.groups.on = f.groups.prepare(c); f.groups.on {
		longest = f.packGroups(c)
	} else if f.dots {
		longest = f.packRows(c)
		if !f.short || !f.few.packRows(c, longest) {
			f.few.packed = nil
		}
	} else {
		longest = f.packTiles(c)
		lanes := f.record.whole && c.lanes() && f.few.packLanes(c)
		if !lanes && !(f.short && f.few.packTiles(c, longest)) {
			f.few.packed = nil
		}
	}
	f.record.whole = f.few.packed != nil || f.groups.on && f.groups.whole.packed != nil // or there would be nothing to go back from
	longest = math.Sqrt(longest) * (1 + 0x1p-30)
	if !(longest >= 1/filteredLength && longest <= filteredLength) {
		return false
	}
	const u = 0x1p-24
	m := u * float64(64+(s+63)/64+1)
	gamma, root, square := m/(1-m), math.Sqrt(float64(s)), longest*longest
	inverse := 1 / f.scale
	area := inverse * inverse                                           // of squares of rows
	perLength := 2 * (1.01*(gamma+2*u)*longest + 0x1p-149*root*f.scale) // of R in 2E
	fixed := 2 * (1.01*(gamma+u)*square/2 + 0x1p-149*(root*longest*inverse+float64(s)+2))
	perSquare := 1.01 * 0x1p-53 * float64(s+4) // of (R + C)² ≤ 2 R² + 2 C²
	span, tiny := 1.02*(gamma+3*u), 0x1p-140*float64(s)*area
	slope := (perLength/longest/2 + 2*perSquare) * (1 + 0x1p-10)
	doubt := (perLength*longest/2+2*perSquare*square+fixed)*(1+0x1p-10) + slope*tiny
	if f.reachOf(c); f.halved {
		doubt += slope * 0x1p14 * area * float64(leastLoss(s)*leastLoss(s))
		slope *= 1 + 0x1p-7
	}
	f.constants = [7]float64{
		min(filteredLength*filteredLength, 0x1p100) / area,
		slope * area, doubt,
		(1 + span + slope + 0x1p-20) * area, tiny + doubt + 0x1p-20*square,
		(1 - span - slope - 0x1p-20) * area, -tiny - doubt - 0x1p-20*square,
	}
	return true
}

// meanOf returns the mean of the centers, in place of another one.
func meanOf(mean []float64, c *Centers) []float64 {
	mean = slices.Grow(mean[:0], c.S)[:c.S]
	clear(mean)
	for j := range c.K {
		for l, v := range c.Rows[j*c.S : (j+1)*c.S] {
			mean[l] += v
		}
	}
	for l := range mean {
		mean[l] /= float64(c.K)
	}
	return mean
}

// packTiles packs the centers in the tiles of Centers, and returns the largest square
// of a length.
func (f *filter) packTiles(c *Centers) (longest float64) {
	f.half = slices.Grow(f.half[:0], c.K)[:c.K]
	f.packed = slices.Grow(f.packed[:0], c.K*c.S)[:c.K*c.S]
	c.eachTile(func(first, end int) {
		for j := first; j < end; j++ {
			longest = max(longest, f.pack(c, j, f.packed[first*c.S+j-first:end*c.S], end-first, j))
		}
	})
	return longest
}

// packRows packs the centers one after the other, filled up with zeros, likewise.
func (f *filter) packRows(c *Centers) (longest float64) {
	stride := (c.S + dotStride - 1) / dotStride * dotStride
	f.half = slices.Grow(f.half[:0], c.K)[:c.K]
	f.packed = slices.Grow(f.packed[:0], c.K*stride)[:c.K*stride]
	clear(f.packed)
	for j := range c.K {
		longest = max(longest, f.pack(c, j, f.packed[j*stride:], 1, j))
	}
	return longest
}

// packGroups packs the centers in groups, likewise, in whole numbers where that can be. The last group is filled
// up with centers that are infinitely far away.
func (f *filter) packGroups(c *Centers) (longest float64) {
	g := &f.groups
	n := len(g.order)
	f.half = slices.Grow(f.half[:0], n)[:n]
	f.lengths = slices.Grow(f.lengths[:0], n)[:n]
	if c.Shares() {
		c.Each(n, func(i int) { f.lengthOf(c, i) })
	} else {
		for i := range n {
			f.lengthOf(c, i)
		}
	}
	var all lengths
	for _, l := range f.lengths {
		all = lengths{max(all.square, l.square), max(all.chain, l.chain), max(all.cell, l.cell)} // NaN stays
	}
	if chosen().whole > 0 && f.record.whole && g.whole.pack(c, all) {
		return all.square
	}
	g.whole.packed = nil
	f.packed = slices.Grow(f.packed[:0], n*c.S)[:n*c.S]
	if c.Shares() {
		c.Each(n, func(i int) { f.packInGroup(c, i) })
	} else {
		for i := range n {
			f.packInGroup(c, i)
		}
	}
	return all.square
}

// lengthOf fills in half and lengths of place i.
func (f *filter) lengthOf(c *Centers, i int) {
	f.half[i], f.lengths[i] = float32(math.Inf(1)), lengths{}
	if j := int(f.groups.order[i]); j >= 0 {
		f.lengths[i] = lengthsOf(c.Rows[j*c.S:(j+1)*c.S], f.origin)
		f.half[i] = float32(f.lengths[i].square / 2)
	}
}

// packInGroup packs the center of place i.
func (f *filter) packInGroup(c *Centers, i int) {
	to := f.packed[i/groupSize*groupSize*c.S+i%groupSize : (i/groupSize+1)*groupSize*c.S]
	if j := int(f.groups.order[i]); j >= 0 {
		f.pack(c, j, to, groupSize, i)
		return
	}
	for l := range c.S {
		to[l*groupSize] = 0
	}
}

// pack writes center j to every so many places of to, its half to place i, and returns
// the square of its length.
func (f *filter) pack(c *Centers, j int, to []float32, every, i int) float64 {
	square, inverse := 0.0, 1/f.scale // a power of two
	row := c.Rows[j*c.S : (j+1)*c.S]
	origin := f.origin[:len(row)]
	at := 0
	for l, v := range row {
		v -= origin[l]
		square += v * v
		to[at] = float32(-v * inverse)
		at += every
	}
	f.half[i] = float32(square / 2)
	return square
}

// togetherFor returns how many rows of a slab must be looked at for all to be: it takes
// about k·s + 5k + 100 cycles, and a row by itself k·s/8 + 100, or k·s/4 without a filter.
func togetherFor(k, s int) int {
	return max(1, min(6, (k*s+5*k+100)/(k*s/8+100)))
}
