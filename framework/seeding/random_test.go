package seeding

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestRandom(t *testing.T) {
	t.Run("gives_every_cluster_a_row_of_positive_weight", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, false)
			data.weight = gridWeights(t, data.Len())
			k := choosable(data, rapid.IntRange(1, 24).Draw(t, "k"))
			if k == 0 {
				return
			}
			labels := must.Get(randomLabelsOf(data, k, rapid.Uint64().Draw(t, "seed")))(t)
			mass := make([]float64, k)
			for i, label := range labels {
				mass[label] += data.weight[i] // panics unless 0..k−1
			}
			for j, m := range mass {
				if m == 0 {
					t.Fatalf("cluster %d has no weight: labels %v", j, labels)
				}
			}
		})
	})
	t.Run("labels_are_uniform", func(t *testing.T) {
		const n, k = 30000, 10
		data := table{x: framework.NewMatrix(n, 1), block: 4096}
		labels := must.Get(randomLabelsOf(data, k, 1))(t)
		count := make([]float64, k)
		for _, label := range labels {
			count[label]++
		}
		// 9 degrees of freedom: the chi-square quantile 0.999 is 27.88.
		if chi := chiSquare(count, n); chi > 27.88 {
			t.Errorf("chi-square of the labels is %v: %v", chi, count)
		}
	})
	t.Run("every_ordered_sample_is_as_likely", func(t *testing.T) {
		const runs = 20000
		count := make([]float64, 20) // 5·4 ordered pairs
		for restart := range runs {
			pair := sample(5, 2, framework.Rand(0, "pairs", uint64(restart)))
			rank := pair[1]
			if pair[1] == pair[0] {
				t.Fatalf("the sample %v repeats a row", pair)
			} else if pair[1] > pair[0] {
				rank--
			}
			count[pair[0]*4+rank]++
		}
		// 19 degrees of freedom: the chi-square quantile 0.999 is 43.82.
		if chi := chiSquare(count, runs); chi > 43.82 {
			t.Errorf("chi-square of the pairs is %v: %v", chi, count)
		}
	})
	t.Run("a_sample_of_all_is_a_permutation", func(t *testing.T) {
		seen := make([]int, 50)
		for _, i := range sample(50, 50, framework.Rand(0, "all")) {
			seen[i]++
		}
		for i, times := range seen {
			if times != 1 {
				t.Errorf("%d occurs %d times", i, times)
			}
		}
	})
	t.Run("a_row_keeps_its_stream_when_rows_are_added", func(t *testing.T) {
		short := table{x: framework.NewMatrix(500, 1), block: 64}
		long := table{x: framework.NewMatrix(501, 1), block: 64}
		a, _ := randomLabelsOf(short, 2, 0)
		b, _ := randomLabelsOf(long, 2, 0)
		changed := 0
		for i := range a {
			if a[i] != b[i] {
				changed++
			}
		}
		if changed > 4 { // the two fixed rows of each
			t.Errorf("%d labels changed:\n%s", changed, cmp.Diff(a, b[:500]))
		}
	})
}

// randomLabelsOf returns the random labels of the first restart.
func randomLabelsOf(data table, k int, seed uint64) ([]int32, error) {
	s, err := New("random", data, Options{K: k, Seed: seed})
	if err != nil {
		return nil, err
	}
	return s.Labels(context.Background(), 0, 1)
}

// chiSquare compares counts with equal expected ones.
func chiSquare(count []float64, total float64) float64 {
	want, chi := total/float64(len(count)), 0.0
	for _, got := range count {
		chi += (got - want) * (got - want) / want
	}
	return chi
}
