package seeding

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// stretch is the number of rows of a partial fold. It is not the block size,
// so that results do not depend on the blocks.
const stretch = 1024

// A field knows of every row the nearest of the rows chosen so far.
type field struct {
	ctx     context.Context
	rows    framework.Rows
	sparse  bool // rows are
	space   []float64
	pairs   *pairs // distances of all rows to all; nil: they are measured
	missing missing
	work    []workspace // of each worker

	chosen []int
	label  []int32   // number of the nearest chosen row, the lowest of equals
	square []float64 // squared distance to it; 1 before the first is chosen
	weight []float64 // row weights; nil: all 1
	sums   []float64 // mass of each stretch, see masses
}

func newField(ctx context.Context, rows framework.Rows, space []float64, threads int) *field {
	return &field{
		ctx: ctx, rows: rows, sparse: isSparse(rows), space: space, work: make([]workspace, max(1, threads)),
		label:  make([]int32, rows.Len()),
		square: slices.Repeat([]float64{1}, rows.Len()),
		weight: weights(rows),
		sums:   make([]float64, stretchCount(rows.Len())),
	}
}

// choose makes row i the next chosen row.
func (f *field) choose(i int) error {
	first := len(f.chosen)
	f.chosen = append(f.chosen, i)
	if f.pairs == nil {
		return f.measureRows([]int{i}, first)
	}
	d, err := f.pairs.row(f.ctx, i)
	if err != nil {
		return err
	}
	if first == 0 {
		f.begin(0, len(d))
	}
	for r, v := range d {
		if v < f.square[r] {
			f.square[r], f.label[r] = v, int32(first)
		}
	}
	return nil
}

// chooseAll makes the given rows the next chosen ones.
func (f *field) chooseAll(chosen []int) error {
	if len(chosen) == 0 {
		return nil
	}
	first := len(f.chosen)
	f.chosen = append(f.chosen, chosen...)
	return f.measureRows(chosen, first)
}

// measureRows is measure from some of the rows.
func (f *field) measureRows(from []int, first int) error {
	if f.sparse {
		points := make([]entries, len(from))
		for t, i := range from {
			points[t] = entriesOf(f.rows, i)
		}
		return f.measureEntries(points, first)
	}
	points := make([][]float64, len(from))
	for t, i := range from {
		points[t] = framework.Cells(f.rows, i)
	}
	return f.measure(points, first)
}

// begin forgets the distances of the rows [from, to).
func (f *field) begin(from, to int) {
	for i := from; i < to; i++ {
		f.square[i], f.label[i] = math.Inf(1), 0
	}
}

// measure gives the rows that are nearer to one of the points than to any
// before the number of that point; the first point's number is given. Number 0
// starts anew: every row gets a label.
func (f *field) measure(points [][]float64, first int) error {
	groups := newGroups(points, int32(first), f.space)
	return parallel.Each(f.ctx, len(f.work), f.rows.Blocks(), func(worker, i int) {
		b := f.rows.Block(i)
		at, to := b.Row0, b.Row0+b.X.Rows
		if first == 0 {
			f.begin(at, to)
		}
		f.missing.nearer(f.square[at:to], f.label[at:to], b.X, groups, &f.work[worker])
	})
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
	return parallel.Each(f.ctx, len(f.work), stretchCount(n), func(_, s int) {
		do(s, s*stretch, min((s+1)*stretch, n))
	})
}

func stretchCount(n int) int { return (n + stretch - 1) / stretch }

// Nearest returns the label of each row: the number (0..len(chosen)−1) of the
// nearest chosen row in the given space (as Options.Space), the lowest of
// equals. A row may be chosen more than once; no row gets its later labels. Nearest
// works on the calling goroutine, returns ctx's error when that is done, and panics
// if nothing is chosen or a chosen row does not exist.
func Nearest(ctx context.Context, rows framework.Rows, chosen []int, space []float64) ([]int32, error) {
	if len(chosen) == 0 {
		panic("seeding: no row is chosen")
	}
	checkSpace(rows, space)
	f := newField(ctx, rows, space, 1)
	if err := f.chooseAll(chosen); err != nil {
		return nil, err
	}
	return f.label, nil
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
