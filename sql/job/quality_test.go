package job

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// clusteredRows returns n rows of p features in 3 clusters, each a unit from the next
// in every feature, and the fit that has found them.
func clusteredRows(t *testing.T, n, p int) (*Job, *Fitted) {
	x, random := framework.NewMatrix(n, p), framework.Rand(1, "quality-test")
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i % 3)
		for l := range x.Row(i) {
			x.Row(i)[l] = random.NormFloat64() + float64(i%3)
		}
	}
	data := matrix.FromMatrix(x, nil, 0)
	t.Cleanup(func() { _ = data.Close() })
	return &Job{Data: data, Problem: framework.Problem{N: n, P: p, K: 3, Seed: 5}},
		&Fitted{Result: &fit.Result{Labels: labels, Model: &framework.Model{}}}
}

func TestTheQualityOfFewRowsIsThatOfScores(t *testing.T) {
	b, f := clusteredRows(t, 30, 4)
	for name, c := range map[string]struct {
		features []framework.Feature
		weights  []float64
		selected []float64 // weights of the features
		number   int
	}{
		"no selection": {nil, nil, nil, 4},
		"two selected": {[]framework.Feature{{Column: 1, Rank: 1, Selected: true}, {Column: 3, Rank: 2, Selected: true}, {Column: 0,
			Rank: 3}}, nil,
			[]float64{0, 1, 0, 1}, 2},
		"by cluster": {[]framework.Feature{{Column: 1, Rank: 1, Cluster: 0, Selected: true}, {Column: 1, Rank: 2, Cluster: 1},
			{Column: 2, Rank: 1, Cluster: 1, Selected: true}}, nil, []float64{0, 1, 1, 0}, 2},
		"weights": {nil, []float64{0.5, 0, 1, 2}, []float64{0.5, 0, 1, 2}, 3},
	} {
		f.features, f.Model.FeatureWeights = c.features, c.weights
		must.Do(t, b.Measure(t.Context(), f))
		silhouette := must.Get(score.Silhouette(t.Context(), b.Data, f.Labels, score.SilhouetteOptions{Weights: c.weights}))(t)
		want := Quality{Explained: score.ExplainedVariance(b.Data, f.Labels, nil), Selected: c.number,
			OfSelected: score.ExplainedVariance(b.Data, f.Labels, c.selected), Weighted: c.weights != nil, Silhouette: silhouette}
		if *f.Quality != want {
			t.Errorf("%s: %+v, want %+v", name, *f.Quality, want)
		}
	}
}

func TestTheQualityOfManyRowsIsThatOfASampleOnAnyNumberOfThreads(t *testing.T) {
	b, f := clusteredRows(t, 9000, 40)
	exact := score.ExplainedVariance(b.Data, f.Labels, nil)
	var all []Quality
	for _, threads := range []int{1, 3} {
		b.Settings.Threads = threads
		must.Do(t, b.Measure(t.Context(), f))
		all = append(all, *f.Quality)
	}
	q := all[0]
	if q != all[1] {
		t.Errorf("%+v on one thread, %+v on three", q, all[1])
	}
	if q.Sampled != 6553 || q.Measured != 1500 || q.Explained == exact { // 2^18 cells / 40
		t.Errorf("%+v, explained variance %v", q, exact)
	}
	// Between-cluster variance is 2/3 of a total of 5/3 in each of 40 features: the share
	// in 6553 rows has a standard error below 0.002.
	if math.Abs(q.Explained-exact) > 0.01 || math.Abs(exact-0.4) > 0.01 {
		t.Errorf("explained variance %v of a sample, %v of all rows", q.Explained, exact)
	}
	near := must.Get(score.Silhouette(t.Context(), b.Data, f.Labels, score.SilhouetteOptions{Sample: 500, Threads: 2}))(t)
	if math.Abs(q.Silhouette-near) > 0.02 {
		t.Errorf("silhouette %v, of other rows against all %v", q.Silhouette, near)
	}
}

func TestASampleHasDifferentRowsInTheirOrder(t *testing.T) {
	b, f := clusteredRows(t, 50, 1)
	for i := range f.Labels {
		f.Labels[i], b.Data.Matrix().Data[i] = int32(i), float64(i)
	}
	rows, labels := b.sampled(f.Labels, 40)
	defer func() { _ = rows.Close() }()
	if !slices.IsSorted(labels) || len(slices.Compact(slices.Clone(labels))) != 40 {
		t.Errorf("rows %v", labels)
	}
	for i, v := range rows.Matrix().Data {
		if float64(labels[i]) != v {
			t.Errorf("row %v has the label of row %d", v, labels[i])
		}
	}
}
