package seeding

import (
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	rounds       = 5   // of draws
	oversampling = 2   // rows that a round draws on average, as a multiple of k
	pointsBlock  = 256 // rows of a block of points
)

// parallel chooses k rows by k-means||: candidates by oversample, and k of them
// by reduce. Where the candidates do not have k rows that differ, the rest is
// chosen from all rows as plusPlus does.
//
// Source: Bahmani, Moseley, Vattani, Kumar and Vassilvitskii (2012), algorithm 2,
// https://doi.org/10.14778/2180912.2180915.
func (f *field) parallel(k int, seed uint64, restart int) error {
	err := f.oversample(k, func(round, stretch int) *rand.Rand {
		return framework.Rand(seed, "kmeans||", uint64(restart), uint64(round), uint64(stretch))
	})
	if err != nil {
		return err
	}
	rows, err := f.reduce(k, streams(seed, "kmeans||-reduce", restart))
	if err != nil {
		return err
	}
	f.chosen = f.chosen[:0]
	if err := f.chooseAll(rows); err != nil {
		return err
	}
	return f.plusPlus(k, streams(seed, "kmeans||-rest", restart))
}

// oversample chooses one row in proportion to its weight, and then as many
// candidates in each of the rounds as drawEach draws. Round 0 has the stream of
// the first row.
func (f *field) oversample(k int, random func(round, stretch int) *rand.Rand) error {
	if err := f.drawUpTo(1, func(int) *rand.Rand { return random(0, 0) }); err != nil {
		return err
	}
	for round := 1; round <= rounds; round++ {
		rows, err := f.drawEach(oversampling*float64(k), func(stretch int) *rand.Rand { return random(round, stretch) })
		if err != nil {
			return err
		}
		if err := f.chooseAll(rows); err != nil {
			return err
		}
	}
	return nil
}

// drawEach draws every row by itself, with the probability
//
//	min(1, count · mass / total mass)
//
// and returns those drawn in row order. A stretch has a random stream, which
// gives one number to each of its rows.
func (f *field) drawEach(count float64, random func(stretch int) *rand.Rand) ([]int, error) {
	total, err := f.masses()
	if err != nil {
		return nil, err
	}
	drawn := make([][]int, len(f.sums))
	err = f.stretches(func(s, from, to int) {
		if f.sums[s] == 0 {
			return
		}
		stream := random(s)
		for i := from; i < to; i++ {
			if stream.Float64()*total < count*f.mass(i) {
				drawn[s] = append(drawn[s], i)
			}
		}
	})
	return slices.Concat(drawn...), err
}

// reduce returns up to k of the chosen rows, by D² sampling among them alone.
// There, a row weighs as much as all rows weigh to which it is the nearest. It
// returns fewer when the others are at distance 0 to those, or weigh nothing.
func (f *field) reduce(k int, random func(choice int) *rand.Rand) ([]int, error) {
	g := newField(f.ctx, f.candidates(), f.space, len(f.work))
	if err := g.drawUpTo(k, random); err != nil {
		return nil, err
	}
	rows := make([]int, len(g.chosen))
	for j, c := range g.chosen {
		rows[j] = f.chosen[c]
	}
	return rows, nil
}

// candidates returns the chosen rows with their shares.
func (f *field) candidates() points {
	c := points{weight: f.shares(), x: framework.Matrix{Rows: len(f.chosen), Cols: f.rows.Block(0).X.Cols}}
	if f.sparse {
		c.sparse = &framework.Sparse{Base: f.rows.Block(0).Sparse.Base, Start: []int64{0}}
		for _, i := range f.chosen {
			e := entriesOf(f.rows, i)
			c.sparse.Column, c.sparse.Offset = append(c.sparse.Column, e.columns...), append(c.sparse.Offset, e.offsets...)
			c.sparse.Start = append(c.sparse.Start, int64(len(c.sparse.Column)))
		}
		return c
	}
	for _, i := range f.chosen {
		c.x.Data = append(c.x.Data, framework.Cells(f.rows, i)...)
	}
	return c
}

// shares returns, for each chosen row, the weight of the rows that have its
// label.
func (f *field) shares() []float64 {
	share := make([]float64, len(f.chosen))
	for i, j := range f.label {
		if f.weight == nil {
			share[j]++
		} else {
			share[j] += max(0, f.weight[i])
		}
	}
	return share
}

// points are framework.Rows in memory.
type points struct {
	x      framework.Matrix
	sparse *framework.Sparse // nil: x has the cells
	weight []float64
}

func (p points) Len() int    { return p.x.Rows }
func (p points) Blocks() int { return (p.x.Rows + pointsBlock - 1) / pointsBlock }
func (p points) Block(i int) framework.Block {
	from, to := i*pointsBlock, min((i+1)*pointsBlock, p.x.Rows)
	b := framework.Block{Index: i, Row0: from, X: framework.Matrix{Rows: to - from, Cols: p.x.Cols}, RowWeight: p.weight[from:to]}
	if p.sparse != nil {
		b.Sparse = p.sparse.Slice(from, to)
	} else {
		b.X = p.x.Slice(from, to)
	}
	return b
}
