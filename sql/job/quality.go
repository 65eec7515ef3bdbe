package job

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// Limits of what a quality is measured on, so that a fit hardly takes longer.
const (
	qualityRows  = 1500    // all rows are measured up to here
	qualityMost  = 1 << 16 // rows of explained variances
	qualityCells = 1 << 18 // of these rows
	qualityPer   = 50      // rows a cluster: variance between clusters is overestimated by k/n of that within
)

// A Quality says how good the clusters of a fit are. Numbers are NaN where they are not
// defined.
type Quality struct {
	Explained  float64 // part of the variance of all features that is between clusters
	Selected   int     // features that are selected; all where nothing is
	OfSelected float64 // Explained of these, with the feature weights of the model
	Weighted   bool    // it has some
	Sampled    int     // rows, drawn at random, that these are of; 0: all
	Silhouette float64 // with the feature weights
	Measured   int     // rows, drawn at random, that it is of; 0: all
}

// Measure sets the quality of a fit; where there are many rows, that of a sample.
func (b *Job) Measure(ctx context.Context, f *Fitted) (err error) {
	q := &Quality{Weighted: len(f.Model.FeatureWeights) > 0}
	rows, labels := b.Data, f.Labels
	n, p := rows.Len(), b.Problem.P
	size := max(qualityRows, min(max(qualityCells/p, qualityPer*b.Problem.K), 16*qualityCells/p, qualityMost))
	if size < n {
		q.Sampled = size
		rows, labels = b.sampled(f.Labels, size)
		defer func() { _ = rows.Close() }()
	}
	squares := score.SumsOfSquares(rows, labels)
	q.Explained = squares.Explained(nil)
	weights := b.selectedWeights(f)
	for _, w := range weights {
		if w > 0 {
			q.Selected++
		}
	}
	q.OfSelected = squares.Explained(weights)

	o := score.SilhouetteOptions{Seed: b.Problem.Seed, Threads: b.Settings.Threads}.Quick(n, p, b.Problem.K)
	if q.Measured = o.Sample; q.Weighted {
		o.Weights = f.Model.FeatureWeights
	}
	q.Silhouette, err = score.Silhouette(ctx, rows, labels, o)
	f.Quality = q
	return err
}

// sampled draws rows without replacement, in their order.
func (b *Job) sampled(labels []int32, size int) (*matrix.Data, []int32) {
	n := b.Data.Len()
	random := framework.Rand(b.Problem.Seed, "quality")
	drawn := make(map[int]bool, size)
	for last := n - size; last < n; last++ { // Floyd's way, which needs no list of all rows
		if i := random.IntN(last + 1); !drawn[i] {
			drawn[i] = true
		} else {
			drawn[last] = true
		}
	}
	from := make([]int, 0, size)
	for i := range drawn {
		from = append(from, i)
	}
	slices.Sort(from)
	of := make([]int32, size)
	for t, i := range from {
		of[t] = labels[i]
	}
	return b.Data.Some(from), of
}

// selectedWeights returns the weight of each feature that is selected, in any cluster,
// and 0 for the others.
func (b *Job) selectedWeights(f *Fitted) []float64 {
	weights := slices.Repeat([]float64{1}, b.Problem.P)
	copy(weights, f.Model.FeatureWeights)
	if !slices.ContainsFunc(f.features, func(x framework.Feature) bool { return x.Rank > 0 }) {
		return weights
	}
	selected := make([]bool, b.Problem.P)
	for _, x := range f.features {
		selected[x.Column] = selected[x.Column] || x.Selected
	}
	for l, yes := range selected {
		if !yes {
			weights[l] = 0
		}
	}
	return weights
}
