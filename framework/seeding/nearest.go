package seeding

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/sqlcluster/sqlcluster/framework"
)

// stretch is the number of rows of a partial fold. It is not the block size,
// so that results do not depend on the blocks.
const stretch = 1024

// A field knows of every row the nearest of the rows chosen so far.
type field struct {
	ctx     context.Context
	rows    framework.Rows
	space   []float64
	threads int

	chosen []int
	label  []int32   // number of the nearest chosen row, the lowest of equals
	square []float64 // squared distance to it; 1 before the first is chosen
	weight []float64 // row weights; nil: all 1
}

func newField(ctx context.Context, rows framework.Rows, o Options) *field {
	f := &field{
		ctx: ctx, rows: rows, space: o.Space, threads: o.Threads,
		label:  make([]int32, rows.Len()),
		square: make([]float64, rows.Len()),
		weight: weights(rows),
	}
	for i := range f.square {
		f.square[i] = 1
	}
	return f
}

// choose makes row i the next chosen row.
func (f *field) choose(i int) error {
	err := f.measure(cells(f.rows, i), int32(len(f.chosen)))
	f.chosen = append(f.chosen, i)
	return err
}

// measure gives label j to the rows that are nearer to c than to any point
// before. Label 0 starts anew: every row gets it.
func (f *field) measure(c []float64, j int32) error {
	return each(f.ctx, f.threads, f.rows.Blocks(), func(i int) {
		b := f.rows.Block(i)
		at, to := b.Row0, b.Row0+b.X.Rows
		nearer(f.square[at:to], f.label[at:to], b.X, c, f.space, j)
	})
}

// nearer updates the squared distances and labels of x's rows for the j-th
// chosen point c.
func nearer(square []float64, label []int32, x framework.Matrix, c, space []float64, j int32) {
	var d [256]float64 // as many rows at a time as stay in the first cache
	for from := 0; from < x.Rows; from += len(d) {
		to := min(from+len(d), x.Rows)
		squares(d[:to-from], x.Data[from*x.Cols:to*x.Cols], c, space)
		for i, v := range d[:to-from] {
			if j == 0 || v < square[from+i] {
				square[from+i], label[from+i] = v, j
			}
		}
	}
}

// eligible reports whether row i may be chosen: it has weight and has not been
// chosen yet.
func (f *field) eligible(i int) bool {
	return (f.weight == nil || f.weight[i] > 0) && !slices.Contains(f.chosen, i)
}

// lowest returns the lowest eligible row.
func (f *field) lowest() int {
	for i := range f.square {
		if f.eligible(i) {
			return i
		}
	}
	panic("seeding: no row is left to choose")
}

// stretches calls do for the rows [from, to) of every stretch, in any order.
func (f *field) stretches(do func(s, from, to int)) error {
	n := len(f.square)
	return each(f.ctx, f.threads, stretchCount(n), func(s int) {
		do(s, s*stretch, min((s+1)*stretch, n))
	})
}

func stretchCount(n int) int { return (n + stretch - 1) / stretch }

// Nearest returns the label of each row: the number (0..len(chosen)−1) of the
// nearest chosen row in the given space (as Options.Space), the lowest of
// equals. A row may be chosen more than once; its later labels are given to no
// row. Nearest works on the calling goroutine, returns ctx's error when that is
// done, and panics if nothing is chosen or a chosen row does not exist.
func Nearest(ctx context.Context, rows framework.Rows, chosen []int, space []float64) ([]int32, error) {
	if len(chosen) == 0 {
		panic("seeding: no row is chosen")
	}
	checkSpace(rows, space)
	centers := make([][]float64, len(chosen))
	for j, i := range chosen {
		centers[j] = cells(rows, i)
	}
	label := make([]int32, rows.Len())
	err := each(ctx, 1, rows.Blocks(), func(i int) {
		b := rows.Block(i)
		square := make([]float64, b.X.Rows)
		for j, c := range centers { // the block stays in the cache
			nearer(square, label[b.Row0:b.Row0+b.X.Rows], b.X, c, space, int32(j))
		}
	})
	if err != nil {
		return nil, err
	}
	return label, nil
}

// locate returns the block that has row i, and the row's place in it.
func locate(rows framework.Rows, i int) (framework.Block, int) {
	if i < 0 || i >= rows.Len() {
		panic(fmt.Sprintf("seeding: row %d of %d", i, rows.Len()))
	}
	after := sort.Search(rows.Blocks(), func(b int) bool { return rows.Block(b).Row0 > i })
	b := rows.Block(after - 1)
	return b, i - b.Row0
}

// cells returns a copy of row i.
func cells(rows framework.Rows, i int) []float64 {
	b, at := locate(rows, i)
	return slices.Clone(b.X.Row(at))
}

// weights returns the weights of all rows, or nil if no block has any.
func weights(rows framework.Rows) []float64 {
	var all []float64
	for i := range rows.Blocks() {
		b := rows.Block(i)
		if b.RowWeight == nil {
			continue
		}
		if all == nil {
			all = slices.Repeat([]float64{1}, rows.Len())
		}
		copy(all[b.Row0:], b.RowWeight)
	}
	return all
}

// tooLarge is the Fault for distances that no float64 can hold.
func tooLarge() error {
	return framework.Faultf(framework.Data, "values-too-large",
		"squared distances between rows exceed the largest number (%.2g)", math.MaxFloat64).
		WithHint("scale the features")
}
