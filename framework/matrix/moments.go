package matrix

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// summary describes the observed cells of a column. With mass 0, min > max.
type summary struct {
	missing  int
	rows     int     // observed, and of positive weight
	mass     float64 // Σ w
	mean     float64
	pivot    float64      // the first observed x
	weights  kernel.Exact // Σ w
	sum      kernel.Exact // Σ w (x − pivot)
	unit     float64      // a power of two near the largest |x − mean|
	centred  float64      // Σ w (x − mean)², in unit²
	off      float64      // Σ w (x − mean), in unit: 0 but for the rounding of mean
	squares  float64      // Σ w x²
	min, max float64
}

// divide makes mass and mean of the sums, and chooses the unit: with squares of
// x − mean measured in it, none of a large part of the column's spread
// overflows or vanishes.
func (c *summary) divide() {
	c.unit = 1
	if c.mass = c.weights.Value(); c.mass == 0 {
		return
	}
	c.mean = c.sum.PlusRatio(c.pivot, c.weights)
	c.unit = UnitOf(c.mean, c.min, c.max)
}

// correct takes from centred what the rounding of mean has added.
func (c *summary) correct() {
	if c.mass > 0 {
		c.centred = max(0, c.centred-float64(c.off*(c.off/c.mass)))
	}
}

// sumSq returns Σ w (x − mean)² in units of the column.
func (c summary) sumSq() float64 { return c.centred * c.unit * c.unit }

// spread returns the scale of the given kind of a column with at least two
// different values. frequencies tells whether row weights count rows: only
// then is Σw a number of rows, from which 1 can be subtracted. Other weights
// are only relative, so their size must not matter:
//
//	sd² = Σ w (x − mean)² / Σ w · rows / (rows − 1)
func (c summary) spread(kind string, frequencies bool) float64 {
	switch kind {
	case "sd":
		if !frequencies {
			n := float64(c.rows)
			return math.Sqrt(c.centred/c.mass*(n/(n-1))) * c.unit
		}
		return math.Sqrt(c.centred/(c.mass-1)) * c.unit
	case "sd_n":
		return math.Sqrt(c.centred/c.mass) * c.unit
	}
	return 1
}

// frequencies reports whether every weight is a whole number. No weights at all
// are weights of 1.
func frequencies(weights []float64) bool {
	return !slices.ContainsFunc(weights, func(w float64) bool { return w != math.Trunc(w) })
}

// summarise makes two passes: one for means, one for squares about them. The first one
// begins with change, which is given whole rows, once each; nil changes nothing. Each
// block is summed by itself, and blocks are added in order, so that the number
// of workers changes nothing. No product is fused with a sum, so that all
// processors give the same bits.
//
// Means are correct to their last digit, however much of a column cancels: they
// come from sums with twice the digits. They are summed about one of the
// column's values, so that large values that are near each other do not
// overflow. The mean of a column far from 0 is still rounded to its neighbours
// in a float64, which may be as far away as the column's own spread, so that
// squares about it are corrected for that (the corrected two-pass algorithm of
// Chan, Golub and LeVeque 1983, Algorithms for computing the sample variance).
func summarise(b *Builder, change func(rows []float64)) []summary {
	if b.sparse != nil {
		return summariseSparse(b)
	}
	total := make([]summary, b.cols)
	for l := range total {
		total[l].min, total[l].max = math.Inf(1), math.Inf(-1)
	}
	pivots(b, total, change)
	parts := newParts(b)
	for _, part := range parts {
		for l := range part {
			part[l].pivot = total[l].pivot
		}
	}
	if change != nil {
		b.early = nil
	}
	eachBlock(b, func(i int, x framework.Matrix, w []float64) {
		if change != nil {
			change(x.Data)
		}
		if !b.summedEarly(i, parts[i]) {
			firstPass(parts[i], x, w)
		}
	})
	b.early = nil // is not needed any more
	for _, part := range parts {
		for l, c := range part {
			t := &total[l]
			t.missing, t.rows = t.missing+c.missing, t.rows+c.rows
			t.weights.AddSum(c.weights)
			t.sum.AddSum(c.sum)
			t.min, t.max = math.Min(t.min, c.min), math.Max(t.max, c.max)
		}
	}
	for l := range total {
		total[l].divide()
	}
	eachBlock(b, func(i int, x framework.Matrix, w []float64) { secondPass(parts[i], total, x, w) })
	for _, part := range parts {
		for l, c := range part {
			total[l].centred += c.centred
			total[l].off += c.off
			total[l].squares += c.squares
		}
	}
	for l := range total {
		total[l].correct()
	}
	return total
}

// pivots finds the first cell of each column that counts, as it is after change.
func pivots(b *Builder, total []summary, change func(rows []float64)) {
	values := b.Cells()
	first := make([]float64, b.cols)
	for l := range total {
		for i := range b.rows {
			if v := values.Data[i*b.cols+l]; v == v && (b.weights == nil || b.weights[i] > 0) {
				first[l] = v
				break
			}
		}
	}
	if change != nil {
		change(first)
	}
	for l, v := range first {
		total[l].pivot = v
	}
}

func newParts(b *Builder) [][]summary {
	size := BlockRows(b.rows, b.cols)
	parts := make([][]summary, (b.rows+size-1)/size)
	for i := range parts {
		parts[i] = make([]summary, b.cols)
		for l := range parts[i] {
			parts[i][l].min, parts[i][l].max = math.Inf(1), math.Inf(-1)
		}
	}
	return parts
}

// firstPass adds to rows, weights, sum, missing, min and max.
func firstPass(part []summary, x framework.Matrix, weights []float64) {
	if weights == nil {
		firstPassOfOnes(part, x)
		return
	}
	for i := range x.Rows {
		w := weights[i]
		for l, v := range x.Row(i) {
			c := &part[l]
			if v != v {
				c.missing++
				continue
			}
			if w == 0 {
				continue
			}
			c.rows++
			c.weights.Add(w)
			c.sum.AddDifference(w, v, c.pivot)
			c.min, c.max = min(c.min, v), max(c.max, v)
		}
	}
}

// firstPassOfOnes is the first pass over rows without weights.
func firstPassOfOnes(part []summary, x framework.Matrix) {
	t := kernel.NewTotals(x.Cols)
	for l, c := range part {
		t.Pivot[l], t.Min[l], t.Max[l] = c.pivot, c.min, c.max
	}
	t.Add(x.Data)
	for l := range part {
		c := &part[l]
		c.missing = int(t.Missing[l])
		c.rows = x.Rows - c.missing
		c.weights.High = float64(c.rows)
		c.sum = kernel.Exact{High: t.High[l], Low: t.Low[l]}
		c.min, c.max = t.Min[l], t.Max[l]
	}
}

// secondPass adds to centred, off and squares.
func secondPass(part, total []summary, x framework.Matrix, weights []float64) {
	inverse := make([]float64, len(total)) // of units, exactly
	for l, c := range total {
		inverse[l] = 1 / c.unit
	}
	if weights == nil {
		s := kernel.NewSquares(x.Cols)
		copy(s.Inverse, inverse)
		for l, c := range total {
			s.Mean[l] = c.mean
		}
		s.Add(x.Data)
		for l := range part {
			part[l].off, part[l].centred, part[l].squares = s.Off[l], s.Centred[l], s.Square[l]
		}
		return
	}
	for i := range x.Rows {
		w := weights[i]
		for l, v := range x.Row(i) {
			if v != v || w == 0 {
				continue
			}
			d := (v - total[l].mean) * inverse[l]
			wd := w * d
			part[l].off += float64(wd)
			part[l].centred += float64(wd * d)
			part[l].squares += float64(float64(w*v) * v)
		}
	}
}

// eachBlock calls work for every block of the builder's rows, some at a time.
func eachBlock(b *Builder, work func(i int, x framework.Matrix, weights []float64)) {
	size := BlockRows(b.rows, b.cols)
	blocks := (b.rows + size - 1) / size
	values := b.Cells()
	err := parallel.Each(context.Background(), parallel.Processors(), blocks, func(_, i int) {
		from, to := i*size, min((i+1)*size, b.rows)
		var w []float64
		if b.weights != nil {
			w = b.weights[from:to]
		}
		work(i, values.Slice(from, to), w)
	})
	if err != nil { // a panic of work
		panic(err)
	}
}
