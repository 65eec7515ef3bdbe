package matrix

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// summary describes the observed cells of a column. With mass 0, min > max.
type summary struct {
	missing  int
	rows     int     // observed, and of positive weight
	mass     float64 // Σ w
	mean     float64
	centred  float64 // Σ w (x − mean)²
	squares  float64 // Σ w x²
	min, max float64
}

// spread returns the scale of the given kind of a column with at least two
// different values. frequencies tells whether row weights count rows: only
// then is Σw a number of rows, from which 1 can be subtracted. Other weights
// are shares of no known whole, so that their size must not matter:
//
//	sd² = Σ w (x − mean)² / Σ w · rows / (rows − 1)
func (c summary) spread(kind string, frequencies bool) float64 {
	switch kind {
	case "sd":
		if !frequencies {
			n := float64(c.rows)
			return math.Sqrt(c.centred / c.mass * (n / (n - 1)))
		}
		return math.Sqrt(c.centred / (c.mass - 1))
	case "sd_n":
		return math.Sqrt(c.centred / c.mass)
	}
	return 1
}

// frequencies reports whether every weight is a whole number. No weights at all
// are weights of 1.
func frequencies(weights []float64) bool {
	for _, w := range weights {
		if w != math.Trunc(w) {
			return false
		}
	}
	return true
}

// summarise makes two passes: one for means, one for squares about them. Each
// block is summed by itself, and blocks are added in order, so that the number
// of workers changes nothing.
func summarise(b *Builder) []summary {
	total := make([]summary, b.cols)
	for l := range total {
		total[l].min, total[l].max = math.Inf(1), math.Inf(-1)
	}
	parts := newParts(b)
	eachBlock(b, func(i int, x framework.Matrix, w []float64) { firstPass(parts[i], x, w) })
	for _, part := range parts {
		for l, c := range part {
			t := &total[l]
			t.missing, t.rows, t.mass, t.mean = t.missing+c.missing, t.rows+c.rows, t.mass+c.mass, t.mean+c.mean
			t.min, t.max = math.Min(t.min, c.min), math.Max(t.max, c.max)
		}
	}
	for l := range total {
		if total[l].mass > 0 {
			total[l].mean /= total[l].mass
		}
	}
	eachBlock(b, func(i int, x framework.Matrix, w []float64) { secondPass(parts[i], total, x, w) })
	for _, part := range parts {
		for l, c := range part {
			total[l].centred += c.centred
			total[l].squares += c.squares
		}
	}
	return total
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

// firstPass adds to rows, mass, mean (as a sum), missing, min and max.
func firstPass(part []summary, x framework.Matrix, weights []float64) {
	for i := range x.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
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
			c.mass += w
			c.mean += w * v
			c.min, c.max = min(c.min, v), max(c.max, v)
		}
	}
}

// secondPass adds to centred and squares.
func secondPass(part, total []summary, x framework.Matrix, weights []float64) {
	for i := range x.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		for l, v := range x.Row(i) {
			if v != v || w == 0 {
				continue
			}
			d := v - total[l].mean
			part[l].centred += w * d * d
			part[l].squares += w * v * v
		}
	}
}

// eachBlock calls work for every block of the builder's rows, some at a time.
func eachBlock(b *Builder, work func(i int, x framework.Matrix, weights []float64)) {
	size := BlockRows(b.rows, b.cols)
	blocks := (b.rows + size - 1) / size
	values := b.Values()
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= blocks {
					return
				}
				from, to := i*size, min((i+1)*size, b.rows)
				var w []float64
				if b.weights != nil {
					w = b.weights[from:to]
				}
				work(i, values.Slice(from, to), w)
			}
		})
	}
	wait.Wait()
}
