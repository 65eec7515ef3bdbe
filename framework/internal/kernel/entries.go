package kernel

import (
	"fmt"
	"math"
	"slices"
)

// Entries are rows most of whose cells are 0: row i has Offset[e] in Column[e] for
// the entries e from Start[i] to Start[i+1], in ascending order of columns, and NaN
// where a cell is missing.
type Entries struct {
	Start  []int64
	Column []int32
	Offset []float64
}

// Row returns the columns and cells of a row.
func (e Entries) Row(i int) ([]int32, []float64) {
	from, end := e.Start[i], e.Start[i+1]
	return e.Column[from:end:end], e.Offset[from:end:end]
}

// A Table has k centers of s columns in the order in which the entries of a row
// need them. For center c, weights w (nil: all 1), and a row with the entries x,
//
//	q = Σ_l w_l c_l² + Σ_e x_e · (−2 w c)_e
//
// is the squared distance less Σ_e w x², which is the same for all centers. The sum is one
// chain that begins with Square, of fused operations in the order of the entries. A
// missing cell takes the fused w c² of its column away.
type Table struct {
	K, S   int
	Square []float64 // Σ w c² (rounded twice), and +Inf behind the last center
	Exact  []Exact   // Σ w c²
	wide   int       // K, and some more that fill the vectors
	cells  []float64 // s × wide: −2 w c
	own    []float64 // s × wide: w c²; nil: no cell is missing

	weights []float64
}

// lanes is a number of doubles that are whole vectors of every implementation.
const lanes = 8

// largeTable is the number of cells from which on a table does not stay in the cache.
const largeTable = 1 << 19

// Wide returns the number of sums of a row.
func (t *Table) Wide() int { return t.wide }

// Make makes the table of the centers rows (k × s, row-major).
func (t *Table) Make(rows []float64, k, s int, weights []float64, observed bool) {
	t.K, t.S, t.wide, t.weights = k, s, (k+lanes-1)&^(lanes-1), weights
	t.cells = resized(t.cells, s*t.wide)
	t.Square = resized(t.Square, t.wide)
	t.Exact = slices.Grow(t.Exact[:0], t.wide)[:t.wide]
	if t.own = t.own[:0]; observed {
		t.own = resized(t.own, s*t.wide)
	}
	for first := 0; first < t.wide; first += lanes {
		t.makeLanes(rows, first)
	}
}

// makeLanes fills lanes columns of the table.
func (t *Table) makeLanes(rows []float64, first int) {
	var sum [lanes]Exact
	some := min(lanes, t.K-first)
	for l := range t.S {
		at := l*t.wide + first
		cells := t.cells[at : at+lanes : at+lanes]
		weight := 1.0
		if t.weights != nil {
			weight = t.weights[l]
		}
		for j := range cells {
			if j >= some {
				cells[j] = 0
				continue
			}
			v := rows[(first+j)*t.S+l]
			w := float64(weight * v)
			cells[j] = -2 * w
			sum[j].AddProduct(w, v)
			if len(t.own) > 0 {
				t.own[at+j] = float64(w * v)
			}
		}
	}
	for j := range sum {
		t.Exact[first+j], t.Square[first+j] = sum[j], sum[j].Value()
		if j >= some {
			t.Square[first+j] = math.Inf(1)
		}
	}
}

// missing returns what missing cells take away, nil if there are none.
func (t *Table) missing() []float64 {
	if len(t.own) == 0 {
		return nil
	}
	return t.own
}

func resized(v []float64, n int) []float64 { return slices.Grow(v[:0], n)[:n] }

// Products writes the sums of the given rows to q (rows × Wide), and Σ w x² of their
// observed entries, one chain as well, to norm. Sums behind the last center are +Inf.
func (t *Table) Products(q, norm []float64, x Entries, rows []int32) {
	if len(q) < len(rows)*t.wide || len(norm) < len(rows) {
		panic(fmt.Sprintf("kernel: room for %d sums and %d norms of %d rows and %d centers", len(q), len(norm), len(rows), t.K))
	}
	if len(rows) > 0 && t.K > 0 {
		chosen().products(t, q, norm, x, rows)
	}
}

// products is the definition of implementation.products.
func products(t *Table, q, norm []float64, x Entries, rows []int32) {
	for at, i := range rows {
		sums := q[at*t.wide : (at+1)*t.wide]
		copy(sums, t.Square)
		norm[at] = 0
		columns, offsets := x.Row(int(i))
		for e, l := range columns {
			v := offsets[e]
			if v != v && len(t.own) > 0 {
				for j, c := range t.own[int(l)*t.wide : (int(l)+1)*t.wide] {
					sums[j] -= c
				}
				continue
			}
			w := v
			if t.weights != nil {
				w = float64(t.weights[l] * v)
			}
			norm[at] = math.FMA(w, v, norm[at])
			for j, c := range t.cells[int(l)*t.wide : (int(l)+1)*t.wide] {
				sums[j] = math.FMA(v, c, sums[j])
			}
		}
	}
}

// MoveEntries is Move for rows by their entries. Count gets the cells that are missing,
// and not those that are observed, since all but the entries are.
func (s Sums) MoveEntries(x Entries, from, to []int32, weight []float64) {
	k := len(s.Mass)
	if k == 0 {
		return
	}
	p := len(s.Sum) / k
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f == t {
			continue
		}
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		if s.Low != nil {
			if w == 0 {
				continue
			}
			w = 1
		}
		columns, offsets := x.Row(i)
		if f >= 0 {
			s.addEntries(int(f), p, columns, offsets, -w)
		}
		if t >= 0 {
			s.addEntries(int(t), p, columns, offsets, w)
		}
	}
}

// addEntries adds a row of weight w to cluster j.
func (s Sums) addEntries(j, p int, columns []int32, offsets []float64, w float64) {
	s.Mass[j] += w
	sum, offsets := s.Sum[j*p:(j+1)*p], offsets[:len(columns)]
	if s.Count == nil && s.Low != nil {
		low := s.Low[j*p:][:len(sum)]
		for e, l := range columns {
			high := math.Float64frombits(math.Float64bits(offsets[e]) &^ lowBits)
			sum[l] += float64(w * high)
			if rest := offsets[e] - high; rest != 0 { // that of counts is 0
				low[l] += float64(w * rest)
			}
		}
		return
	}
	for e, l := range columns {
		v := offsets[e]
		switch {
		case v != v:
			s.Count[j*p+int(l)] += w
		case s.Low == nil:
			sum[l] += float64(w * v)
		default:
			high := math.Float64frombits(math.Float64bits(v) &^ lowBits)
			sum[l] += float64(w * high)
			if rest := v - high; rest != 0 {
				s.Low[j*p+int(l)] += float64(w * rest)
			}
		}
	}
}
