package score_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// scattered returns rows of three clusters with a center each, some cells of
// which are missing if every is above 0, and their labels; each 11th has none.
func scattered(n, p, every int) (blocks, []int32) {
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: 37}}
	random := framework.Rand(1, "scattered")
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i % 3)
		for l := range p {
			b.X.Row(i)[l] = random.NormFloat64() + float64(labels[i])
			if every > 0 && (i*p+l)%every == 0 {
				b.X.Row(i)[l] = math.NaN()
			}
		}
		if i%11 == 0 {
			labels[i] = -1
		}
	}
	return b, labels
}

// byDefinition is the mean silhouette with all sums in the order of the rows, and
// distances summed by fused products in the order of the features.
func byDefinition(b blocks, labels []int32, weights []float64) float64 {
	size := make([]float64, 3)
	for _, j := range labels {
		if j >= 0 {
			size[j]++
		}
	}
	var sum, count float64
	for i, own := range labels {
		if own < 0 {
			continue
		}
		mean := make([]float64, 3)
		for t, j := range labels {
			if j < 0 {
				continue
			}
			d := 0.0
			for l, x := range b.X.Row(i) {
				if e := x - b.X.Row(t)[l]; e == e {
					d = math.FMA(weights[l]*e, e, d)
				}
			}
			mean[j] += math.Sqrt(d)
		}
		nearest := math.Inf(1)
		for j := range mean {
			if int32(j) != own {
				nearest = math.Min(nearest, mean[j]/size[j])
			}
		}
		inner := mean[own] / (size[own] - 1)
		sum, count = sum+(nearest-inner)/math.Max(inner, nearest), count+1
	}
	return sum / count
}

func TestTheSilhouetteHasTheBitsOfItsDefinition(t *testing.T) {
	for name, c := range map[string]struct {
		p, every int
		weights  []float64
	}{
		"all cells":       {3, 0, []float64{1, 1, 1}},
		"missing cells":   {5, 7, []float64{1, 1, 1, 1, 1}},
		"feature weights": {4, 9, []float64{0.3, 0, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			b, labels := scattered(200, c.p, c.every) // more than a batch, and than a tile
			want := byDefinition(b, labels, c.weights)
			for _, threads := range []int{1, 3, 200} {
				got, err := score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{Weights: c.weights, Threads: threads})
				if err != nil || got != want {
					t.Errorf("%v on %d threads, %v, want %v", got, threads, err, want)
				}
			}
		})
	}
}

func TestASilhouetteAgainstDrawnRowsIsNearTheExactOne(t *testing.T) {
	b, labels := scattered(600, 4, 0)
	whole := make([]float64, 600)
	for i := range whole {
		whole[i] = float64(1 + i%2)
	}
	for name, weights := range map[string][]float64{"no row weights": nil, "whole ones": whole} {
		b.Weights = weights
		exact := must.Get(score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{}))(t)
		sum, different := 0.0, false
		const seeds = 20
		for seed := range uint64(seeds) {
			var twice [2]float64
			for i := range twice {
				o := score.SilhouetteOptions{Reference: 300, Seed: seed, Threads: 1 + 2*i}
				twice[i] = must.Get(score.Silhouette(t.Context(), b, labels, o))(t)
			}
			if twice[0] != twice[1] {
				t.Errorf("%s: seed %d gives %v and %v", name, seed, twice[0], twice[1])
			}
			sum, different = sum+twice[0], different || twice[0] != exact
		}
		// The mean distance to 100 rows has an error of about 1 % of itself, and the
		// rows share the reference; the mean of 20 seeds is nearer still.
		if mean := sum / seeds; math.Abs(mean-exact) > 0.005 || !different {
			t.Errorf("%s: mean %v, exact %v", name, mean, exact)
		}
		if all, err := score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{Reference: 600}); err != nil || all != exact {
			t.Errorf("%s: %v against all rows, %v, exact %v", name, all, err, exact)
		}
	}
}

// Two points: all distances within a cluster are 0, so whatever is drawn the
// silhouette is 1, but 0 for the row that is alone in its cluster.
func TestDrawnRowsOfPointsAreExact(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.NewMatrix(201, 1), Size: 50}}
	labels := make([]int32, 201)
	for i := range 100 {
		b.X.Data[i], labels[i] = 1, 4 // clusters 1 to 3 have no rows
	}
	b.X.Data[200], labels[200] = 5, 5
	for _, reference := range []int{1, 7, 150} {
		got, err := score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{Reference: reference})
		if want := 200.0 / 201; err != nil || got != want {
			t.Errorf("%v against %d rows, %v, want %v", got, reference, err, want)
		}
	}
}

func TestALargeSampleIsMeasuredAgainstFewerRows(t *testing.T) {
	for _, c := range []struct{ sample, n, p, k, want int }{
		{2000, 1000, 10, 3, 0},
		{2000, 200_000, 20, 3, 0},
		{2000, 2_000_000, 4, 5, 500_000},  // 2e10 / 2000 / (4 + 16)
		{2000, 2_000_000, 20, 5, 277_777}, // 2e10 / 2000 / (20 + 16)
		{2000, 60_000, 784, 10, 12_500},   // 2e10 / 2000 / (784 + 16)
		{2000, 60_000, 784, 1000, 30_000}, // 30 of each cluster
		{2000, 60_000, 784, 1_000_000, 0}, // of which there are no 30
		{10, 2_000_000, 20, 5, 0},
	} {
		if got := score.Reference(c.sample, c.n, c.p, c.k); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestASilhouetteCanBeStoppedAndWatched(t *testing.T) {
	b, labels := scattered(600, 2, 0)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := score.Silhouette(ctx, b, labels, score.SilhouetteOptions{Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	last := 0
	_, err = score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{Sample: 200, Progress: func(done, of int) {
		if done <= last || of != 200 {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		last = done
	}})
	if err != nil || last != 200 {
		t.Errorf("%d rows at the end, %v", last, err)
	}
}
