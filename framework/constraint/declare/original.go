package declare

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// limits are what rows demand of single entries of the centers and of pairs of
// entries, in the original units of the columns. Centers are projected in the
// fitted space and rounded on their way back: without limits, an entry that was
// put at its bound could come out one digit beyond it.
type limits struct {
	lo, hi framework.Matrix // k×p
	orders [][2]int         // pairs of entries, the first at most the second
	size   []float64        // by entry: the size of numbers in the columns that orders tie to it
}

// unlimited returns limits that allow everything.
func unlimited(k, p int) *limits {
	o := &limits{lo: framework.NewMatrix(k, p), hi: framework.NewMatrix(k, p)}
	for i := range o.lo.Data {
		o.lo.Data[i], o.hi.Data[i] = math.Inf(-1), math.Inf(1)
	}
	return o
}

// bound narrows the limits of feature l of one center, or of all (−1).
func (o *limits) bound(cluster, l int, lo, hi float64) {
	for j := range o.lo.Rows {
		if cluster < 0 || cluster == j {
			o.lo.Row(j)[l], o.hi.Row(j)[l] = max(o.lo.Row(j)[l], lo), min(o.hi.Row(j)[l], hi)
		}
	}
}

// rise notes that the features do not fall, in one center or in all (−1).
func (o *limits) rise(cluster int, features []int) {
	for j := range o.lo.Rows {
		if cluster >= 0 && cluster != j {
			continue
		}
		for i := 1; i < len(features); i++ {
			o.orders = append(o.orders, [2]int{j*o.lo.Cols + features[i-1], j*o.lo.Cols + features[i]})
		}
	}
}

// sum notes lo ≤ Σ coef · center ≤ hi if it limits a single entry, with a
// coefficient of 1 or −1, or puts two entries in order. coef is k×p. clusters are
// the clusters that rows name; with −1 alone, the first row holds for every center.
func (o *limits) sum(coef framework.Matrix, clusters []int, lo, hi float64) {
	if clusters[0] >= 0 {
		o.sumOf(coef.Data, 0, lo, hi)
		return
	}
	for j := range o.lo.Rows {
		o.sumOf(coef.Row(0), j*o.lo.Cols, lo, hi)
	}
}

// sumOf is sum for consecutive entries, from first on.
func (o *limits) sumOf(coef []float64, first int, lo, hi float64) {
	var at []int
	for i, c := range coef {
		if c != 0 {
			at = append(at, i)
		}
	}
	switch {
	case len(at) == 1 && math.Abs(coef[at[0]]) == 1:
		i := first + at[0]
		if coef[at[0]] < 0 {
			lo, hi = -hi, -lo
		}
		o.lo.Data[i], o.hi.Data[i] = max(o.lo.Data[i], lo), min(o.hi.Data[i], hi)
	case len(at) == 2 && coef[at[0]] == -coef[at[1]]:
		a, b := first+at[0], first+at[1]
		if coef[at[0]] < 0 {
			a, b = b, a
		}
		if hi == 0 {
			o.orders = append(o.orders, [2]int{a, b})
		}
		if lo == 0 {
			o.orders = append(o.orders, [2]int{b, a})
		}
	}
}

// close narrows the limits by the orders: an entry that must not be below another
// must not be below the other's lower limit. It returns a Fault if no number is
// left for an entry. That can happen although the set is not empty in the fitted
// space, where limits that differ in their last digit may be equal.
func (o *limits) close(columns []framework.Column) error {
	o.size = make([]float64, len(o.lo.Data))
	for i := range o.size {
		c := columns[i%len(columns)]
		o.size[i] = max(math.Abs(c.Location), c.Scale)
	}
	for changed := true; changed; {
		changed = false
		for i := range o.orders {
			changed = o.narrow(o.orders[i]) || changed
			changed = o.narrow(o.orders[len(o.orders)-1-i]) || changed // upper limits go the other way
		}
	}
	for i, lo := range o.lo.Data {
		if lo > o.hi.Data[i] {
			return framework.Faultf(framework.Data, "empty-set",
				"no center keeps all constraints: feature %s of cluster %d must be at least %v and at most %v",
				columns[i%len(columns)].Name, i/len(columns), lo, o.hi.Data[i]).At("constraints")
		}
	}
	return nil
}

// narrow is close for one order. It reports whether that changed anything.
func (o *limits) narrow(order [2]int) bool {
	a, b := order[0], order[1]
	lo, hi, size := max(o.lo.Data[a], o.lo.Data[b]), min(o.hi.Data[a], o.hi.Data[b]), max(o.size[a], o.size[b])
	if o.lo.Data[b] == lo && o.hi.Data[a] == hi && o.size[a] == size && o.size[b] == size {
		return false
	}
	o.lo.Data[b], o.hi.Data[a], o.size[a], o.size[b] = lo, hi, size, size
	return true
}

// keep moves centers to the limits and into the orders that they violate.
func (o *limits) keep(centers []float64) {
	for i, v := range centers {
		switch {
		case v < o.lo.Data[i]:
			centers[i] = o.lo.Data[i]
		case v > o.hi.Data[i]:
			centers[i] = o.hi.Data[i]
		}
	}
	for changed := true; changed; {
		changed = false
		for _, pair := range o.orders {
			// The limits rise along the orders, so this stays below its own limit.
			if v := centers[pair[0]]; centers[pair[1]] < v {
				centers[pair[1]], changed = v, true
			}
		}
	}
}

// rounding is how far an entry may be moved to keep its limits, relative to the
// largest number involved.
const rounding = 1e-8

// Keep corrects centers of the set (k×p) that were carried from the fitted space to
// original units, where rounding can have moved them. Afterwards box, nonnegative,
// fixed and monotone rows hold exactly, and so do half-spaces that put two entries
// in order or limit one with a coefficient of 1 or −1. All others hold up to
// rounding. A center that violates its limits by more than rounding is left as it
// is, so that the error can be seen.
func (d *Set) Keep(centers framework.Matrix) {
	if d.limits == nil { // it was not declared by rows
		return
	}
	moved := centers.Clone()
	d.limits.keep(moved.Data)
	for i, v := range moved.Data {
		if math.Abs(v-centers.Data[i]) <= rounding*max(math.Abs(v), math.Abs(centers.Data[i]), d.limits.size[i]) {
			centers.Data[i] = v
		}
	}
}
