package seeding

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// plusPlusLabels chooses rows by plusPlus and returns the nearest of them.
func plusPlusLabels(ctx context.Context, rows framework.Rows, o Options) ([]int32, error) {
	f := newField(ctx, rows, o)
	if err := f.plusPlus(o); err != nil {
		return nil, err
	}
	return f.label, nil
}

// plusPlus chooses k rows by D² sampling: the first with a probability in
// proportion to its weight, each further one in proportion to
//
//	weight · squared distance to the nearest chosen row
//
// One row is drawn at a time, without trying several candidates. When that
// mass is 0 for all rows, the lowest row not yet chosen is taken.
//
// Source: Arthur and Vassilvitskii (2007), section 2.2,
// http://ilpubs.stanford.edu:8090/778/.
func (f *field) plusPlus(o Options) error {
	sums := make([]float64, stretchCount(len(f.square)))
	for j := range o.K {
		total, err := f.masses(sums)
		switch {
		case err != nil:
			return err
		case math.IsInf(total, 0):
			return tooLarge()
		}
		i := 0
		if total > 0 {
			u := framework.Rand(o.Seed, "kmeans++", uint64(o.Restart), uint64(j)).Float64()
			i = f.draw(u*total, sums)
		} else {
			i = f.lowest()
		}
		if err := f.choose(i); err != nil {
			return err
		}
	}
	return nil
}

// mass returns what the probability of row i is in proportion to.
func (f *field) mass(i int) float64 {
	if f.weight == nil {
		return f.square[i]
	}
	if !(f.weight[i] > 0) {
		return 0
	}
	return f.square[i] * f.weight[i]
}

// masses writes the mass of each stretch to sums and returns their sum. Rows
// are added in row order, stretches in theirs.
func (f *field) masses(sums []float64) (total float64, err error) {
	err = f.stretches(func(s, from, to int) {
		sum := 0.0
		for i := from; i < to; i++ {
			sum += f.mass(i)
		}
		sums[s] = sum
	})
	for _, sum := range sums {
		total += sum
	}
	return total, err
}

// draw returns the row where the running mass first exceeds target, which is
// at least 0 and below the total mass. Rows without mass are never returned.
func (f *field) draw(target float64, sums []float64) int {
	last := -1 // the last stretch with mass: rounding may carry target past it
	for s, sum := range sums {
		if sum <= 0 {
			continue
		}
		last = s
		if target < sum {
			break
		}
		target -= sum
	}
	row, running := -1, 0.0
	for i := last * stretch; i < min((last+1)*stretch, len(f.square)); i++ {
		if m := f.mass(i); m > 0 {
			row = i
			if running += m; target < running {
				break
			}
		}
	}
	return row
}
