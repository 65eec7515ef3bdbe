package seeding

import (
	"math"
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/framework"
)

// streams returns the random stream of each choice of a restart.
func streams(seed uint64, purpose string, restart int) func(choice int) *rand.Rand {
	return func(choice int) *rand.Rand {
		return framework.Rand(seed, purpose, uint64(restart), uint64(choice))
	}
}

// plusPlus chooses rows until there are k, by D² sampling: the first with a
// probability in proportion to its weight, each further one in proportion to
//
//	weight · squared distance to the nearest chosen row
//
// One row is drawn at a time, without trying several candidates. When that
// mass is 0 for all rows, the lowest row not yet chosen is taken.
//
// Source: Arthur and Vassilvitskii (2007), section 2.2,
// http://ilpubs.stanford.edu:8090/778/.
func (f *field) plusPlus(k int, random func(choice int) *rand.Rand) error {
	if err := f.drawUpTo(k, random); err != nil {
		return err
	}
	for len(f.chosen) < k {
		if err := f.choose(f.lowest()); err != nil {
			return err
		}
	}
	return nil
}

// drawUpTo is plusPlus, but ends when the mass is 0 for all rows.
func (f *field) drawUpTo(k int, random func(choice int) *rand.Rand) error {
	for len(f.chosen) < k {
		total, err := f.masses()
		if err != nil || total == 0 {
			return err
		}
		u := random(len(f.chosen)).Float64()
		if err := f.choose(f.draw(u * total)); err != nil {
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

// masses computes the mass of each stretch and returns their sum. Rows are added
// in row order, stretches in theirs.
func (f *field) masses() (total float64, err error) {
	err = f.stretches(func(s, from, to int) {
		sum := 0.0
		for i := from; i < to; i++ {
			sum += f.mass(i)
		}
		f.sums[s] = sum
	})
	if err != nil {
		return 0, err
	}
	for _, sum := range f.sums {
		total += sum
	}
	if math.IsInf(total, 0) {
		return 0, tooLarge()
	}
	return total, nil
}

// draw returns the row where the running mass first exceeds target, which is
// at least 0 and below the total mass. Rows without mass are never returned.
// The masses must have been computed.
func (f *field) draw(target float64) int {
	last := -1 // the last stretch with mass: rounding may carry target past it
	for s, sum := range f.sums {
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
