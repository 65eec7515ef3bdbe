// Package kernel has the hot loops, as functions on plain slices.
//
// Every distance of a row to a center is one chain of operations in the order
// of the features, starting from 0:
//
//	squared              d = fma(x−c, x−c, d)
//	squared, weighted    d = fma(w·(x−c), x−c, d)
//	absolute             d = d + |x−c|
//	absolute, weighted   d = fma(w, |x−c|, d)
//
// With Observed set, NaN cells of x are left out. A vector holds cells of several
// rows, never several features of one row, and operations are reordered or fused
// only as above, so all implementations give the same bits. Ties go to the lowest
// center.
//
// The implementations are plain Go (portable.go, the definition of the others), and
// one C file (tile.h) compiled for AVX2, AVX-512 and NEON. The best that the
// processor has is used, or the one that the environment variable SQLCLUSTER_KERNEL
// names: go, avx2, avx512, avx512vnni or neon. If there is none of that name, Unknown says so,
// and nothing may run.
package kernel

import (
	"fmt"
	"os"
	"sync"
)

// A Measure says what a distance sums.
type Measure struct {
	Loss     Loss
	Observed bool      // NaN cells are left out; otherwise there must be none
	Weights  []float64 // feature weights, ≥ 0; nil: all 1
}

// Centers are k centers of s features, made ready for the implementation. With a filter, K is the same until Renew.
type Centers struct {
	K, S   int
	Rows   []float64 // k × s, row-major
	packed []float64
	filter filter

	// Share, if not nil, calls work for every i below n on several goroutines.
	Share func(n int, work func(i int))
}

// Shares reports whether what is done for each center is shared out. To do it there takes an
// allocation, which a small model would feel.
func (c *Centers) Shares() bool { return c.Share != nil && c.K*c.S >= 1<<16 }

// Each calls work for every i below n by Share, some of them together.
func (c *Centers) Each(n int, work func(i int)) {
	const some = 16
	c.Share((n+some-1)/some, func(i int) {
		for j := i * some; j < min((i+1)*some, n); j++ {
			work(j)
		}
	})
}

// Pack makes the centers ready after Rows was changed. There is no filter until Filter
// is called.
func (c *Centers) Pack() {
	c.filter.on = false
	tile := chosen().tile
	if tile == 0 {
		return
	}
	if n := len(c.Rows); n <= cap(c.packed) {
		c.packed = c.packed[:n]
	} else {
		c.packed = make([]float64, n, n+n/4) // slices.Grow would write zeros to all of it first
	}
	tiles := (c.K + tile - 1) / tile
	if c.Shares() {
		c.Each(tiles, func(t int) { c.packTile(t*c.K/tiles, (t+1)*c.K/tiles) })
		return
	}
	for t := range tiles {
		c.packTile(t*c.K/tiles, (t+1)*c.K/tiles)
	}
}

// packTile packs the centers of a tile, from the first one on.
func (c *Centers) packTile(first, end int) {
	to := c.packed[first*c.S : end*c.S]
	for j := first; j < end; j++ {
		at := j - first
		for _, v := range c.Rows[j*c.S : (j+1)*c.S] {
			to[at] = v
			at += end - first
		}
	}
}

// eachTile calls work for the first center of each tile of the implementation, and for
// that of the next one.
func (c *Centers) eachTile(work func(first, end int)) {
	tile := chosen().tile
	tiles := (c.K + tile - 1) / tile
	for t := range tiles {
		work(t*c.K/tiles, (t+1)*c.K/tiles)
	}
}

// Nearest has the nearest center of each row, and the distances to it and to the
// second nearest, +Inf if there is none. Best and Second may be nil.
type Nearest struct {
	Label        []int32
	Best, Second []float64
}

// Find finds the nearest center of the first len(f.Label) rows of x (… × c.S,
// row-major).
func (f Nearest) Find(m Measure, x []float64, c *Centers) {
	n := len(f.Label)
	if f.Best != nil && len(f.Best) < n || f.Second != nil && len(f.Second) < n {
		panic(fmt.Sprintf("kernel: room for %d and %d distances of %d rows", len(f.Best), len(f.Second), n))
	}
	if n > 0 && c.K > 0 {
		check(m, x, n, c)
		chosen().find(m, x, n, c, f, nil)
	}
}

// Distances writes the distance of each of the first len(dst)/k rows of x to
// each center to dst (rows × k).
func Distances(dst []float64, m Measure, x []float64, c *Centers) {
	if len(dst) > 0 && c.K > 0 {
		check(m, x, len(dst)/c.K, c)
		chosen().find(m, x, len(dst)/c.K, c, Nearest{}, dst)
	}
}

// check panics if C would read outside the slices.
func check(m Measure, x []float64, n int, c *Centers) {
	if n*c.S > len(x) || len(c.Rows) != c.K*c.S || m.Weights != nil && len(m.Weights) != c.S ||
		chosen().tile > 0 && len(c.packed) != len(c.Rows) {
		panic(fmt.Sprintf("kernel: %d rows of %d cells, %d center cells (%d packed) and %d weights for %d centers of %d features",
			n, len(x), len(c.Rows), len(c.packed), len(m.Weights), c.K, c.S))
	}
}

// Sums are the weighted sums of the rows of each cluster (k × p) about an
// origin (p; nil: 0), the weight of the rows (k) and, when cells are missing, of
// the observed cells (k × p; else nil).
//
// With Low (k × p), sums are in two parts, and rows are counted instead of weighted:
// a weight above 0 counts as 1, and a row of weight 0 does not count. Sum has the
// first 26 bits of each cell and Low the other 27, so the sums of up to 2²⁶ equal
// cells are exact, and their mean is the cell. The sums are then not about the
// origin; only Means uses it.
type Sums struct {
	Sum, Mass, Count []float64
	Origin           []float64
	Low              []float64
}

// lowBits masks the bits of a cell that go into Low.
const lowBits = 1<<27 - 1

// Move adds row i of x (… × p) with weight[i] to the sums of cluster to[i], and
// takes it from those of cluster from[i], if the two differ. −1 means no cluster; a
// nil from means all −1, and a nil weight all 1.
func (s Sums) Move(x []float64, from, to []int32, weight []float64) {
	k, n := len(s.Mass), len(to)
	if k == 0 || n == 0 {
		return
	}
	p := len(s.Sum) / k
	if n*p > len(x) || from != nil && len(from) != n || weight != nil && len(weight) < n ||
		s.Count != nil && len(s.Count) != len(s.Sum) || s.Low != nil && len(s.Low) != len(s.Sum) || s.Origin != nil && len(s.Origin) != p {
		panic(fmt.Sprintf("kernel: %d labels, %d labels before and %d weights for %d cells", n, len(from), len(weight), len(x)))
	}
	if i := chosen().move(s, x, p, from, to, weight); i < n {
		panic(fmt.Sprintf("kernel: label of row %d is not below %d", i, k))
	}
}

// Means writes the mean of each cluster to mean (k × p), 0 where there is no mass.
// It writes to column (p), for each feature, the sum of squared distances of the
// rows to theta (k × p), the centers of their clusters. square (p) has the sums of
// squares of all rows about the origin:
//
//	max(0, square − Σ_j sum_j²/m_j) + Σ_j m_j (mean_j − theta_j)²
//
// With Low, sum_j is Sum + Low − m_j · origin, and
//
//	mean_j = Sum/m_j + Low·(1/m_j)
//
// If all cells are equal, the first term is exact, and the second is so small that
// its rounding is lost in the sum. share, if not nil, calls work for every i below n on several goroutines.
func (s Sums) Means(mean, theta, square, column []float64, share func(n int, work func(i int))) {
	if k, p := len(s.Mass), len(column); len(s.Sum) != k*p || len(mean) != k*p || len(theta) != k*p || len(square) != p ||
		s.Count != nil && len(s.Count) != k*p || s.Low != nil && len(s.Low) != k*p || s.Origin != nil && len(s.Origin) != p {
		panic(fmt.Sprintf("kernel: %d sums, %d means and %d centers of %d clusters and %d features", len(s.Sum), len(mean), len(theta), k, p))
	}
	const panel, shared = 64, 1 << 16 // columns, as in C
	if n := len(column); share != nil && len(mean) >= shared {
		share((n+panel-1)/panel, func(i int) { chosen().means(s, square, theta, mean, column, i*panel, min((i+1)*panel, n)) })
	} else if n > 0 {
		chosen().means(s, square, theta, mean, column, 0, n)
	}
}

// Add adds x to sum, entry by entry.
func Add(sum, x []float64) {
	sum = sum[:len(x)]
	if len(x) > 0 {
		chosen().add(sum, x)
	}
}

// Drain adds x to sum, entry by entry, and leaves zeros in x. Where x is 0 already, nothing is
// written. No entry of sum may be −0.
func Drain(sum, x []float64) {
	sum = sum[:len(x)]
	if len(x) > 0 {
		chosen().drain(sum, x)
	}
}

// AddSquares adds mass[j] · x_j² to sum, entry by entry and in the order of the rows x_j of x
// (len(mass) × len(sum)).
func AddSquares(sum, x, mass []float64) {
	if len(x) != len(sum)*len(mass) {
		panic(fmt.Sprintf("kernel: %d cells for %d masses and %d sums", len(x), len(mass), len(sum)))
	}
	if len(x) > 0 {
		chosen().addSquares(sum, x, mass)
	}
}

// AddRoots adds weights[i] · √v to the sums of labels[i], for the numbers v of each row i of x
// (len(labels) × n) and in the order of the rows. sum has n sums for each label.
func AddRoots(sum, x []float64, labels []int32, weights []float64, n int) {
	if len(x) != len(labels)*n || len(weights) != len(labels) {
		panic(fmt.Sprintf("kernel: %d numbers and %d weights for %d labels", len(x), len(weights), len(labels)))
	}
	for _, j := range labels {
		if j < 0 || (int(j)+1)*n > len(sum) {
			panic(fmt.Sprintf("kernel: label %d of %d sums", j, len(sum)/max(n, 1)))
		}
	}
	if len(x) > 0 {
		chosen().addRoots(sum, x, labels, weights, n)
	}
}

// Changed writes to rows (ChangedRoom longer than from and to, or more) the places at which from
// and to differ, and returns how many those are, and whether to has a number below 0.
func Changed(rows, from, to []int32) (n int, negative bool) {
	if len(from) != len(to) || len(rows) < len(to)+ChangedRoom {
		panic(fmt.Sprintf("kernel: %d places for %d and %d labels", len(rows), len(from), len(to)))
	}
	if len(to) == 0 {
		return 0, false
	}
	return chosen().changed(rows, from, to)
}

// ChangedRoom is how many places behind the last one Changed may write to.
const ChangedRoom = 16

// An implementation is one way to compute all of this.
type implementation struct {
	name   string
	tile   int // centers side by side in Centers.packed; 0: not packed
	whole  int // lanes of sums of products of whole numbers; 0: none
	find   func(m Measure, x []float64, n int, c *Centers, f Nearest, dst []float64)
	assign func(m Measure, x []float64, c *Centers, b *Bound, drift []float64, all bool) int
	// between, candidates and pairs are for Two; nil without a filter.
	between    func(m Measure, x []float64, c *Centers, t Two)
	candidates func(x []float64, n int, c *Centers, list []int32)
	pairs      func(x []float64, c *Centers, row, center []int32, d []float64)

	move  func(s Sums, x []float64, p int, from, to []int32, weight []float64) int // rows done: fewer if a label is not a cluster
	means func(s Sums, square, theta, mean, column []float64, first, end int)      // of some columns

	changed    func(rows, from, to []int32) (int, bool)
	pick       func(dst, x []float64, p int, columns []int)
	remember   func(kept []uint8, labels []int32)
	recall     func(labels []int32, kept []uint8)
	products   func(t *Table, q, norm []float64, x Entries, rows []int32)
	add        func(sum, x []float64)
	drain      func(sum, x []float64)
	addSquares func(sum, x, mass []float64)
	addRoots   func(sum, x []float64, labels []int32, weights []float64, n int)
	totals     func(t Totals, x []float64)
	squares    func(s Squares, x []float64)
}

// Variable names the environment variable that chooses an implementation.
const Variable = "SQLCLUSTER_KERNEL"

// chosen returns the implementation in use. The environment is read on first use,
// not before, so that go test knows that cached results depend on Variable.
var chosen = sync.OnceValue(func() *implementation { return choose(os.Getenv(Variable)) })

// Best has the best implementation used, whatever the environment says: for code within
// another program, whose environment is not ours. It is called before all else here.
func Best() { chosen = sync.OnceValue(func() *implementation { return choose("") }) }

func choose(name string) *implementation {
	all := implementations()
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return &all[0]
}

// Unknown returns the name that Variable asks for if this processor has no such
// implementation, and "" otherwise.
func Unknown() string {
	if asked := os.Getenv(Variable); asked != chosen().name {
		return asked
	}
	return ""
}

// Name returns the name of the implementation in use.
func Name() string { return chosen().name }

// Names returns the implementations that this processor can run, best first.
func Names() []string {
	var names []string
	for _, i := range implementations() {
		names = append(names, i.name)
	}
	return names
}

// Use changes the implementation, for tests and benchmarks. Nothing else may run
// meanwhile, and centers must be packed again. It returns a function that undoes it.
func Use(name string) func() {
	before, other := chosen, choose(name)
	if other.name != name {
		panic("kernel: no implementation " + name)
	}
	chosen = func() *implementation { return other }
	return func() { chosen = before }
}
