package seeding

import (
	"context"
	"math"
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A table is framework.Rows in plain memory.
type table struct {
	x      framework.Matrix
	weight []float64
	block  int // rows of a block
}

func (t table) Len() int    { return t.x.Rows }
func (t table) Blocks() int { return (t.x.Rows + t.block - 1) / t.block }
func (t table) Block(i int) framework.Block {
	from, to := i*t.block, min((i+1)*t.block, t.x.Rows)
	b := framework.Block{Index: i, Row0: from, X: t.x.Slice(from, to)}
	if t.weight != nil {
		b.RowWeight = t.weight[from:to]
	}
	return b
}

// tableOf returns the rows as one block of three rows each.
func tableOf(rows ...[]float64) table {
	x := framework.NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(x.Row(i), r)
	}
	return table{x: x, block: 3}
}

// grid draws a small table of integers −3..3 (so that sums are exact and ties
// are many), with missing cells if wanted.
func grid(t *rapid.T, missing bool) table {
	x := framework.NewMatrix(rapid.IntRange(1, 24).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p"))
	for i := range x.Data {
		v := rapid.IntRange(-3, 3).Draw(t, "cell")
		x.Data[i] = float64(v)
		if missing && rapid.IntRange(0, 4).Draw(t, "missing") == 0 {
			x.Data[i] = math.NaN()
		}
	}
	return table{x: x, block: rapid.IntRange(1, 9).Draw(t, "block")}
}

// gridSpace draws a space of small integers, or none.
func gridSpace(t *rapid.T, p int) []float64 {
	if rapid.Bool().Draw(t, "no space") {
		return nil
	}
	space := make([]float64, p)
	for l := range space {
		space[l] = float64(rapid.IntRange(0, 3).Draw(t, "space"))
	}
	return space
}

// gridWeights draws n row weights 0..3.
func gridWeights(t *rapid.T, n int) []float64 {
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
	}
	return weight
}

// normal returns n×p standard normal cells, one in twenty missing.
func normal(n, p int, seed uint64) framework.Matrix {
	random := rand.New(rand.NewPCG(seed, 1))
	x := framework.NewMatrix(n, p)
	for i := range x.Data {
		x.Data[i] = random.NormFloat64()
		if random.IntN(20) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	return x
}

// plain is the squared distance by its definition.
func plain(x, y, space []float64) float64 {
	d := 0.0
	for l := range x {
		if math.IsNaN(x[l]) || math.IsNaN(y[l]) {
			continue
		}
		w := 1.0
		if space != nil {
			w = space[l]
		}
		d += w * (x[l] - y[l]) * (x[l] - y[l])
	}
	return d
}

// plainNearest is the label and squared distance of row i by definition.
func plainNearest(t table, i int, chosen []int, space []float64) (int32, float64) {
	label, best := int32(0), math.Inf(1)
	for j, c := range chosen {
		if d := plain(t.x.Row(i), t.x.Row(c), space); d < best {
			label, best = int32(j), d
		}
	}
	return label, best
}

// labelsOf returns the labels of the first restart.
func labelsOf(ctx context.Context, name string, rows framework.Rows, o Options) ([]int32, error) {
	s, err := New(name, rows, o)
	if err != nil {
		return nil, err
	}
	return s.Labels(ctx, 0, o.Threads)
}

// centersOf returns the centers of the first restart.
func centersOf(ctx context.Context, name string, rows framework.Rows, o Options) (framework.Matrix, bool, error) {
	s, err := New(name, rows, o)
	if err != nil {
		return framework.Matrix{}, false, err
	}
	return s.Centers(ctx, 0, o.Threads)
}
