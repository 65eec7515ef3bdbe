package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Far is a row that is far from its center.
type Far struct {
	Row              int
	Distance, Weight float64
}

// compare orders rows from the farthest to the nearest, equals from the last to the
// first.
func (f Far) compare(other Far) int {
	switch {
	case f.Distance > other.Distance:
		return -1
	case f.Distance < other.Distance:
		return 1
	}
	return cmp.Compare(other.Row, f.Row)
}

// Farthest returns the rows of largest distance that together have some weight, the
// farthest first, and of equals the higher row. There are no more than needed, and all
// where they have less. Rows without a distance (NaN) are none.
func Farthest(rows framework.Rows, distance []float64, weight float64) []Far {
	if weight <= 0 {
		return nil
	}
	all, enough := beyond(rows, distance, guess(rows, distance, weight)), 0.0
	for _, f := range all {
		enough += f.Weight
	}
	if enough < weight {
		all = beyond(rows, distance, math.Inf(-1))
	}
	slices.SortFunc(all, Far.compare)
	for i, f := range all {
		if weight -= f.Weight; weight <= 0 {
			return all[:i+1]
		}
	}
	return all
}

// guess returns a distance beyond which the farthest rows of some weight should be, by
// a sample, so that not all rows have to be sorted.
func guess(rows framework.Rows, distance []float64, weight float64) float64 {
	const size = 1000
	step := len(distance) / size
	if step < 4 {
		return math.Inf(-1)
	}
	mass := float64(len(distance))
	if weighted(rows) {
		mass = 0
		for n := range rows.Blocks() {
			b := rows.Block(n)
			for i := range b.X.Rows {
				mass += b.Weight(i)
			}
		}
	}
	var sample []float64
	random := framework.Rand(0, "farthest rows") // rows may come in some regular order
	for first := 0; first+step <= len(distance); first += step {
		row := first + random.IntN(step)
		if b, at := framework.Locate(rows, row); b.Weight(at) > 0 {
			sample = append(sample, distance[row])
		}
	}
	slices.Sort(sample)
	near := 0.97 - 1.2*weight/mass // a little more than should be needed
	if len(sample) == 0 || !(near > 0) {
		return math.Inf(-1)
	}
	return sample[int(near*float64(len(sample)))]
}

// beyond returns the rows that are at least so far.
func beyond(rows framework.Rows, distance []float64, least float64) []Far {
	count := 0
	for _, d := range distance {
		if d >= least {
			count++
		}
	}
	all := make([]Far, 0, count)
	for n := range rows.Blocks() {
		b := rows.Block(n)
		for i, d := range distance[b.Row0 : b.Row0+b.X.Rows] {
			if d >= least {
				all = append(all, Far{b.Row0 + i, d, b.Weight(i)})
			}
		}
	}
	return all
}
