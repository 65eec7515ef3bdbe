package score_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// blocks are rows in blocks of a given number.
type blocks struct{ clustertest.Rows }

// drawRows draws rows on a grid, with labels −1 to 2.
func drawRows(t *rapid.T) (blocks, []int32) {
	n := rapid.IntRange(3, 12).Draw(t, "n")
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 2), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
	for i := range b.X.Data {
		b.X.Data[i] = float64(rapid.IntRange(-3, 3).Draw(t, "cell"))
	}
	return b, rapid.SliceOfN(rapid.Int32Range(-1, 2), n, n).Draw(t, "labels")
}

func silhouette(t *rapid.T, b blocks, labels []int32, o score.SilhouetteOptions) float64 {
	t.Helper()
	return must.Get(score.Silhouette(t.Context(), b, labels, o))(t)
}

// plain is the mean silhouette by its definition, and whether it is defined.
func plain(b blocks, labels []int32) (float64, bool) {
	var sum float64
	rows, clusters := 0, map[int32]bool{}
	for i, own := range labels {
		if own < 0 {
			continue
		}
		rows, clusters[own] = rows+1, true
		mean := func(j int32) float64 {
			total, count := 0.0, 0.0
			for t := range labels {
				if labels[t] == j && t != i {
					total += floats.Distance(b.X.Row(i), b.X.Row(t), 2)
					count++
				}
			}
			return total / count
		}
		nearest := math.Inf(1)
		for j := range int32(3) {
			if m := mean(j); j != own && m == m {
				nearest = math.Min(nearest, m)
			}
		}
		if inner := mean(own); inner == inner && math.Max(inner, nearest) > 0 {
			sum += (nearest - inner) / math.Max(inner, nearest)
		}
	}
	return sum / float64(rows), len(clusters) > 1
}

func TestSilhouetteEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawRows(t)
		want, defined := plain(b, labels)
		got := silhouette(t, b, labels, score.SilhouetteOptions{Threads: 3})
		if !defined {
			if got == got {
				t.Fatalf("silhouette %v of less than two clusters", got)
			}
			return
		}
		near(t, "silhouette", got, want)
		near(t, "silhouette of a sample of all", silhouette(t, b, labels, score.SilhouetteOptions{Sample: 100}), want)
	})
}

func TestARowWeightIsThatManyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawRows(t)
		b.Weights = make([]float64, b.X.Rows)
		repeated := blocks{clustertest.Rows{X: framework.Matrix{Cols: 2}, Size: 3}}
		var copies []int32
		for i := range b.Weights {
			b.Weights[i] = float64(rapid.IntRange(1, 3).Draw(t, "weight"))
			for range int(b.Weights[i]) {
				repeated.X.Data = append(repeated.X.Data, b.X.Row(i)...)
				copies = append(copies, labels[i])
			}
		}
		repeated.X.Rows = len(copies)
		if _, defined := plain(b, labels); defined {
			near(t, "silhouette", silhouette(t, b, labels, score.SilhouetteOptions{}), silhouette(t, repeated, copies, score.SilhouetteOptions{}))
		}
		if v := score.ExplainedVariance(b, labels, nil); v == v {
			near(t, "explained variance", v, score.ExplainedVariance(repeated, copies, nil))
		}
	})
}

func TestEqualRowWeightsThatAreNotWholeChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawRows(t)
		weighted := b
		weighted.Weights = make([]float64, b.X.Rows)
		w := rapid.SampledFrom([]float64{1e-9, 0.5, 0.7, 1.5, 1e9 + 0.5}).Draw(t, "weight")
		for i := range weighted.Weights {
			weighted.Weights[i] = w
		}
		if _, defined := plain(b, labels); defined {
			near(t, "silhouette", silhouette(t, weighted, labels, score.SilhouetteOptions{}), silhouette(t, b, labels, score.SilhouetteOptions{}))
		}
		if v := score.ExplainedVariance(b, labels, nil); v == v {
			near(t, "explained variance", score.ExplainedVariance(weighted, labels, nil), v)
		}
	})
}

func TestASampledSilhouetteAveragesToTheExactOne(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.NewMatrix(12, 2), Size: 5}}
	labels := make([]int32, 12)
	for i := range labels {
		labels[i] = int32(i % 3)
		b.X.Row(i)[0], b.X.Row(i)[1] = float64(i*i%7), float64(i%3*4)
	}
	exact := must.Get(score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{}))(t)
	sum, different := 0.0, false
	const seeds = 4000
	for seed := range uint64(seeds) {
		s := must.Get(score.Silhouette(t.Context(), b, labels, score.SilhouetteOptions{Sample: 4, Seed: seed}))(t)
		sum, different = sum+s, different || s != exact
	}
	// Silhouettes lie in [−1, 1]: the mean of 4000 samples of 4 has a standard
	// error below 0.008.
	if mean := sum / seeds; math.Abs(mean-exact) > 0.04 || !different {
		t.Errorf("mean %v of samples, exact %v", mean, exact)
	}
}

func TestFeatureWeightsScaleFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawRows(t)
		scaled := blocks{clustertest.Rows{X: b.X.Clone(), Size: b.Size}}
		for i := range scaled.X.Rows {
			scaled.X.Row(i)[0] *= 2
		}
		weights := []float64{4, 1}
		if _, defined := plain(b, labels); defined {
			near(t, "silhouette", silhouette(t, b, labels, score.SilhouetteOptions{Weights: weights}),
				silhouette(t, scaled, labels, score.SilhouetteOptions{}))
		}
		if v := score.ExplainedVariance(b, labels, weights); v == v {
			near(t, "explained variance", v, score.ExplainedVariance(scaled, labels, nil))
		}
	})
}

func TestExplainedVarianceIsOneMinusTheWithinPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawRows(t)
		for i := range b.X.Data {
			b.X.Data[i] += 1000 // far from the origin
		}
		square := func(only int32) (sum float64) {
			weights := make([]float64, len(labels)) // 0 for the rows of other clusters
			for i, j := range labels {
				if j >= 0 && (only < 0 || j == only) {
					weights[i] = 1
				}
			}
			for l := range 2 {
				column := mat.Col(nil, l, b.X.Dense())
				sum += stat.MomentAbout(2, column, stat.Mean(column, weights), weights) * floats.Sum(weights)
			}
			return sum
		}
		total := square(-1)
		got := score.ExplainedVariance(b, labels, nil)
		if total < 1e-9 { // equal rows, or none
			if got == got {
				t.Fatalf("explained variance %v of nothing", got)
			}
			return
		}
		if want := 1 - (square(0)+square(1)+square(2))/total; math.Abs(got-want) > 1e-9 {
			t.Fatalf("explained variance %v; it is %v", got, want)
		}
	})
}
