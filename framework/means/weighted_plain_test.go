package means_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// plain is the alternation without driver, kernels, bounds or moved sums: k-means
// on columns times √w, from the partition as it is. The first k-means has the
// columns as they are.
func plain(r clustertest.Rows, k int, w means.Weighting, start []int32) (labels []int32, weights []float64) {
	p := r.X.Cols
	labels = append(labels, start...)
	weights = make([]float64, p)
	for l := range weights {
		weights[l] = 1 / math.Sqrt(float64(p))
	}
	for update := range w.Updates {
		root := func(l int) float64 {
			if update == 0 {
				return 1
			}
			return math.Sqrt(weights[l])
		}
		for moved := true; moved; {
			moved = false
			centers, mass := framework.NewMatrix(k, p), make([]float64, k)
			for i, j := range labels {
				mass[j]++
				for l, v := range r.X.Row(i) {
					centers.Row(int(j))[l] += v * root(l)
				}
			}
			for j, m := range mass {
				for l := range p {
					if m > 0 {
						centers.Row(j)[l] /= m
					}
				}
			}
			for i := range labels {
				best, at := math.Inf(1), int32(0)
				for j := range k {
					var d float64
					for l, v := range r.X.Row(i) {
						v = v*root(l) - centers.Row(j)[l]
						d = math.FMA(v, v, d)
					}
					if d < best {
						best, at = d, int32(j)
					}
				}
				moved = moved || labels[i] != at
				labels[i] = at
			}
		}
		b := between(r, labels, k)
		old := weights
		if s, bounded := w.Set.(weightset.Bounded); bounded {
			weights = bisect(b, s.L1)
		} else {
			weights = shrink(b, w.Set.(weightset.Grouped), float64(len(labels)))
		}
		var change, of float64
		for l := range weights {
			change, of = change+math.Abs(weights[l]-old[l]), of+old[l]
		}
		if change <= w.Tol*of {
			break
		}
	}
	return labels, weights
}

// bisect finds the weights by halving, until numbers end.
func bisect(b []float64, l1 float64) []float64 {
	at := func(delta float64) (w []float64, sum float64) {
		var squares float64
		for _, v := range b {
			v = max(0, v-delta)
			w = append(w, v)
			sum, squares = sum+v, squares+v*v
		}
		for l := range w {
			w[l] /= math.Sqrt(squares)
		}
		return w, sum / math.Sqrt(squares)
	}
	low, high := 0.0, 0.0
	for _, v := range b {
		high = max(high, v)
	}
	if w, sum := at(0); sum <= l1 {
		return w
	}
	for range 200 {
		if _, sum := at((low + high) / 2); sum > l1 {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	w, _ := at(low)
	return w
}

// shrink is equation 5 of Chavent et al.
func shrink(b []float64, s weightset.Grouped, n float64) []float64 {
	w := make([]float64, len(b))
	var squares float64
	for g, features := range s.Groups {
		var norm float64
		for _, l := range features {
			norm += b[l] / n * b[l] / n
		}
		for _, l := range features {
			w[l] = max(0, b[l]/n*(1-s.Lambda*s.Factors[g]/math.Sqrt(norm)))
			squares += w[l] * w[l]
		}
	}
	for l := range w {
		w[l] /= math.Sqrt(squares)
	}
	return w
}

func TestRunsEqualThoseOfAPlainAlternation(t *testing.T) {
	for _, name := range []string{"l1 = 1.3", "l1 = √p", "λ = 0", "λ = 0.3"} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 5))
			updates := 0.0
			for problem := range 60 {
				n, k, p := 20+random.IntN(150), 2+random.IntN(4), 2+random.IntN(8)
				r := clustertest.Rows{X: framework.NewMatrix(n, p), Size: 1 + random.IntN(n)}
				for i := range r.X.Data {
					r.X.Data[i] = random.NormFloat64() + float64(i%p%2*(i/p%4-2)) // no two distances are equal
				}
				labels := make([]int32, n)
				for i := range labels {
					labels[i] = int32(random.IntN(k))
				}
				w := weightings(p)[name]
				res := weigh(t, r, k, w, fit.Start{Labels: labels}, func(s *fit.Settings) { s.Threads, s.Empty = 2, framework.Origin })
				wantLabels, want := plain(r, k, w, labels)
				if diff := cmp.Diff(wantLabels, res.Labels); diff != "" {
					t.Errorf("problem %d, %d × %d, k = %d: %s", problem, n, p, k, diff)
				}
				if diff := cmp.Diff(want, res.Model.FeatureWeights, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Errorf("problem %d, %d × %d, k = %d: weights: %s", problem, n, p, k, diff)
				}
				updates = max(updates, res.Model.Aux["weight_updates"][0])
			}
			if updates < 3 {
				t.Errorf("no problem needs more than %v updates of the weights", updates)
			}
		})
	}
}

func TestARoundIsNotJudgedByTheObjectiveOfTheOneBefore(t *testing.T) {
	// With all weights equal the criterion is far above that of one feature, so
	// that no iteration of the second round improves on the first.
	random := rand.New(rand.NewPCG(2, 8))
	r := clustertest.Rows{X: framework.NewMatrix(1500, 16), Size: 1500}
	groups := framework.NewMatrix(12, 16)
	for i := range groups.Data {
		groups.Data[i] = random.NormFloat64()
	}
	for i := range r.X.Data {
		r.X.Data[i] = random.NormFloat64() + groups.Row(i / 16 % 12)[i%16]
	}
	labels := make([]int32, 1500)
	for i := range labels {
		labels[i] = int32(random.IntN(12))
	}
	w := weightings(16)["l1 = 1.3"]
	for _, tol := range []float64{0, 1e-14} { // which is below what any iteration gains
		res := weigh(t, r, 12, w, fit.Start{Labels: labels}, func(s *fit.Settings) { s.Empty, s.Tol = framework.Origin, tol })
		longest, length, first := 0, 0, 0.0
		for _, it := range res.Trace {
			if length++; it.Moved == 0 {
				if first == 0 {
					first, length = res.Trace[it.Iteration-2].Objective, 0
				}
				longest, length = max(longest, length), 0
			}
		}
		if longest < 20 || res.Objective > first {
			t.Fatalf("the problem is too easy: later rounds have up to %d iterations, and %v after %v", longest, res.Objective, first)
		}
		want, _ := plain(r, 12, w, labels)
		if diff := cmp.Diff(want, res.Labels); diff != "" {
			t.Fatalf("tol %g: %s", tol, diff)
		}
	}
}

func TestTheFirstRoundIsPlainKMeansWithItsTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRows(t, 30, 3, true, false) // with w = 1/√3, rounding would break ties
		start := drawStart(t, 30, 4)
		w := weightings(3)["l1 = √p"]
		w.Updates = 1
		res := weigh(t, r, 4, w, start, func(s *fit.Settings) { s.Empty = framework.Origin })
		want, _ := plain(r, 4, w, start.Labels)
		must.Equal(t, want, res.Labels)
	})
}
