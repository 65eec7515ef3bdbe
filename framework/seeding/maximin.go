package seeding

import (
	"math"
)

// maximin chooses the row of largest Euclidean norm, and then always the row
// that is farthest from its nearest chosen row. The lowest of equal rows is
// taken. Weights do not matter, but that rows of weight 0 are left out.
//
// Source: Katsavounidis, Kuo and Zhang (1994), IEEE Signal Processing Letters
// 1(10), https://doi.org/10.1109/97.329844.
func (f *field) maximin(k int) error {
	if err := f.norms(); err != nil {
		return err
	}
	best := make([]int, stretchCount(len(f.square)))
	for range k {
		i, err := f.farthest(best)
		switch {
		case err != nil:
			return err
		case math.IsInf(f.square[i], 1):
			return tooLarge()
		}
		if err := f.choose(i); err != nil {
			return err
		}
	}
	return nil
}

// norms measures all rows from the origin.
func (f *field) norms() error {
	b := f.rows.Block(0)
	origin := make([]float64, b.X.Cols)
	if f.sparse {
		return f.measureEntries([]entries{entriesFrom(origin, b.Sparse.Base)}, 0)
	}
	return f.measure([][]float64{origin}, 0)
}

// farthest returns the eligible row of largest distance, the lowest of equals.
// best is memory for one row of each stretch.
func (f *field) farthest(best []int) (int, error) {
	err := f.stretches(func(s, from, to int) {
		best[s] = -1
		for i := from; i < to; i++ {
			// The cheap test first: few rows are ahead of all before them.
			if (best[s] < 0 || f.square[i] > f.square[best[s]]) && f.eligible(i) {
				best[s] = i
			}
		}
	})
	if err != nil {
		return 0, err
	}
	row := -1
	for _, i := range best {
		if i >= 0 && (row < 0 || f.square[i] > f.square[row]) {
			row = i
		}
	}
	return row, nil
}
