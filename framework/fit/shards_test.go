package fit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// manyShards makes rows of several shards. Each of the first shards has rows of one place,
// so that none of them moves later and nothing is collected; the others have noise, ties,
// weights of which some are 0, and far rows that clusters without rows get.
func manyShards(seed uint64, p int, weighted bool) clustertest.Rows {
	r := rand.New(rand.NewPCG(seed, 5))
	n := 5000 + r.IntN(3000) // at least 4 times shardRows
	x := framework.NewMatrix(n, p)
	for i := range n {
		for l := range p {
			switch {
			case i < n/2:
				x.Row(i)[l] = float64(4 * i / n)
			case i%3 == 0:
				x.Row(i)[l] = math.Round(2*r.NormFloat64()) / 3
			default:
				x.Row(i)[l] = 0.1 + r.NormFloat64()
			}
		}
		if i%1000 == 999 {
			x.Row(i)[0] += 1e3 * r.Float64()
		}
	}
	rows := clustertest.Rows{X: x, Size: []int{7, 64, 1000}[r.IntN(3)]}
	if weighted {
		for range n {
			rows.Weights = append(rows.Weights, []float64{0, 0.3, 1, 2}[r.IntN(4)])
		}
		rows.Weights[0] = 1
	}
	return rows
}

func TestThreadsChangeNoBitOfAFitOfManyShards(t *testing.T) {
	kinds := map[string]func(p *framework.Problem, s *fit.Settings){
		"free":      func(*framework.Problem, *fit.Settings) {},
		"in limits": func(p *framework.Problem, _ *fit.Settings) { p.Labels = most((p.N+p.K-1)/p.K + 3) },
		"trimmed":   func(_ *framework.Problem, s *fit.Settings) { s.Trim = 0.05 },
	}
	for kind, change := range kinds {
		for seed := range uint64(4) {
			wide := 2
			if seed == 3 {
				wide = 300 // sums of several pieces
			}
			rows := manyShards(seed, wide, seed%2 == 1)
			p := rows.Problem(8)
			s := settings()
			s.Empty, s.MaxIter = framework.Reseed, 12
			change(&p, &s)
			start := make([]int32, rows.Len()) // of 8 clusters, 3 are empty
			for i := range start {
				start[i] = int32(5 * i / len(start))
			}
			var bits []string
			for _, s.Threads = range []int{1, 2, 3, 8} {
				res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{Labels: start}, s, nil))(t)
				bits = append(bits, fmt.Sprintf("%x %v %x %x %v", res.Model.Centers.Data, res.Labels, res.Objective, res.Inertia, res.Trace))
			}
			if len(slices.Compact(bits)) > 1 {
				t.Errorf("%s, seed %d: the results of 1, 2, 3 and 8 threads differ", kind, seed)
			}
		}
	}
}

// With so many clusters and features, what is between two passes is shared out.
func TestThreadsChangeNoBitOfAFitOfALargeModel(t *testing.T) {
	const n, p, k = 1200, 256, 260 // 2¹⁶ numbers and more in the model
	r := rand.New(rand.NewPCG(7, 11))
	x := framework.NewMatrix(n, p)
	for i := range x.Data {
		x.Data[i] = 0.1 + r.NormFloat64()
	}
	rows := clustertest.Rows{X: x, Size: 100}
	problem := rows.Problem(k)
	start := make([]int32, n)
	for i := range start {
		start[i] = int32(i % k)
	}
	s := settings()
	s.MaxIter = 3
	var bits []string
	for _, s.Threads = range []int{1, 2, 3} {
		res := must.Get(fit.Run(t.Context(), means.NewLloyd(problem, means.Squared), problem, rows, fit.Start{Labels: start}, s, nil))(t)
		bits = append(bits, fmt.Sprintf("%x %v %x %v", res.Model.Centers.Data, res.Labels, res.Objective, res.Trace))
	}
	if len(slices.Compact(bits)) > 1 {
		t.Error("the results of 1, 2 and 3 threads differ")
	}
}
