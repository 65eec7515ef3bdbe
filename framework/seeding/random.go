package seeding

import (
	"context"
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// randomLabels returns a random partition: every row has a uniform label of
// its own random stream, whatever its weight, except that k random rows of
// positive weight, all different, get the labels 0..k−1, so that no cluster is
// empty.
func randomLabels(ctx context.Context, s *Seeder, restart, threads int) ([]int32, error) {
	label := make([]int32, s.rows.Len())
	err := parallel.Each(ctx, threads, s.rows.Blocks(), func(_, i int) {
		b := s.rows.Block(i)
		for r := b.Row0; r < b.Row0+b.X.Rows; r++ {
			stream := framework.Rand(s.options.Seed, "random-partition", uint64(restart), uint64(r))
			label[r] = stream.Int32N(int32(s.options.K))
		}
	})
	if err != nil {
		return nil, err
	}
	for j, r := range s.fixedRows(restart) {
		label[r] = int32(j)
	}
	return label, nil
}

// fixedRows returns k different random rows of positive weight.
func (s *Seeder) fixedRows(restart int) []int {
	random := framework.Rand(s.options.Seed, "random-partition-fixed", uint64(restart))
	weight := weights(s.rows)
	if weight == nil {
		return sample(s.rows.Len(), s.options.K, random)
	}
	var positive []int
	for i, w := range weight {
		if w > 0 {
			positive = append(positive, i)
		}
	}
	chosen := sample(len(positive), s.options.K, random)
	for j, rank := range chosen {
		chosen[j] = positive[rank]
	}
	return chosen
}

// sample returns k different numbers below n in random order: the first k steps
// of a Fisher–Yates shuffle, which holds only the entries that have moved.
func sample(n, k int, random *rand.Rand) []int {
	moved := make(map[int]int, k)
	entry := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	chosen := make([]int, k)
	for j := range chosen {
		r := j + random.IntN(n-j)
		chosen[j] = entry(r)
		moved[r] = entry(j)
	}
	return chosen
}
