package seeding

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
)

// randomLabels returns a random partition: every row has a uniform label of
// its own random stream, whatever its weight, except that k random rows of
// positive weight, all different, get the labels 0..k−1, so that no cluster is
// empty.
func randomLabels(ctx context.Context, rows framework.Rows, o Options) ([]int32, error) {
	label := make([]int32, rows.Len())
	err := each(ctx, o.Threads, rows.Blocks(), func(i int) {
		b := rows.Block(i)
		for r := b.Row0; r < b.Row0+b.X.Rows; r++ {
			stream := framework.Rand(o.Seed, "random-partition", uint64(o.Restart), uint64(r))
			label[r] = stream.Int32N(int32(o.K))
		}
	})
	if err != nil {
		return nil, err
	}
	for j, r := range fixedRows(rows, o) {
		label[r] = int32(j)
	}
	return label, nil
}

// fixedRows returns k different random rows of positive weight.
func fixedRows(rows framework.Rows, o Options) []int {
	weight := weights(rows)
	if weight == nil {
		return sample(rows.Len(), o)
	}
	var positive []int
	for i, w := range weight {
		if w > 0 {
			positive = append(positive, i)
		}
	}
	chosen := sample(len(positive), o)
	for j, rank := range chosen {
		chosen[j] = positive[rank]
	}
	return chosen
}

// sample returns k different numbers below n in random order: the first k steps
// of a Fisher–Yates shuffle, which holds only the entries that have moved.
func sample(n int, o Options) []int {
	random := framework.Rand(o.Seed, "random-partition-fixed", uint64(o.Restart))
	moved := make(map[int]int, o.K)
	entry := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	chosen := make([]int, o.K)
	for j := range chosen {
		r := j + random.IntN(n-j)
		chosen[j] = entry(r)
		moved[r] = entry(j)
	}
	return chosen
}
