package skfr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func trims(v variant, share float64) func(*fit.Settings) {
	return func(s *fit.Settings) { s.Empty, s.Trim = v.empty, share }
}

// drawWeights draws weights that are whole, or not.
func drawWeights(t *rapid.T, n int) []float64 {
	w := make([]float64, n)
	unit := rapid.SampledFrom([]float64{1, 0.3}).Draw(t, "unit")
	for i := range w {
		w[i] = unit * float64(rapid.IntRange(0, 4).Draw(t, "weight"))
	}
	w[0] = unit // some weight there must be
	return w
}

func TestTheTrimmedObjectiveNeverRisesAndIsThatOfTheNearestRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, p := rapid.IntRange(5, 24).Draw(t, "n"), rapid.IntRange(3, 5).Draw(t, "p")
		b := drawBlocks(t, n, p, v.missing)
		if rapid.Bool().Draw(t, "weighted") {
			b.Weights = drawWeights(t, n)
		}
		k, share := rapid.IntRange(1, 3).Draw(t, "k"), rapid.SampledFrom([]float64{0.05, 0.2, 0.5}).Draw(t, "trim")
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), trims(v, share))
		for i := 1; i < len(res.Trace); i++ {
			was, is := res.Trace[i-1].Objective, res.Trace[i].Objective
			if is > was+1e-9*(1+was) {
				t.Fatalf("iteration %d: %v after %v", i+1, is, was)
			}
		}
		checkTrimmed(t, b, res, share)
	})
}

// checkTrimmed checks the weight that a result leaves out, that no row which it
// leaves out is nearer than one which it keeps, and its objective, from the rows.
func checkTrimmed(t *rapid.T, b blocks, res clustertest.Fitted, share float64) {
	mass, left, objective := 0.0, 0.0, 0.0
	nearestOut, farthestIn := math.Inf(1), 0.0
	squares := res.Clusterer.Plan().Squared
	for i, label := range res.Labels {
		w, d := 1.0, res.Distance[i]
		if b.Weights != nil {
			w = b.Weights[i]
		}
		mass += w
		out := 0.0
		if label < 0 {
			out = w
			nearestOut = min(nearestOut, d)
		} else if farthestIn = max(farthestIn, d); res.Part != nil && res.Part.Row == i {
			out = w - res.Part.Weight
			nearestOut = min(nearestOut, d)
		}
		left += out
		if squares {
			d *= d
		}
		objective += (w - out) * d
	}
	want := share * mass
	if !slices.ContainsFunc(b.Weights, func(w float64) bool { return w != math.Trunc(w) }) {
		want = math.Floor(want + 1e-9)
	}
	if math.Abs(left-want) > 1e-9*mass {
		t.Fatalf("the weight %v is left out; it should be %v of %v", left, want, mass)
	}
	if !res.Converged {
		return // centers may have moved since
	}
	if res.Problem.Params["missing"] != "kpod" && nearestOut < farthestIn-1e-9 { // kpod assigns by filled cells
		t.Fatalf("a row at %v is left out, one at %v is not", nearestOut, farthestIn)
	}
	if math.Abs(res.Objective-objective) > 1e-9*(1+objective) || math.Abs(res.Inertia-objective) > 1e-9*(1+objective) {
		t.Fatalf("objective %v, inertia %v; from the rows it is %v", res.Objective, res.Inertia, objective)
	}
}

func TestNoTrimmedFitIsBetterThanTheBestLabelsAndOneFromThemStays(t *testing.T) {
	for name, v := range map[string]variant{
		"kmeans":      {algorithm: skfr.KMeans{}, empty: framework.Reseed},
		"skfr/global": {algorithm: skfr.SKFR{}, params: map[string]string{"sparsity": "1"}, empty: framework.Origin},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				const n, p, k, out = 6, 2, 2, 2
				b := drawBlocks(t, n, p, false)
				best, labels := math.Inf(1), []int32(nil)
				eachLabelling(n, k, out, func(l []int32) {
					if o := leastObjective(b, l, k, v.params == nil); o < best-1e-12 {
						best, labels = o, slices.Clone(l)
					}
				})
				from := b.run(t, v.algorithm, k, v.params, fit.Start{Labels: labels}, trims(v, float64(out)/n))
				if math.Abs(from.Objective-best) > 1e-9 {
					t.Fatalf("from the best labels %v: %v; the best of all labels has %v", labels, from.Objective, best)
				}
				other := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), trims(v, float64(out)/n))
				if other.Objective < best-1e-9 {
					t.Fatalf("%v is below that of all labels, %v", other.Objective, best)
				}
			})
		})
	}
}

// eachLabelling visits all labels of n rows, of which some have none.
func eachLabelling(n, k, out int, visit func([]int32)) {
	labels := make([]int32, n)
	var from func(i, out int)
	from = func(i, out int) {
		if i == n {
			if out == 0 {
				visit(labels)
			}
			return
		}
		for j := range int32(k) {
			labels[i] = j
			from(i+1, out)
		}
		labels[i] = -1
		from(i+1, out-1)
	}
	from(0, out)
}

// leastObjective returns the sum of squares of the labelled rows about the best
// centers: means in all features, or in that one in which they save most.
func leastObjective(b blocks, labels []int32, k int, all bool) float64 {
	total, gains := 0.0, make([]float64, b.X.Cols)
	for l := range b.X.Cols {
		sum, count := make([]float64, k), make([]float64, k)
		for i, j := range labels {
			if v := b.X.Row(i)[l]; j >= 0 {
				total += v * v
				sum[j] += v
				count[j]++
			}
		}
		for j, s := range sum {
			if count[j] > 0 {
				gains[l] += s * s / count[j]
			}
		}
	}
	if !all {
		return total - slices.Max(gains)
	}
	for _, g := range gains {
		total -= g
	}
	return total
}

func TestTrimmingARowOfWeightThreeIsTrimmingThreeRows(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(6, 14).Draw(t, "n"), 2
		b := drawBlocks(t, n, 3, v.missing)
		random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		for i := range b.X.Data {
			b.X.Data[i] += 0.1 * random.Float64() // no ties
		}
		start := drawLabels(t, n, k)
		b.Weights = make([]float64, n)
		repeated := blocks{clustertest.Rows{Size: b.Size}}
		repeated.X.Cols = b.X.Cols
		var labels []int32
		for i := range n {
			times := rapid.IntRange(1, 3).Draw(t, "times")
			b.Weights[i] = float64(times)
			for range times {
				repeated.X.Rows++
				repeated.X.Data = append(repeated.X.Data, b.X.Row(i)...)
				labels = append(labels, start.Labels[i])
			}
		}
		one := func(s *fit.Settings) { trims(v, 0.25)(s); s.MaxIter = 1 } // later ones may tell rounding apart
		weighted := b.run(t, v.algorithm, k, v.params, start, one)
		times := repeated.run(t, v.algorithm, k, v.params, fit.Start{Labels: labels}, one)
		if math.Abs(weighted.Objective-times.Objective) > 1e-9*(1+times.Objective) {
			t.Fatalf("objective %v with weights, %v with repeated rows", weighted.Objective, times.Objective)
		}
		if atTheBorder(weighted.Result) > 1 {
			return // such as the two rows of a cluster: rounding decides which one counts
		}
		at := 0
		for i, label := range weighted.Labels {
			kept := 0.0
			for range int(b.Weights[i]) {
				if times.Labels[at] >= 0 {
					kept++
				}
				at++
			}
			want := 0.0
			if label >= 0 {
				want = b.Weights[i]
			}
			if weighted.Part != nil && weighted.Part.Row == i {
				want = weighted.Part.Weight
			}
			if kept != want {
				t.Fatalf("of row %d, %v of %v count with weights, and %v with repeated rows", i, want, b.Weights[i], kept)
			}
		}
	}, "kmeans", "kmeans/observed", "kmeans/l1", "skfr/global", "skfr/local", "skfr/kpod")
}

// atTheBorder counts the rows that are as far, but for rounding, as the nearest of
// those that are trimmed, as a whole or in part.
func atTheBorder(r *fit.Result) int {
	border := math.Inf(1)
	for i, d := range r.Distance {
		if r.Labels[i] < 0 || r.Part != nil && r.Part.Row == i {
			border = min(border, d)
		}
	}
	rows := 0
	for _, d := range r.Distance {
		if math.Abs(d-border) <= 1e-9 {
			rows++
		}
	}
	return rows
}

func TestThreadsChangeNothingInATrimmedFit(t *testing.T) {
	v := variants()["skfr/observed"]
	b := noisyBlocks(v)
	run := func(threads int) *fit.Result {
		return b.run(t, v.algorithm, 5, v.params, fit.Start{}, func(s *fit.Settings) {
			trims(v, 0.05)(s)
			s.MaxIter, s.Threads = 12, threads
		}).Result
	}
	if diff := cmp.Diff(run(1), run(3), same); diff != "" {
		t.Fatal(diff)
	}
}

func TestOfRowsAtEqualDistancesTheLowerOnesStay(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 6, Cols: 1, Data: []float64{5, -5, 5, -5, 0, 0}}, Size: 2}}
	res := b.run(t, skfr.KMeans{}, 1, nil, fit.Start{Labels: make([]int32, 6)}, func(s *fit.Settings) { s.Trim = 2.0 / 6 })
	// By hand: all four are 5 from the first center, 0; of 5, −5 and the zeros the mean is 0 again.
	if diff := cmp.Diff([]int32{0, 0, -1, -1, 0, 0}, res.Labels); diff != "" || res.Objective != 50 {
		t.Errorf("objective %v, labels %s", res.Objective, diff)
	}
}
