package means_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

func TestReseedingFillsClustersWhateverTheWeights(t *testing.T) {
	eachWeighting(t, 4, func(t *rapid.T, w means.Weighting) {
		r := drawRows(t, 40, 4, false, false) // no two rows are equal, in any feature
		k := rapid.IntRange(2, 6).Draw(t, "k")
		res := weigh(t, r, k, w, fit.Start{Labels: make([]int32, 40)}, nil)
		if res.Stop == framework.AllZero {
			return
		}
		sizes := make([]int, k)
		for _, j := range res.Labels {
			sizes[j]++
		}
		for j, size := range sizes {
			if size == 0 {
				t.Fatalf("cluster %d is empty: %v, stop %q", j, sizes, res.Stop)
			}
		}
	})
}

func TestIterationsOfARoundDoNotAllocate(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	r := clustertest.Rows{X: framework.NewMatrix(3000, 6), Size: 500}
	for i := range r.X.Data {
		r.X.Data[i] = random.NormFloat64()
	}
	start := fit.Start{Labels: make([]int32, r.X.Rows)}
	for i := range start.Labels {
		start.Labels[i] = int32(i % 40)
	}
	for name, w := range weightings(6) {
		t.Run(name, func(t *testing.T) {
			allocations := func(iterations int) float64 {
				return clustertest.FewestAllocations(func() {
					res := weigh(t, r, 40, w, start, func(s *fit.Settings) { s.MaxIter, s.Empty = iterations, framework.Origin })
					if res.Iterations != iterations || res.Model.Aux["weight_updates"][0] != 1 {
						t.Fatalf("%d iterations, %v updates of the weights", res.Iterations, res.Model.Aux["weight_updates"][0])
					}
				})
			}
			// The trace grows now and then, and the rooms of a worker on the first
			// large shard that it meets: less than once an iteration.
			if few, many := allocations(4), allocations(12); many >= few+8 {
				t.Errorf("%v allocations in 4 iterations, %v in 12", few, many)
			}
		})
	}
}

func TestTheUpdatesOfWeightsAreLimited(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	r := clustertest.Rows{X: framework.NewMatrix(150, 6), Size: 150}
	for i := range r.X.Data {
		r.X.Data[i] = random.NormFloat64() + float64(i%6%2*(i/6%4-2))
	}
	w := weightings(6)["l1 = 1.3"]
	free := weigh(t, r, 4, w, fit.Start{}, nil)
	most := int(free.Model.Aux["weight_updates"][0])
	if most < 3 {
		t.Fatalf("only %d updates", most)
	}
	w.Updates = most - 1
	res := weigh(t, r, 4, w, fit.Start{}, nil)
	if got := int(res.Model.Aux["weight_updates"][0]); got != most-1 || res.Stop != fit.MaxIter || res.Converged {
		t.Errorf("%d updates, stop %q, converged %v", got, res.Stop, res.Converged)
	}
}
