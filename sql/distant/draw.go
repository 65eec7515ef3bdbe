package distant

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// Draw draws some rows of a relation that stay in an engine, as Model.Draw draws those of
// a relation that is read. Clusters are those that the model gives.
func Draw(ctx context.Context, m *model.Model, rows Relation, o model.ScoreOptions) (*model.Drawn, error) {
	of, _, bound, err := looked(ctx, m, rows, m.Scored(m.Key, o), matrix.UnseenError)
	if err != nil {
		return nil, err
	}
	sums, err := bound.Summarise(ctx, of.Model)
	if err != nil {
		return nil, err
	}
	x, weights, err := bound.Sample(ctx, o.Sample, 1)
	if err != nil {
		return nil, err
	}
	data := matrix.FromMatrix(x, weights, 0)
	labelled, err := fit.Predict(ctx, of.Clusterer, of.Model, data, o.Threads)
	if err != nil {
		return nil, err
	}
	labelled.LeaveUntold(of.Model, data)
	s := score.SilhouetteOptions{Seed: 1, Threads: o.Threads, Progress: o.Measuring}
	if len(of.Model.FeatureWeights) > 0 {
		s.Weights = of.Model.FeatureWeights
	}
	silhouettes, err := score.Silhouettes(ctx, data, labelled.Labels, s)
	if err != nil {
		return nil, err
	}
	l := scored(of, bound, sums)
	d := m.Picked(data, labelled.Labels, silhouettes, o.Sample)
	if d.Of = l.Problem.N - sums.Untold; sums.Square != nil {
		d.Explained = l.Squares(&sums).Explained(of.Model.FeatureWeights)
	}
	return d, nil
}
