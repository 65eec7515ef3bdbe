package constraint

import (
	"math"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// TopColumns is the set of matrices with at most S non-zero columns: all
// centers share their features (SKFR1).
//
// Source: Zhang, Lange and Xu (2020), equation 3, https://arxiv.org/abs/2002.08541.
type TopColumns struct{ S int }

// TopEntries is the set of matrices with at most S non-zero entries in each
// row: every center has its own features (SKFR2).
//
// Source: Zhang, Lange and Xu (2020), equation 4.
type TopEntries struct{ S int }

var (
	_ framework.Set = TopColumns{}
	_ framework.Set = TopEntries{}
)

// Properties implements framework.Set.
func (TopColumns) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true}
}

// Properties implements framework.Set.
func (TopEntries) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true, RowWise: true}
}

// Gains writes the worth of each column, summed over the centers in their
// order, to dst (length p).
func (t TopColumns) Gains(dst []float64, at framework.Point) {
	clear(dst)
	for j := range at.X.Rows {
		switch {
		case at.Gain != nil:
			kernel.Add(dst, at.Gain[j*at.X.Cols:][:at.X.Cols])
		case at.ColMass == nil && at.RowMass != nil:
			kernel.AddSquares(dst, at.X.Row(j), at.RowMass[j])
		default:
			for l := range dst {
				dst[l] += at.Worth(j, l)
			}
		}
	}
}

// Select sets keep (length p) for the S columns of largest gain.
func (t TopColumns) Select(keep []bool, gains []float64) { largest(keep, gains, t.S) }

// Gains writes the worth of each entry to dst (length k·p, row-major).
func (t TopEntries) Gains(dst []float64, at framework.Point) {
	for j := range at.X.Rows {
		for l := range at.X.Cols {
			dst[j*at.X.Cols+l] = at.Worth(j, l)
		}
	}
}

// Select sets keep (length k·p) for the S entries of largest gain in each row.
func (t TopEntries) Select(keep []bool, gains []float64, cols int) {
	for from := 0; from < len(gains); from += cols {
		largest(keep[from:from+cols], gains[from:from+cols], t.S)
	}
}

// Project implements framework.Set. It returns a Fault if S is negative or the
// point is not finite.
func (t TopColumns) Project(dst framework.Matrix, at framework.Point) error {
	if err := check(t.S, at); err != nil {
		return err
	}
	gains := make([]float64, at.X.Cols)
	keep := make([]bool, at.X.Cols)
	t.Gains(gains, at)
	t.Select(keep, gains)
	Keep(dst, at.X, keep)
	return nil
}

// Project implements framework.Set. It returns a Fault if S is negative or the
// point is not finite.
func (t TopEntries) Project(dst framework.Matrix, at framework.Point) error {
	if err := check(t.S, at); err != nil {
		return err
	}
	gains := make([]float64, len(at.X.Data))
	keep := make([]bool, len(at.X.Data))
	t.Gains(gains, at)
	t.Select(keep, gains, at.X.Cols)
	Keep(dst, at.X, keep)
	return nil
}

// Keep copies src to dst where keep is set and writes 0 elsewhere. keep has
// one entry a column, or one an entry of the matrix. dst may be src.
func Keep(dst, src framework.Matrix, keep []bool) {
	if len(src.Data) == 0 {
		return
	}
	if len(keep) == src.Cols && &dst.Data[0] != &src.Data[0] {
		clear(dst.Data)
		for l, kept := range keep {
			if !kept {
				continue
			}
			for i := l; i < len(src.Data); i += src.Cols {
				dst.Data[i] = src.Data[i]
			}
		}
		return
	}
	for j := range src.Rows {
		kept, to := keep[j*src.Cols%len(keep):], dst.Row(j)
		for l, v := range src.Row(j) {
			if !kept[l] {
				v = 0
			}
			to[l] = v
		}
	}
}

// Violation returns the Euclidean norm of the columns beyond the S largest.
func (t TopColumns) Violation(y framework.Matrix) float64 {
	squares := make([]float64, y.Cols)
	t.Gains(squares, framework.Point{X: y})
	return math.Sqrt(excess(squares, t.S))
}

// Violation returns the Euclidean norm of the entries beyond the S largest of
// each row.
func (t TopEntries) Violation(y framework.Matrix) float64 {
	var sum float64
	for j := range y.Rows {
		squares := make([]float64, y.Cols)
		for l, v := range y.Row(j) {
			squares[l] = v * v
		}
		sum += excess(squares, t.S)
	}
	return math.Sqrt(sum)
}

// Penalty implements framework.Set: there is none.
func (TopColumns) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (TopEntries) Penalty(framework.Matrix) float64 { return 0 }

// excess returns the sum of all but the s largest values, and reorders them.
func excess(values []float64, s int) float64 {
	slices.Sort(values)
	var sum float64
	for _, v := range values[:max(0, len(values)-s)] {
		sum += v
	}
	return sum
}

// largest sets keep for the s largest values; of equal ones the lower index.
func largest(keep []bool, values []float64, s int) {
	if s >= len(values) {
		for i := range keep {
			keep[i] = true
		}
		return
	}
	clear(keep)
	if s <= 0 {
		return
	}
	cut := threshold(values, s)
	for i, v := range values {
		if v > cut {
			keep[i] = true
			s--
		}
	}
	for i, v := range values {
		if s > 0 && v == cut {
			keep[i] = true
			s--
		}
	}
}

// rooms are slices for threshold to work in.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// threshold returns the s-th largest value, 1 ≤ s ≤ len(values): by a heap of
// the largest where they are few, by quickselect (Hoare 1961) where they are
// many. The expected time is proportional to the number of values. There must
// be no NaN.
func threshold(values []float64, s int) float64 {
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	if s <= len(values)/16 {
		*room = append((*room)[:0], values[:s]...)
		return smallestOfLargest(*room, values[s:])
	}
	*room = append((*room)[:0], values...)
	v := *room
	want := s - 1
	low, high := 0, len(v)-1
	for low < high {
		pivot := median(v[low], v[(low+high)/2], v[high])
		i, j := low, high
		for i <= j {
			for v[i] > pivot {
				i++
			}
			for v[j] < pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			high = j
		case want >= i:
			low = i
		default:
			return v[want]
		}
	}
	return v[want]
}

// smallestOfLargest keeps the largest values in heap, the least of them at its
// root, and returns that.
func smallestOfLargest(heap, values []float64) float64 {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for _, v := range values {
		if v > heap[0] {
			heap[0] = v
			sink(heap, 0)
		}
	}
	return heap[0]
}

// sink moves entry i of the heap down to where it belongs.
func sink(heap []float64, i int) {
	for {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if least+1 < len(heap) && heap[least+1] < heap[least] {
			least++
		}
		if heap[i] <= heap[least] {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// median returns the middle one of three values.
func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

func check(s int, at framework.Point) error {
	if s < 0 {
		return framework.Faultf(framework.Data, "bad-set", "sparsity is %d; it must not be negative", s)
	}
	for i, v := range at.X.Data {
		if v-v != 0 { // not finite
			return framework.Faultf(framework.Data, "bad-point", "entry (%d, %d) of the point to project is %g; it must be finite",
				i/at.X.Cols, i%at.X.Cols, v)
		}
	}
	for j, m := range at.RowMass {
		if !(m >= 0) || math.IsInf(m, 0) {
			return framework.Faultf(framework.Data, "bad-point", "row mass %d is %g; it must be finite and not negative", j, m)
		}
	}
	for l, m := range at.ColMass {
		if !(m >= 0) || math.IsInf(m, 0) {
			return framework.Faultf(framework.Data, "bad-point", "column mass %d is %g; it must be finite and not negative", l, m)
		}
	}
	return nil
}
