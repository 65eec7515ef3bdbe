// Package kernel has the hot loops, as pure functions on plain slices.
//
// Every distance of a row to a center is one chain of operations in feature
// order (a fused multiply-add per feature for squares), so that any other way
// to compute it which keeps that chain gives the same bits. Four centers go
// side by side only to keep the processor busy.
//
// x is rows × s and centers is k × s, both row-major without gaps. With
// observed set, NaN cells of x are left out of the sums; otherwise x must have
// none. Ties go to the lowest center.
package kernel

import "math"

// A Loss is the distance that a kernel sums over features.
type Loss int

// The losses.
const (
	Squared  Loss = iota // (x − c)²
	Absolute             // |x − c|
)

// Nearest writes the number of the nearest center to labels, one a row.
func Nearest(labels []int32, loss Loss, observed bool, x []float64, s int, centers []float64, k int) {
	var d [tile]float64
	for i := range labels {
		row := x[i*s : (i+1)*s]
		best, label := math.Inf(1), int32(0)
		for j := 0; j < k; j += tile {
			four(&d, loss, observed, row, centers, j, k)
			for t := range min(tile, k-j) {
				if d[t] < best {
					best, label = d[t], int32(j+t)
				}
			}
		}
		labels[i] = label
	}
}

// Distances writes the distance of each row to each center to dst (rows × k).
func Distances(dst []float64, loss Loss, observed bool, x []float64, s int, centers []float64, k int) {
	if k == 0 {
		return
	}
	var d [tile]float64
	for i := range len(dst) / k {
		row := x[i*s : (i+1)*s]
		for j := 0; j < k; j += tile {
			four(&d, loss, observed, row, centers, j, k)
			copy(dst[i*k+j:(i+1)*k], d[:])
		}
	}
}

// tile is the number of centers whose chains run side by side.
const tile = 4

// four writes the distances of row to centers j..j+3; those past k repeat the
// last one.
func four(d *[tile]float64, loss Loss, observed bool, row, centers []float64, j, k int) {
	s := len(row)
	at := func(t int) []float64 {
		c := min(j+t, k-1)
		return centers[c*s : c*s+s]
	}
	a, b, c, e := at(0), at(1), at(2), at(3)
	switch {
	case loss == Squared && observed:
		squaredObserved(d, row, a, b, c, e)
	case loss == Squared:
		squared(d, row, a, b, c, e)
	case observed:
		absoluteObserved(d, row, a, b, c, e)
	default:
		absolute(d, row, a, b, c, e)
	}
}

func squared(d *[tile]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		ta, tb, tc, te := v-a[l], v-b[l], v-c[l], v-e[l]
		da = math.FMA(ta, ta, da)
		db = math.FMA(tb, tb, db)
		dc = math.FMA(tc, tc, dc)
		de = math.FMA(te, te, de)
	}
	*d = [tile]float64{da, db, dc, de}
}

func squaredObserved(d *[tile]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		if v != v {
			continue
		}
		ta, tb, tc, te := v-a[l], v-b[l], v-c[l], v-e[l]
		da = math.FMA(ta, ta, da)
		db = math.FMA(tb, tb, db)
		dc = math.FMA(tc, tc, dc)
		de = math.FMA(te, te, de)
	}
	*d = [tile]float64{da, db, dc, de}
}

func absolute(d *[tile]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		da += math.Abs(v - a[l])
		db += math.Abs(v - b[l])
		dc += math.Abs(v - c[l])
		de += math.Abs(v - e[l])
	}
	*d = [tile]float64{da, db, dc, de}
}

func absoluteObserved(d *[tile]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		if v != v {
			continue
		}
		da += math.Abs(v - a[l])
		db += math.Abs(v - b[l])
		dc += math.Abs(v - c[l])
		de += math.Abs(v - e[l])
	}
	*d = [tile]float64{da, db, dc, de}
}
