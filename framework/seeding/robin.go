package seeding

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	robinNeighbours = 10
	robinLow        = 0.95 // local outlier factors of rows amid others of their kind
	robinHigh       = 1.05
)

// robinRows chooses k rows that are far from each other and no outliers: the
// first is the one farthest from the mean of all rows, each further one the one
// farthest from its nearest chosen row, among the rows whose local outlier
// factor is between 0.95 and 1.05; when there is none left, below 1.05; and
// then, among all. They are returned in order of their number, so cluster
// numbers do not tell the order of choice.
//
// With N(i) the 10 nearest other rows, and more where the tenth has equals,
//
//	density_i = |N(i)| / Σ_{j in N(i)} d_ij
//	LOF_i     = mean of density_j over N(i) / density_i
//
// which leaves out the reachability distance of Breunig et al. (2000). A row
// whose neighbours all equal it has LOF 1. The mean takes row weights into
// account, and nothing else does. Of neighbours at the same distance, those
// are equals whose ‖x‖² + ‖y‖² − 2⟨x,y⟩ is rounded to the same number.
//
// The time is of order n² p, the memory of order n.
//
// Source: Al Hasan, Chaoji, Salem and Zaki (2009),
// https://doi.org/10.1016/j.patrec.2009.04.013, in the form that Vouros and
// Vasilaki (2020) run, https://arxiv.org/abs/2003.06973.
func robinRows(ctx context.Context, rows framework.Rows, o Options) ([]int, error) {
	c, err := newCloud(ctx, rows, o, "robin")
	if err != nil {
		return nil, err
	}
	lof, err := c.outlierFactors(robinNeighbours)
	if err != nil {
		return nil, err
	}
	// From the mean, then from the nearest chosen row.
	far := Squares(rows, c.at, Mean(rows, c.at, true), c.space)
	if slices.Contains(far, math.Inf(1)) {
		return nil, tooLarge()
	}
	var chosen []int
	for range o.K {
		best := c.farthestOf(far, lof, chosen)
		first := len(chosen) == 0
		chosen = append(chosen, best)
		if err := c.each(func(i int) {
			if d := c.square(i, best); first || d < far[i] {
				far[i] = d
			}
		}); err != nil {
			return nil, err
		}
	}
	slices.Sort(chosen)
	return c.numbers(chosen), nil
}

// farthestOf returns the farthest row that may be chosen, the lowest of equals.
func (c *cloud) farthestOf(far, lof []float64, chosen []int) int {
	for _, low := range []float64{robinLow, math.Inf(-1), math.NaN()} {
		best := -1
		for i, d := range far {
			if (low != low || lof[i] > low && lof[i] < robinHigh) && (best < 0 || d > far[best]) && !slices.Contains(chosen, i) {
				best = i
			}
		}
		if best >= 0 {
			return best
		}
	}
	panic("seeding: no row is left to choose")
}

// outlierFactors returns the LOF of each row by count neighbours.
func (c *cloud) outlierFactors(count int) ([]float64, error) {
	n := len(c.at)
	count = min(count, n-1)
	lof := slices.Repeat([]float64{1}, n)
	if count == 0 {
		return lof, nil
	}
	neighbours, density := make([][]int32, n), make([]float64, n)
	err := c.each(func(i int) {
		neighbours[i], density[i] = c.neighbours(i, count)
	})
	if err != nil {
		return nil, err
	}
	for i, near := range neighbours {
		if math.IsInf(density[i], 1) {
			continue // all neighbours equal it
		}
		sum := 0.0
		for _, j := range near {
			sum += density[j]
		}
		lof[i] = sum / float64(len(near)) / density[i]
	}
	return lof, nil
}

// neighbours returns the count nearest other rows and those that are as near as
// the last of them, and the density there.
func (c *cloud) neighbours(i, count int) ([]int32, float64) {
	all := make([]float64, len(c.at))
	for j := range all {
		all[j] = c.distance(i, j)
	}
	all[i] = math.Inf(1)
	last := smallest(all, count)
	var near, level []int32
	for j, d := range all {
		switch {
		case j == i:
		case d < last*(1-1e-12):
			near = append(near, int32(j))
		case d <= last*(1+1e-12):
			level = append(level, int32(j))
		}
	}
	near = append(near, c.equals(i, level, count-len(near))...)
	slices.Sort(near)
	sum := 0.0
	for _, j := range near {
		sum += all[j]
	}
	return near, float64(len(near)) / sum
}

// equals returns the count rows of level that are nearest to row i by the
// expanded square, and those that are as near as the last of them. All are at
// the same distance but for rounding, which is the one of the reference program
// here: with cells of one decimal, it decides which rows are outliers.
func (c *cloud) equals(i int, level []int32, count int) []int32 {
	if count == len(level) {
		return level
	}
	square := make([]float64, len(level))
	for t, j := range level {
		if c.rows == nil {
			square[t] = expandedSquareOfEntries(c.entries[i], c.entries[j], c.space)
		} else {
			square[t] = expandedSquare(c.rows[i], c.rows[j], c.space)
		}
	}
	last := smallest(square, count)
	var found []int32
	for t, j := range level {
		if square[t] <= last {
			found = append(found, j)
		}
	}
	return found
}

// expandedSquare returns ‖x‖² + ‖y‖² − 2⟨x,y⟩ over the features that both have.
func expandedSquare(x, y, space []float64) float64 {
	var s expanded
	for l, v := range x {
		s.add(l, v, y[l], space)
	}
	return s.xx + s.yy - 2*s.xy
}

// expandedSquareOfEntries is expandedSquare of two sparse rows, less the base.
func expandedSquareOfEntries(x, y entries, space []float64) float64 {
	var s expanded
	both(x, y, func(l int32, u, v float64) { s.add(int(l), u, v, space) })
	return s.xx + s.yy - 2*s.xy
}

// expanded are the sums of an expanded square.
type expanded struct{ xx, yy, xy float64 }

func (s *expanded) add(l int, v, u float64, space []float64) {
	w := 1.0
	if space != nil {
		w = space[l]
	}
	if v-u == v-u && w != 0 {
		s.xx, s.yy, s.xy = s.xx+float64(w*v*v), s.yy+float64(w*u*u), s.xy+float64(w*v*u)
	}
}

// smallest returns the count-th smallest value.
func smallest(values []float64, count int) float64 {
	least := make([]float64, 0, count+1) // the count smallest so far, in order
	for _, v := range values {
		if len(least) == count && v >= least[count-1] {
			continue
		}
		at, _ := slices.BinarySearch(least, v)
		if least = slices.Insert(least, at, v); len(least) > count {
			least = least[:count]
		}
	}
	return least[count-1]
}
