package skfr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func TestNoDriftOfMovedSumsIsLeftInTheResult(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		if v.params["missing"] == "kpod" {
			return // its means depend on the centers before, and so on the path
		}
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		noise := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range b.X.Data {
			b.X.Data[i] += noise.Float64() - 0.5 // sums are rounded, and there are no ties
		}
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), nil)
		if _, keeps := v.algorithm.(skfr.Spherical); keeps && len(slices.Compact(slices.Sorted(slices.Values(res.Labels)))) < k {
			return // a cluster without rows keeps its center, which depends on the path as well
		}
		anew := b.run(t, v.algorithm, k, v.params, fit.Start{Labels: res.Labels}, func(s *fit.Settings) { s.MaxIter = 0 })
		if diff := cmp.Diff(anew.Model.Centers, res.Model.Centers); diff != "" {
			t.Fatalf("centers computed from the final labels differ: %s", diff)
		}
	})
}

func TestObjectiveFarFromTheOriginKeepsItsDigits(t *testing.T) {
	near := noisyBlocks(variant{})
	far := near
	far.X = near.X.Clone()
	for i := range far.X.Data {
		// Multiples of 2⁻¹⁰ below 2³⁰ are exact, near and far.
		near.X.Data[i] = math.Round(near.X.Data[i]*1024) / 1024
		far.X.Data[i] = near.X.Data[i] + 1e9
	}
	start := fit.Start{Labels: make([]int32, near.X.Rows)}
	for i := range start.Labels {
		start.Labels[i] = int32(i % 5)
	}
	want := near.run(t, skfr.KMeans{}, 5, nil, start, nil)
	got := far.run(t, skfr.KMeans{}, 5, nil, start, nil)
	must.Equal(t, want.Labels, got.Labels)
	// The mean of a column near 1e9 is rounded by up to 6e-8, and of an origin as
	// far as its sd from it, the sum of squares by twice that in proportion.
	if math.Abs(want.Objective-got.Objective) > 2e-7*want.Objective || math.Abs(got.Inertia-got.Objective) > 2e-7*got.Objective {
		t.Errorf("objective %v and inertia %v; without the offset %v", got.Objective, got.Inertia, want.Objective)
	}
}

func TestRoundingAtTiesDoesNotKeepARunGoing(t *testing.T) {
	eachVariant(t, func(t *rapid.T, v variant) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, v.missing)
		for i := range b.X.Data {
			b.X.Data[i] *= 0.1 // sums are rounded, and ties are frequent
		}
		// A grid of 20 rows settles within 30 iterations (seen in 100 000 draws).
		res := b.run(t, v.algorithm, k, v.params, drawLabels(t, n, k), nil)
		if !res.Converged || res.Iterations > 40 {
			t.Fatalf("%d iterations, stop %q: %v", res.Iterations, res.Stop, res.Trace)
		}
	}, "kmeans", "skfr/global", "skfr/observed", "skfr/local")
}
